--- What the commands do.
local text = require('jp.text')

local M = {}

local function fail(message)
  vim.notify('JP: ' .. text.one_line(message), vim.log.levels.ERROR)
end

--- Calls back with the server of the workspace that is meant: that of the current file, else the one that the person chooses.
local function with_client(callback)
  require('jp.workspaces').with_client(function(client, problem)
    if client == nil then
      return fail(problem)
    end
    callback(client)
  end)
end

local function request(client, method, params, callback)
  client:request(method, params, function(err, result)
    if err then
      fail(err.message or vim.inspect(err))
    elseif callback then
      callback(result)
    end
  end)
end

local function workspace_of(client)
  return client.root_dir and vim.uri_from_fname(client.root_dir) or nil
end

local function scratch(name, content, filetype)
  local buffer = vim.fn.bufnr(name)
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, name)
  end
  vim.bo[buffer].modeline = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, text.lines(content))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = filetype
  if vim.fn.bufwinid(buffer) == -1 then
    vim.cmd.split()
    vim.api.nvim_win_set_buf(0, buffer)
  end
end

--- A fence longer than every run of backticks in the lines.
local function fenced(lines)
  local longest = 2
  for _, line in ipairs(lines) do
    for run in line:gmatch('`+') do
      longest = math.max(longest, #run)
    end
  end
  local fence = ('`'):rep(longest + 1)
  return ('%s%s\n%s\n%s'):format(fence, vim.bo.filetype, table.concat(lines, '\n'), fence)
end

--- Trusts the client's workspace until the editor ends.
local function grant(client)
  local root = client.root_dir
  local folder = root and { workspace = vim.uri_from_fname(root) } or vim.empty_dict()
  client:notify('jp/trustGranted', folder)
  require('jp').remember_trust(root or '')
end

--- Calls back with the server of a workspace that is trusted; asks for the trust that is missing.
local function with_trusted_client(callback)
  with_client(function(client)
    local root = client.root_dir or ''
    if require('jp').trusts(root) then
      return callback(client)
    end
    local trust = 'Trust this workspace until Neovim ends'
    vim.ui.select({ 'Do not run anything', trust }, {
      prompt = ('May the assistant run tools in %s?'):format(text.one_line(root)),
      kind = 'jp_trust',
    }, function(choice)
      if choice == trust then
        grant(client)
        callback(client)
      end
    end)
  end)
end

--- `:JpQuery`: starts a conversation, with `!` continues the last; a range is what the query is about.
function M.query(given)
  local conversation = require('jp.conversation')
  local about
  if given.range > 0 then
    local lines = vim.api.nvim_buf_get_lines(0, given.line1 - 1, given.line2, false)
    local path = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':.')
    about = ('`%s`, lines %d to %d:\n\n%s'):format(path, given.line1, given.line2, fenced(lines))
  end
  local function start(query)
    if query == nil or vim.trim(query) == '' then
      return
    end
    with_trusted_client(function(client)
      local last = conversation.last[client.root_dir or '']
      if given.bang and last == nil then
        return fail('there is no conversation to continue: run `:JpQuery` without `!`')
      end
      local params = {
        text = about and ('%s\n\n%s\n'):format(query, about) or query,
        conversation = given.bang and last or 'new',
        workspace = workspace_of(client),
      }
      require('jp.prompts').expect()
      request(client, 'jp/query/start', params, function(result)
        conversation.started(client, result.conversation)
        conversation.show(client, result.conversation)
      end)
    end)
  end
  if given.args ~= '' then
    start(given.args)
  else
    vim.ui.input({ prompt = 'What should the assistant do? ' }, start)
  end
end

--- Calls back with a running turn and its server; which one is chosen when there are several.
local function with_running(callback)
  local running = require('jp.conversation').running
  local ids = vim.tbl_keys(running)
  table.sort(ids)
  local function run(id)
    local client = id and vim.lsp.get_client_by_id(running[id] or -1)
    if client then
      callback(client, id)
    end
  end
  if #ids == 0 then
    return fail('no turn is running')
  elseif #ids == 1 then
    return run(ids[1])
  end
  vim.ui.select(ids, { prompt = 'Running turns', kind = 'jp_conversation' }, run)
end

--- `:JpStop`: ends the running turn.
function M.stop()
  with_running(function(client, id)
    request(client, 'jp/query/cancel', { conversation = id })
  end)
end

--- Offers what can be done to a turn, in the server's words.
---@param choices { action: string, title: string }[]
local function choose_interrupt(client, id, choices)
  vim.ui.select(choices, {
    prompt = 'The turn is running',
    kind = 'jp_interrupt',
    format_item = function(item)
      return text.one_line(item.title, 120)
    end,
  }, function(item)
    if item == nil then
      return
    end
    local function send(reply)
      request(client, 'jp/query/interrupt', { conversation = id, action = item.action, text = reply })
    end
    if item.action ~= 'stop_and_reply' then
      return send()
    end
    vim.ui.input({ prompt = 'What should the assistant know? ' }, function(reply)
      -- Without a word there is nothing to stop for.
      if reply ~= nil and vim.trim(reply) ~= '' then
        send(reply)
      end
    end)
  end)
