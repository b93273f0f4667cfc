--- Which workspace is meant, and its server.
local text = require('jp.text')

local M = {}

--- What was chosen in a working directory below which several workspaces lie.
---@type table<string, string>
local chosen = {}

--- Starts the server of a folder, unless it runs.
---@param root string
---@return vim.lsp.Client?
local function server_of(root)
  local config = vim.tbl_extend('force', vim.lsp.config.jp_lsp, { name = 'jp_lsp', root_dir = root })
  local id = vim.lsp.start(config, { attach = false })
  return id and vim.lsp.get_client_by_id(id)
end

--- The current file; what the plugin shows is none.
---@return string?
local function file()
  local name = vim.api.nvim_buf_get_name(0)
  return vim.bo.buftype == '' and name ~= '' and vim.fs.normalize(name) or nil
end

--- The server that the current buffer has to do with: it checks the file, or runs the conversation that is shown.
---@return vim.lsp.Client?
local function of_buffer()
  local attached = vim.lsp.get_clients({ name = 'jp_lsp', bufnr = 0 })[1]
  return attached or require('jp.conversation').client_of(vim.api.nvim_get_current_buf())
end

--- Calls back with the workspaces below a folder, which the server finds.
---@param folder string
---@param callback fun(found: { uri: string, name: string }[]?, problem: string?)
local function below(folder, callback)
  local client = server_of(folder)
  if client == nil then
    return callback(nil, 'the server does not start: see `:checkhealth jp`')
  end
  client:request('jp/workspaces', vim.empty_dict(), function(err, found)
    -- Nothing else is asked of a folder that is no workspace.
    client:stop()
    if err and err.code ~= vim.lsp.protocol.ErrorCodes.MethodNotFound then
      return callback(nil, err.message or vim.inspect(err))
    end
    callback(type(found) == 'table' and found or {})
  end)
end

--- `:JpInit`: writes a first config into the working directory, unless it has one, and opens it.
function M.init()
  local client = server_of(vim.fs.normalize(vim.fn.getcwd()))
  if client == nil then
    return vim.notify('JP: the server does not start: see `:checkhealth jp`', vim.log.levels.ERROR)
  end
  local here = vim.uri_from_fname(client.root_dir)
  local params = { command = 'jp.config.create', arguments = { { workspace = here } } }
  client:request('workspace/executeCommand', params, function(err, result)
    if err then
      return vim.notify('JP: ' .. text.one_line(err.message or vim.inspect(err)), vim.log.levels.ERROR)
    end
    vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(result.file)))
    if not result.created then
      vim.notify('JP: this folder has a .jp/config.toml already')
    end
  end)
end

--- Calls back with the server of the workspace that is meant, or with what stands in the way; not at all where the person chooses none.
---@param callback fun(client: vim.lsp.Client?, problem: string?)
function M.with_client(callback)
  local function start(root)
    local client = server_of(root)
    callback(client, client == nil and 'the server does not start: see `:checkhealth jp`' or nil)
  end
  local cwd = vim.fs.normalize(vim.fn.getcwd())
  local here, other = file(), require('jp').client()
  -- A file that lies elsewhere, such as one that a server has shown, says as little as none.
  local is_of_cwd = here ~= nil and vim.fs.relpath(cwd, here) ~= nil
  local known = of_buffer()
  local root = here and vim.fs.root(here, '.jp')
  if known or (other and root == nil and not is_of_cwd) then
    return callback(known or other)
  end
  root = root or vim.fs.root(cwd, '.jp') or chosen[cwd]
  if root then
    return start(root)
  end
  below(cwd, function(found, problem)
    if found == nil then
      return callback(nil, problem)
    elseif #found == 1 then
      return start(vim.uri_to_fname(found[1].uri))
    elseif #found == 0 then
      return callback(other, 'no folder `.jp` here, above or below: `:JpInit` makes one')
    end
    vim.ui.select(found, {
      prompt = 'Which workspace is this about?',
      kind = 'jp_workspace',
      format_item = function(item)
        return text.one_line(item.name, 200)
      end,
    }, function(item)
      if item then
        chosen[cwd] = vim.uri_to_fname(item.uri)
        start(chosen[cwd])
      end
    end)
  end)
end

return M
