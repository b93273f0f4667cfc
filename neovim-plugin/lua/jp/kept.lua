--- The config changes that a person applied to a conversation, and how one is kept in a config file.
---
--- Nothing is kept by itself: `:JpKeep` asks the server for the edit, which is undone like any other.
local text = require('jp.text')

local M = {}

---@class jp.Applied
---@field client integer
---@field conversation string
---@field call string
---@field tool string
---@field paths string What it changes.

---@type jp.Applied[]
local applied = {}

--- Remembers a change that a person applied, and says how it is kept.
---@param waited jp.Waiting
function M.remember(waited)
  local prompt = waited.prompt
  local paths = vim.tbl_map(function(change)
    return change.path
  end, prompt.delta.changes)
  table.insert(applied, {
    client = waited.client,
    conversation = prompt.conversation,
    call = prompt.tool.callId,
    tool = prompt.tool.name,
    paths = table.concat(paths, ', '),
  })
  vim.notify('JP: applied to this conversation — :JpKeep writes it into a config file')
end

--- The changes that a server could still write, the last one first.
---@return jp.Applied[]
function M.list()
  return vim
    .iter(applied)
    :filter(function(it)
      return vim.lsp.get_client_by_id(it.client) ~= nil
    end)
    :rev()
    :totable()
end

--- A change in one line.
---@param change jp.Applied
---@return string
function M.describe(change)
  return ('%s: %s'):format(text.one_line(change.tool, 60), text.one_line(change.paths, 160))
end

--- Writes a change into a config file; without one into `.jp/config.toml`.
---@param change jp.Applied
---@param file string? A path.
function M.keep(change, file)
  local client = vim.lsp.get_client_by_id(change.client)
  if client == nil then
    vim.notify('JP: the server that knew this change has ended', vim.log.levels.ERROR)
    return
  end
  local argument = {
    conversation = change.conversation,
    callId = change.call,
    file = file and vim.uri_from_fname(vim.fs.normalize(vim.fn.fnamemodify(file, ':p'))) or nil,
  }
  local params = { command = 'jp.delta.persist', arguments = { argument } }
  client:request('workspace/executeCommand', params, function(err, result)
    if err then
      vim.notify('JP: ' .. text.one_line(err.message), vim.log.levels.ERROR)
      return
    end
    M.report(result)
  end)
end

--- Says what was written, and what was not.
---@param result { file: string, applied: boolean, leftOut: { path: string, reason: string }[] }
function M.report(result)
  local name = text.one_line(vim.fn.fnamemodify(vim.uri_to_fname(result.file), ':~:.'))
  if result.applied then
    vim.notify(('JP: kept in %s; `u` there undoes it'):format(name))
  else
    vim.notify(('JP: the edit of %s was not applied'):format(name), vim.log.levels.WARN)
  end
  for _, left_out in ipairs(result.leftOut or {}) do
    local what, why = text.one_line(left_out.path, 120), text.one_line(left_out.reason, 200)
    vim.notify(('JP: not kept: %s: %s'):format(what, why), vim.log.levels.WARN)
  end
end

return M