end

--- `:JpInterrupt`: changes the course of the running turn.
function M.interrupt()
  with_running(function(client, id)
    client:request('jp/query/interruptChoices', { conversation = id }, function(err, choices)
      if err == nil then
        return choose_interrupt(client, id, choices)
      elseif err.code == vim.lsp.protocol.ErrorCodes.MethodNotFound then
        -- An older server asks by itself.
        return request(client, 'jp/query/interrupt', { conversation = id })
      end
      fail(err.message or vim.inspect(err))
    end)
  end)
end

--- `:JpKeep [FILE]`: writes a config change that was applied into a config file.
function M.keep(given)
  local kept = require('jp.kept')
  local changes = kept.list()
  local file = given.args ~= '' and given.args or nil
  if #changes == 0 then
    return fail('no config change was applied since the server started')
  elseif #changes == 1 then
    return kept.keep(changes[1], file)
  end
  vim.ui.select(changes, { prompt = 'Keep', kind = 'jp_change', format_item = kept.describe }, function(change)
    if change ~= nil then
      kept.keep(change, file)
    end
  end)
end

--- `:JpConversation`: opens a conversation, by its id or from a list.
function M.conversation(given)
  with_client(function(client)
    local show = require('jp.conversation').show
    if given.args ~= '' then
      return show(client, given.args)
    end
    request(client, 'jp/conversation/list', vim.empty_dict(), function(list)
      if #list == 0 then
        return fail('there is no conversation: run `:JpQuery`')
      end
      vim.ui.select(list, {
        prompt = 'Conversation',
        kind = 'jp_conversation',
        format_item = function(item)
          local title = type(item.title) == 'string' and item.title ~= '' and item.title or item.id
          return text.one_line(title, 120)
        end,
      }, function(item)
        if item ~= nil then
          show(client, item.id)
        end
      end)
    end)
  end)
end

--- Calls back with the conversation in the current window, else with the one that was used last.
---@param callback fun(client: vim.lsp.Client, id: string)
local function with_conversation(callback)
  with_client(function(client)
    local conversation = require('jp.conversation')
    local id = conversation.id_of(vim.api.nvim_get_current_buf()) or conversation.last[client.root_dir or '']
    if id == nil then
      return fail('there is no conversation here: open one with `:JpConversation`')
    end
    callback(client, id)
  end)
end

--- `:JpRename [title]`: gives a conversation another title.
function M.rename(given)
  with_conversation(function(client, id)
    local function rename(title)
      if title == nil or vim.trim(title) == '' then
        return
      end
      request(client, 'jp/conversation/rename', { conversation = id, title = title }, function(result)
        vim.notify(('JP: the conversation is called “%s” now'):format(text.one_line(result.title, 120)))
      end)
    end
    if given.args ~= '' then
      return rename(given.args)
    end
    vim.ui.input({ prompt = 'Another title: ' }, rename)
  end)
end

--- `:JpUndoTurn`: shows a copy of a conversation without its last turn, in which `:JpQuery!` goes on.
function M.undo_turn()
  with_conversation(function(client, id)
    request(client, 'jp/conversation/fork', { conversation = id, withoutLast = 1 }, function(result)
      local conversation = require('jp.conversation')
      conversation.last[client.root_dir or ''] = result.conversation
      conversation.show(client, result.conversation)
      vim.notify('JP: this copy ends before the last turn; the conversation itself stays as it is')
    end)
  end)
end

--- `:JpInit`: writes a first config.
function M.init()
  require('jp.workspaces').init()
end

--- `:JpTrust`: lets the assistant run in this workspace until the editor ends.
function M.trust()
  with_client(function(client)
    grant(client)
    vim.notify('JP: the assistant may run in ' .. text.one_line(client.root_dir or 'this workspace'))
  end)
end

--- Arguments as `NAME=VALUE`, all of them texts; nil where something else is among them.
---@param given string
---@return table<string, string>?
local function named_arguments(given)
  local arguments = {}
  for word in given:gmatch('%S+') do
    local name, value = word:match('^([^={}"]+)=(.*)$')
    if name == nil then
      return nil
    end
    arguments[name] = value
  end
  return arguments
end

--- What `:JpExplain` asks: about a config path, or what would be decided about a call of a tool.
---@param given string
---@return table? params, string? problem
local function explanation(given)
  local kind, tool, input = given:match('^(%l+)%s+(%S+)%s+(.+)$')
  if kind ~= 'policy' and kind ~= 'access' then
    return { kind = 'config', input = given }
  end
  local ok, value = pcall(vim.json.decode, input)
  if not ok and kind == 'policy' then
    value = named_arguments(input)
    ok = value ~= nil
  end
  if not ok then
    local example = kind == 'policy' and 'path=src/a.rs or {"path": "src/a.rs"}' or '{"net": "https://example.org"}'
    return nil, ('`%s` cannot be read, write for example %s'):format(input, example)
  end
  return { kind = kind, tool = tool, input = value }
