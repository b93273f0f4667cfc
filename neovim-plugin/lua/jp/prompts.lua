--- Prompts through `vim.ui.select` and `vim.ui.input`, so that they look like everything else in your editor.
---
--- Only an explicit choice is sent to the server. Dismissing anything leaves the prompt in the list: `:JpPrompts`.
local pending = require('jp.pending')
local text = require('jp.text')
local views = require('jp.views')

local M = {}

--- How long no key may have been typed before a prompt opens by itself.
M.QUIET_MS = 600

local last_key = 0
vim.on_key(function(_, keys)
  if keys ~= nil and keys ~= '' then
    last_key = vim.uv.now()
  end
end, vim.api.nvim_create_namespace('jp.prompts'))

--- Says that the person has just asked or decided something, so that what comes of it may open at once.
function M.expect()
  last_key = 0
end

local KNOWN = { approve = true, reject = true, edit = true, answer = true, cancel = true }
--- What can be done where a server does not say, in the words of servers that do.
local DEFAULTS = {
  run = { { id = 'reject', title = 'Reject' }, { id = 'approve', title = 'Run' } },
  edit = { { id = 'reject', title = 'Reject' }, { id = 'edit', title = 'Edit Arguments…' } },
  result = { { id = 'reject', title = 'Withhold' }, { id = 'approve', title = 'Deliver' } },
  delta = { { id = 'reject', title = 'Reject' }, { id = 'approve', title = 'Apply' } },
  question = { { id = 'cancel', title = 'Cancel' } },
}

--- A prompt in one line: the question and who asks it, or the title, which names the tool.
local function summary(prompt)
  if prompt.kind ~= 'question' then
    return text.one_line(prompt.title, 160)
  end
  local who = prompt.label or prompt.tool.name
  local question = (prompt.question or {}).text or prompt.title
  return ('%s (%s)'):format(text.one_line(question, 160), text.one_line(who, 60))
end

local function answer(prompt, given)
  if not pending.answer(prompt, given) then
    vim.notify('JP: this prompt was already decided', vim.log.levels.WARN)
  end
end

--- The choices that hold for the rest of the turn, as the server offers them.
---@param prompt jp.Prompt
---@return { title: string, answer: jp.Answer }[]
local function remembering(prompt)
  local found = {}
  for _, choice in ipairs(prompt.choices or {}) do
    local given = type(choice.effect) == 'table' and choice.effect.answer
    if given and given.remember then
      table.insert(found, { title = text.one_line(choice.title, 80), answer = given })
    end
  end
  return found
end

--- Every way to decide, in the server's words; a server that offers none has actions all the same.
---@param prompt jp.Prompt
---@return jp.Choice[]
local function offered(prompt)
  if prompt.choices and #prompt.choices > 0 then
    return prompt.choices
  end
  local actions = vim.tbl_filter(function(action)
    return KNOWN[action.id] and action.id ~= 'answer'
  end, prompt.actions or {})
  if #actions == 0 then
    actions = DEFAULTS[prompt.kind] or DEFAULTS.run
  end
  local list = {}
  for _, action in ipairs(actions) do
    local effect = action.id == 'edit' and 'edit' or { answer = { action = action.id } }
    table.insert(list, { title = action.title, effect = effect })
    if action.id == 'reject' and prompt.kind ~= 'question' then
      table.insert(list, { title = action.title .. ' with a Reason…', effect = 'reason' })
    end
  end
  table.insert(list, { title = 'Show Details', effect = 'details' })
  return list
end

--- What can be done about a prompt. What decides nothing comes first: a careless Enter then does no harm.
---@param prompt jp.Prompt
---@return { title: string, choose: fun() }[]
function M.choices(prompt)
  local function decide(given)
    answer(prompt, given)
  end
  local effects = {
    details = function()
      if views.has_diff(prompt) then
        views.diff(prompt, decide)
      else
        views.details(prompt, decide)
      end
    end,
    edit = function()
      views.edit(prompt, decide)
    end,
    reason = function()
      vim.ui.input({ prompt = 'Why? The assistant reads this: ' }, function(reason)
        if reason ~= nil then
          decide({ action = 'reject', reason = reason ~= '' and reason or nil })
        end
      end)
    end,
  }
  local first, rest, answers = {}, {}, false
  for _, choice in ipairs(offered(prompt)) do
    local effect = choice.effect
    local given = type(effect) == 'table' and effect.answer or nil
    answers = answers or (given ~= nil and given.action == 'answer')
    local choose = given and function()
      decide(given)
    end or effects[effect]
    if choose then
      table.insert(effect == 'details' and first or rest, { title = text.one_line(choice.title, 80), choose = choose })
    end
  end
  if prompt.kind == 'question' and not answers then
    table.insert(first, {
      title = 'Answer…',
      choose = function()
        M.show(prompt)
      end,
    })
  end
  local input = prompt.preview and prompt.preview.arguments
  if type(input) == 'table' and (prompt.kind == 'run' or prompt.kind == 'result') then
    -- It decides nothing: the prompt waits on.
    table.insert(rest, {
      title = 'Save as Example…',
      choose = function()
        local result = prompt.kind == 'result' or nil
        require('jp.commands').add_example({ tool = prompt.tool.name, input = input, result = result })
      end,
    })
  end
  return vim.list_extend(first, rest)
end

