--- jp-lsp in Neovim 0.11 and later: prompts, conversations, trust.
---
--- ```lua
--- require('jp').setup({ trusted = { '~/projects/mine' } })
--- ```
local M = {}

---@class jp.Options
---@field cmd string[] How the server is started.
---@field trusted boolean|string[]|fun(root: string): boolean Where the assistant may run. Default: nowhere until `:JpTrust`.
---@field dialect 'rfd'|'released' Which `jp` the config is written for.
---@field include string[] Lua patterns of paths of further config files.
---@field open_prompts boolean Whether prompts open by themselves when nobody is typing.
M.options = {
  cmd = { 'jp-lsp' },
  trusted = false,
  dialect = 'rfd',
  include = {},
  open_prompts = true,
}

--- Sets options and enables the server. Options that are left out keep their defaults.
---@param options jp.Options?
function M.setup(options)
  M.options = vim.tbl_extend('force', M.options, options or {})
  vim.lsp.config('jp_lsp', { cmd = M.options.cmd })
  -- What runs without asking, and grants of everything.
  vim.api.nvim_set_hl(0, '@lsp.mod.permissive', { default = true, link = 'DiagnosticUnderlineWarn' })
  vim.lsp.enable('jp_lsp')
end

--- The workspaces that `:JpTrust` was said for; a server that is started again is told.
---@type table<string, true>
local granted = {}

--- Trusts a workspace until the editor ends.
---@param root string
function M.remember_trust(root)
  granted[vim.fs.normalize(root)] = true
end

--- Whether a workspace is trusted, by the options or by `:JpTrust`.
---@param root string
---@return boolean
function M.trusts(root)
  if granted[vim.fs.normalize(root)] then
    return true
  end
  local trusted = M.options.trusted
  if type(trusted) == 'function' then
    return trusted(root) == true
  elseif type(trusted) == 'table' then
    return vim.iter(trusted):any(function(folder)
      return vim.fs.normalize(folder) == vim.fs.normalize(root)
    end)
  end
  return trusted == true
end

--- Whether a file is config of `jp`.
---@param path string
---@return boolean
function M.is_config(path)
  path = vim.fs.normalize(path)
  local patterns = vim.list_extend({ '/%.jp/.*%.toml$', '/%.jp%.toml$' }, M.options.include)
  return vim.iter(patterns):any(function(pattern)
    return path:find(pattern) ~= nil
  end)
end

--- The running server, one for the current workspace first.
---@return vim.lsp.Client?
function M.client()
  local here = vim.lsp.get_clients({ name = 'jp_lsp', bufnr = 0 })[1]
  return here or vim.lsp.get_clients({ name = 'jp_lsp' })[1]
end

--- For a statusline: prompts that wait, turns that run; empty without a server. Holds no text of tools or models.
---@return string
function M.status()
  if M.client() == nil then
    return ''
  end
  local prompts = #require('jp.pending').list()
  if prompts > 0 then
    return ('JP: %d %s'):format(prompts, prompts == 1 and 'prompt' or 'prompts')
  end
  return next(require('jp.conversation').running) and 'JP: running' or 'JP'
end

return M