end

--- `:JpExplain PATH`, `:JpExplain policy TOOL ARGUMENTS`, `:JpExplain access TOOL ACCESS`.
function M.explain(given)
  local params, problem = explanation(given.args)
  if params == nil then
    return fail(problem)
  end
  with_client(function(client)
    params.words, params.workspace = 'text', workspace_of(client)
    request(client, 'jp/explain', params, function(result)
      if type(result) == 'table' and type(result.words) == 'string' then
        return scratch('jp://explanation', result.words, '')
      end
      -- A server of the person's own may be too old for words.
      scratch('jp://explanation', text.json(result) or vim.json.encode(result), 'json')
    end)
  end)
end

--- Adds a call or an access to the examples beside the rules, as it is decided now; the edit is shown, and the person saves it.
---@param example { tool: string, input: table, kind: string?, result: boolean? }
function M.add_example(example)
  with_client(function(client)
    local argument = vim.tbl_extend('keep', example, { workspace = workspace_of(client) })
    local params = { command = 'jp.tests.save', arguments = { argument } }
    request(client, 'workspace/executeCommand', params, function(result)
      if type(result) == 'table' and result.applied then
        vim.notify('JP: added to .jp/policy.tests.toml; look at it, then :write')
      end
    end)
  end)
end

--- The recorded call on the line of the cursor, in a list that `jp.history.show` has made.
---@return { tool: string, input: table }?
local function recorded_call()
  if not vim.fs.basename(vim.api.nvim_buf_get_name(0)):match('^calls%-.*%.md$') then
    return nil
  end
  local tool = (vim.fn.getline(1)):match('^# `+ ?(.-) ?`+: ')
  local ok, input = pcall(vim.json.decode, vim.api.nvim_get_current_line():match(' `+ ?({.*}) ?`+$') or '')
  return tool and ok and type(input) == 'table' and { tool = tool, input = input } or nil
end

--- `:JpSaveExample policy TOOL ARGUMENTS`, `:JpSaveExample access TOOL ACCESS`; without arguments the recorded call at the cursor.
function M.save_example(given)
  if given.args == '' then
    local call = recorded_call()
    if call == nil then
      return fail('say which call: `:JpSaveExample policy TOOL ARGUMENTS`, or use it on a line of recorded calls')
    end
    return M.add_example(call)
  end
  local params, problem = explanation(given.args)
  if params == nil then
    return fail(problem)
  elseif params.kind == 'config' then
    return fail('an example is of a call or an access: `:JpSaveExample policy TOOL ARGUMENTS`')
  end
  M.add_example({ tool = params.tool, input = params.input, kind = params.kind })
end

--- `:JpEffectiveConfig`: what all config files make together.
function M.effective_config()
  with_client(function(client)
    local params = { command = 'jp.openEffectiveConfig', arguments = { { workspace = workspace_of(client) } } }
    request(client, 'workspace/executeCommand', params, function(result)
      local content = type(result) == 'table' and result.text or result
      if type(content) == 'string' then
        scratch('jp://effective.toml', content, 'toml')
      end
    end)
  end)
end

--- `:JpChanges [TOOL]`: what is decided otherwise than at the last commit, in a document that the server has shown.
function M.changes(given)
  with_client(function(client)
    local about = { workspace = workspace_of(client), tool = given.args ~= '' and given.args or nil }
    request(client, 'workspace/executeCommand', { command = 'jp.diff.show', arguments = { about } })
  end)
end

--- `:JpTests`: holds the examples beside the rules against them; those that do not hold go to the quickfix list.
function M.tests()
  with_client(function(client)
    request(client, 'jp/tests', { workspace = workspace_of(client) }, function(result)
      if type(result) ~= 'table' then
        return vim.notify('JP: no examples; write what you expect into .jp/policy.tests.toml')
      end
      local items, file = {}, vim.uri_to_fname(result.uri)
      local function add(kind, range, message)
        items[#items + 1] = {
          filename = file,
          lnum = range.start.line + 1,
          col = range.start.character + 1,
          type = kind,
          text = text.one_line(message, 400),
        }
      end
      for _, mistake in ipairs(result.mistakes) do
        add('E', mistake.range, mistake.message)
      end
      for _, case in ipairs(result.cases) do
        if not case.holds and type(case.message) == 'string' then
          add('W', case.range, case.title .. ': ' .. case.message)
        end
      end
      local title = ('JP: %d of %d examples hold'):format(result.held, result.total)
      vim.fn.setqflist({}, ' ', { title = title, items = items })
      vim.notify(title)
      if #items > 0 then
        vim.cmd('botright copen')
      end
    end)
  end)
end

--- `:JpRestart`: stops the server and starts it for the open config files.
function M.restart()
  require('jp.server').restart()
end

return M