--- Lets a person pick, with what the list has no room for above it.
---@param prompt jp.Prompt
---@param items any[]
---@param options table as for `vim.ui.select`
---@param picked fun(item: any)
local function pick(prompt, items, options, picked)
  views.open_overview(prompt)
  vim.ui.select(items, options, function(item)
    views.close_overview(prompt)
    if item ~= nil then
      picked(item)
    end
  end)
end

local function decide_by_list(prompt)
  local title = summary(prompt)
  local message = views.short_message(prompt)
  if prompt.kind ~= 'question' and message ~= nil and message ~= '' then
    title = ('%s — %s'):format(title, message)
  end
  pick(prompt, M.choices(prompt), {
    prompt = title,
    kind = 'jp_prompt',
    format_item = function(choice)
      return choice.title
    end,
  }, function(choice)
    choice.choose()
  end)
end

--- Asks a question of a tool in the form that its answer has.
---@param prompt jp.Prompt
local function ask(prompt)
  local question = prompt.question
  local function give(value)
    answer(prompt, { action = 'answer', value = value })
  end
  local type_of = question.answerType.type
  if type_of == 'boolean' then
    local offered = {}
    for _, value in ipairs({ true, false }) do
      local title = (value and 'Yes' or 'No') .. (value == question.default and ' (default)' or '')
      table.insert(offered, { title = title, answer = { action = 'answer', value = value } })
    end
    vim.list_extend(offered, remembering(prompt))
    pick(prompt, offered, {
      prompt = summary(prompt),
      kind = 'jp_question',
      format_item = function(choice)
        return choice.title
      end,
    }, function(choice)
      answer(prompt, choice.answer)
    end)
  elseif type_of == 'select' then
    pick(prompt, question.answerType.options or {}, {
      prompt = summary(prompt),
      kind = 'jp_question',
      format_item = function(option)
        return text.one_line(option, 200) .. (option == question.default and ' (default)' or '')
      end,
    }, give)
  elseif type_of == 'secret' then
    views.open_overview(prompt)
    local given = vim.fn.inputsecret({ prompt = summary(prompt) .. ': ', cancelreturn = vim.NIL })
    views.close_overview(prompt)
    if given ~= vim.NIL then
      give(given)
    end
  else
    local default = question.default ~= nil and question.default ~= vim.NIL and text.plain(question.default) or nil
    views.open_overview(prompt)
    vim.ui.input({ prompt = summary(prompt) .. ': ', default = default }, function(given)
      views.close_overview(prompt)
      if given ~= nil then
        give(given)
      end
    end)
  end
end

--- Shows a pending prompt.
---@param prompt jp.Prompt
function M.show(prompt)
  if not pending.waits(prompt) then
    vim.notify('JP: this prompt was already decided', vim.log.levels.WARN)
  elseif prompt.kind == 'question' and prompt.question then
    ask(prompt)
  else
    decide_by_list(prompt)
  end
end

--- Lets a person choose among the pending prompts, and then decide: `:JpPrompts`.
function M.open()
  local prompts = pending.list()
  if #prompts == 0 then
    vim.notify('JP: no prompt waits for you')
  elseif #prompts == 1 then
    decide_by_list(prompts[1])
  else
    vim.ui.select(prompts, { prompt = 'Pending prompts', kind = 'jp_prompt', format_item = summary }, function(prompt)
      if prompt ~= nil then
        decide_by_list(prompt)
      end
    end)
  end
end

--- Whether somebody may be typing: then a list that opens would take keys that were meant for the text.
local function busy()
  return vim.api.nvim_get_mode().mode ~= 'n' or (last_key > 0 and vim.uv.now() - last_key < M.QUIET_MS)
end

--- Opens a prompt, or only says that it waits when that would be in the way.
---@param prompt jp.Prompt
local function present(prompt)
  if not pending.waits(prompt) then
    return
  end
  if not require('jp').options.open_prompts or busy() then
    vim.notify(('JP: %s — :JpPrompts'):format(summary(prompt)), vim.log.levels.WARN)
  else
    M.show(prompt)
  end
end

--- Serves `jp/prompt`: returns when a person has decided, with null when that happened elsewhere or not at all.
---
--- Runs in the coroutine of the request, so that nothing waits for it.
---@param prompt jp.Prompt
---@param context lsp.HandlerContext
function M.handle(_, prompt, context)
  local request = assert(coroutine.running(), 'a request is served in a coroutine')
  pending.add(prompt, context.client_id, function(given)
    vim.schedule(function()
      coroutine.resume(request, given or vim.NIL)
    end)
  end)
  vim.schedule(function()
    vim.cmd.redrawstatus({ bang = true })
    require('jp.conversation').mark()
    present(prompt)
  end)
  return coroutine.yield()
end

pending.on_gone(function(waited, how, given)
  local prompt = waited.prompt
  vim.schedule(function()
    views.close(prompt)
    require('jp.conversation').mark()
    if how == 'elsewhere' then
      vim.notify(('JP: decided elsewhere: %s'):format(summary(prompt)))
    elseif how == 'withdrawn' then
      vim.notify(('JP: asked no more: %s'):format(summary(prompt)))
    elseif how == 'answered' then
      M.expect()
      if prompt.kind == 'delta' and given ~= nil and given.action == 'approve' then
        require('jp.kept').remember(waited)
      end
      local next_one = pending.list()[1]
      if next_one ~= nil then
        present(next_one)
      end
    end
  end)
end)

return M
