--- The prompt that waits, below its conversation: why it is asked, and its choices with their keys.
---
--- It is drawn, not written: nothing of it is text of the buffer, and nothing of it stays when it is decided.
local pending = require('jp.pending')
local prompts = require('jp.prompts')
local text = require('jp.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('jp.waiting')
local MOST = 9

---@class jp.Shown
---@field prompt jp.Prompt
---@field since integer When it came into view; a key counts only after a pause, since somebody may be typing.
---@field keys integer How many keys it has.

--- What is shown below which buffer.
---@type table<integer, jp.Shown>
local shown = {}

local function clear(buffer)
  local was = shown[buffer]
  shown[buffer] = nil
  if was == nil or not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for key = 1, was.keys do
    pcall(vim.keymap.del, 'n', tostring(key), { buffer = buffer })
  end
end

--- Why a person is asked, counted from 1; nil when no line of config says so.
---@param prompt jp.Prompt
---@return string?
function M.reason(prompt)
  local rule = prompt.rule
  if rule == nil or prompt.kind == 'question' then
    return nil
  end
  local path = vim.fn.fnamemodify(vim.uri_to_fname(rule.uri), ':.')
  local which = rule.index and ('rule %d, '):format(rule.index + 1) or ''
  return text.one_line(('Asked by %s%s:%d'):format(which, path, rule.range.start.line + 1), 200)
end

--- The lines to draw.
---@param prompt jp.Prompt
---@param choices { title: string }[]
local function lines(prompt, choices)
  local drawn = { { { '' } }, { { '? ' .. text.one_line(prompt.title, 160), 'WarningMsg' } } }
  local reason = M.reason(prompt)
  if reason then
    table.insert(drawn, { { '  ' .. reason, 'Comment' } })
  end
  for line in vim.gsplit(text.visible((prompt.preview or {}).text or ''), '\n') do
    if #drawn >= 24 then
      table.insert(drawn, { { '  …', 'Comment' } })
      break
    elseif line ~= '' then
      table.insert(drawn, { { '  ' .. line, 'String' } })
    end
  end
  for _, sentence in ipairs((prompt.delta or {}).loosens or {}) do
    table.insert(drawn, { { '  loosens: ' .. text.one_line(sentence, 200), 'WarningMsg' } })
  end
  for key, choice in ipairs(choices) do
    if key <= MOST then
      table.insert(drawn, { { ('  %d '):format(key), 'Special' }, { choice.title } })
    end
  end
  return drawn
end

--- Shows what waits below a conversation, and takes away what waits no more.
---@param buffer integer
---@param conversation string
function M.update(buffer, conversation)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local prompt = vim.iter(pending.list()):find(function(it)
    return it.conversation == conversation
  end)
  local was = shown[buffer]
  if prompt == nil then
    return clear(buffer)
  end
  local since = was and was.prompt == prompt and was.since or vim.uv.now()
  clear(buffer)
  local choices = prompts.choices(prompt)
  local keys = math.min(#choices, MOST)
  shown[buffer] = { prompt = prompt, since = since, keys = keys }
  local last = vim.api.nvim_buf_line_count(buffer) - 1
  vim.api.nvim_buf_set_extmark(buffer, namespace, last, 0, { virt_lines = lines(prompt, choices) })
  for key = 1, keys do
    vim.keymap.set('n', tostring(key), function()
      if vim.uv.now() - since >= prompts.QUIET_MS and pending.waits(prompt) then
        prompts.expect()
        choices[key].choose()
      end
    end, { buffer = buffer, nowait = true, desc = ('JP: %s'):format(choices[key].title) })
  end
end

return M
