--- What the commands do.
local text = require('jp.text')

local M = {}

local function fail(message)
  vim.notify('JP: ' .. text.one_line(message), vim.log.levels.ERROR)
end

--- Calls back with the server, starting it when the workspace has config and no config file is open.
local function with_client(callback)
  local jp = require('jp')
  local client = jp.client()
  if client then
    return callback(client)
  end
  local root = vim.fs.root(0, '.jp') or vim.fs.root(vim.fn.getcwd(), '.jp')
  if root == nil then
    return fail('no folder `.jp` here or above: open a file of a workspace that has one')
  end
  local config = vim.tbl_extend('force', vim.lsp.config.jp_lsp, { name = 'jp_lsp', root_dir = root })
  local id = vim.lsp.start(config, { attach = false })
  client = id and vim.lsp.get_client_by_id(id)
  if client == nil then
    return fail('the server does not start: see `:checkhealth jp`')
  end
  callback(client)
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

--- `:JpQuery`: starts a conversation, with `!` continues the last; a range is what the query is about.
function M.query(given)
  local conversation = require('jp.conversation')
  local about
  if given.range > 0 then
    local lines = vim.api.nvim_buf_get_lines(0, given.line1 - 1, given.line2, false)
    local path = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':.')
    about = ('`%s`, lines %d to %d:\n\n%s'):format(path, given.line1, given.line2, fenced(lines))
  end
  if given.bang and conversation.last == nil then
    return fail('there is no conversation to continue: run `:JpQuery` without `!`')
  end
  local function start(query)
    if query == nil or vim.trim(query) == '' then
      return
    end
    with_client(function(client)
      local params = {
        text = about and ('%s\n\n%s\n'):format(query, about) or query,
        conversation = given.bang and conversation.last or 'new',
        workspace = client.root_dir and vim.uri_from_fname(client.root_dir) or nil,
      }
      request(client, 'jp/query/start', params, function(result)
        conversation.last = result.conversation
        conversation.running[result.conversation] = true
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

--- `:JpStop`: ends the running turn.
function M.stop()
  local running = vim.tbl_keys(require('jp.conversation').running)
  table.sort(running)
  if #running == 0 then
    return fail('no turn is running')
  end
  with_client(function(client)
    for _, id in ipairs(running) do
      request(client, 'jp/query/cancel', { conversation = id })
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

--- `:JpTrust`: lets the assistant run in this workspace until the editor ends.
function M.trust()
  with_client(function(client)
    client:notify('jp/trustGranted', vim.empty_dict())
    vim.notify('JP: the assistant may run in ' .. text.one_line(client.root_dir or 'this workspace'))
  end)
end

--- `:JpExplain PATH`: the effective value of a config path and the files that set it.
function M.explain(given)
  with_client(function(client)
    request(client, 'jp/explain', { kind = 'config', input = given.args }, function(result)
      scratch('jp://explanation', vim.json.encode(result, { indent = '  ' }), 'json')
    end)
  end)
end

--- `:JpEffectiveConfig`: what all config files make together.
function M.effective_config()
  with_client(function(client)
    local params = { command = 'jp.openEffectiveConfig', arguments = { { uri = vim.uri_from_bufnr(0) } } }
    request(client, 'workspace/executeCommand', params, function(result)
      local content = type(result) == 'table' and result.text or result
      if type(content) == 'string' then
        scratch('jp://effective.toml', content, 'toml')
      end
    end)
  end)
end

--- `:JpRestart`: stops the server and starts it for the open config files.
function M.restart()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'jp_lsp' })) do
    client:stop(true)
  end
  vim.wait(3000, function()
    return #vim.lsp.get_clients({ name = 'jp_lsp' }) == 0
  end, 20)
  vim.lsp.enable('jp_lsp', false)
  vim.lsp.enable('jp_lsp')
end

return M
