--- `:checkhealth jp`
local M = {}

function M.check()
  local health = vim.health
  health.start('jp')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.11 or later is needed', { 'Install a newer Neovim' })
    return
  end
  local config = vim.lsp.config.jp_lsp
  local command = config and config.cmd and config.cmd[1]
  if command == nil or vim.fn.executable(command) == 0 then
    health.error(('`%s` is not executable'):format(tostring(command)), {
      'Install jp-lsp, or name it: require("jp").setup({ cmd = { "/path/to/jp-lsp" } })',
    })
    return
  end
  local version = vim.system({ command, '--version' }, { text = true }):wait(5000)
  if version.code == 0 then
    health.ok(require('jp.text').one_line(vim.trim(version.stdout), 80) .. ' at ' .. vim.fn.exepath(command))
  else
    health.error(('`%s --version` fails'):format(command), { 'Install jp-lsp for this platform' })
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('jp_lsp') then
    health.warn('the server is not enabled', { 'Call require("jp").setup()' })
  end
  local clients = vim.lsp.get_clients({ name = 'jp_lsp' })
  if #clients == 0 then
    health.info('no server runs: open a `.jp/config.toml`')
  end
  for _, client in ipairs(clients) do
    local root = client.root_dir or ''
    health.ok(('server %d runs for %s'):format(client.id, root ~= '' and root or 'no folder'))
    if require('jp').trusts(root) then
      health.info('the assistant may run there')
    else
      health.info('the assistant may not run there: `:JpTrust`')
    end
  end
  local prompts = #require('jp.pending').list()
  if prompts > 0 then
    health.warn(('%d prompts wait'):format(prompts), { ':JpPrompts' })
  end
end

return M
