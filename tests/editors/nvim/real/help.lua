--- What helps somebody who is new or stuck: the manual, and the health check.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.copy('tests/editors/turns')

--- What the health check reports, its lines joined.
local function health()
  vim.cmd('checkhealth jp')
  local report = table.concat(t.lines(), '\n')
  vim.cmd.bwipeout()
  return report
end

--- Fails unless a report holds a text.
local function reports(report, text)
  if not report:find(text, 1, true) then
    error(('no `%s` in:\n%s'):format(text, report), 2)
  end
end

t.scenario({
  {
    'every command and every option has its place in the manual',
    function()
      local folder = vim.env.JP_LSP_OUT .. '/manual/doc'
      t.write(folder .. '/jp.txt', t.read(t.repository .. '/neovim-plugin/doc/jp.txt'))
      vim.cmd.helptags(folder)
      local tags = t.read(folder .. '/tags')
      for name in pairs(vim.api.nvim_get_commands({})) do
        if vim.startswith(name, 'Jp') then
          reports(tags, (':%s\t'):format(name))
        end
      end
      for name in pairs(jp.options) do
        reports(t.read(folder .. '/jp.txt'), ('\n`%s`'):format(name))
      end
    end,
  },
  {
    'a server that is not found is an error that says what to do',
    function()
      jp.setup({ cmd = { '/nowhere/jp-lsp' } })
      local report = health()
      reports(report, 'ERROR `/nowhere/jp-lsp` is not executable')
      reports(report, 'require("jp").setup({ cmd = { "/path/to/jp-lsp" } })')
    end,
  },
  {
    'a program that is something else is an error',
    function()
      jp.setup({ cmd = { 'false' } })
      reports(health(), 'ERROR `false --version` fails')
    end,
  },
  {
    'without a server it says how to start one',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      reports(health(), 'no server runs: open a `.jp/config.toml`')
    end,
  },
  {
    'with one it says for which folder, and that nothing runs there yet',
    function()
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.server()
      local report = health()
      reports(report, 'runs for ' .. root)
      reports(report, 'the assistant may not run there: `:JpTrust`')
      vim.cmd.JpTrust()
      reports(health(), 'the assistant may run there')
    end,
  },
  {
    'commands outside of a workspace say what they need',
    function()
      jp.client():stop()
      vim.cmd.enew()
      vim.fn.chdir(t.workspace({ ['readme.md'] = '' }, 'bare'))
      t.wait('no server', function()
        return jp.client() == nil
      end)
      vim.cmd.JpQuery('Hello')
      t.notice('JP: no folder `.jp` here, above or below: `:JpInit` makes one')
      vim.cmd.JpStop()
      t.notice('JP: no turn is running')
      vim.cmd.JpKeep()
      t.notice('JP: no config change was applied since the server started')
      vim.cmd.JpPrompts()
      t.notice('JP: no prompt waits for you')
    end,
  },
})
