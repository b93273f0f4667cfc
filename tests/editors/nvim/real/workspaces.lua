--- Two workspaces in one editor: each has its server, its trust, its prompts and its conversations.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local one, two = t.copy('tests/editors/turns', 'one'), t.copy('tests/editors/turns', 'two')
vim.env.JP_LSP_TEST_SCRIPT = one .. '/script.toml'

local function go_to(root)
  vim.cmd.edit(root .. '/.jp/config.toml')
  return t.server()
end

t.scenario({
  {
    'each has a server of its own',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      t.equal({ go_to(one).root_dir, go_to(two).root_dir }, { one, two })
      t.equal(jp.client().root_dir, two)
    end,
  },
  {
    'the trust in one is no trust in the other',
    function()
      vim.cmd.JpTrust()
      go_to(one)
      vim.cmd.JpQuery('Leave a note')
      t.equal(t.choose('Do not run anything').prompt, ('May the assistant run tools in %s?'):format(one))
      vim.cmd.JpTrust()
    end,
  },
  {
    'both ask at the same time, and each answer goes where it belongs',
    function()
      vim.cmd.JpQuery('Leave a note')
      t.choose(nil)
      go_to(two)
      vim.cmd.JpQuery('Leave a note')
      t.choose(nil)
      t.equal(jp.status(), 'JP: 2 prompts')
      vim.cmd.JpPrompts()
      t.choose('Run local leave_note tool?')
      t.choose('Run')
      t.wait('the first note', function()
        return t.read(one .. '/notes.txt')
      end)
      t.equal(t.read(two .. '/notes.txt'), nil)
      -- The other one opens by itself then.
      t.choose('Reject')
      t.wait('the turns to end', function()
        return jp.status() == 'JP'
      end)
      t.equal(t.read(two .. '/notes.txt'), nil)
    end,
  },
  {
    'what ends one server leaves the other alone',
    function()
      vim.cmd('JpQuery! Leave another')
      t.choose(nil)
      local other = vim.lsp.get_clients({ name = 'jp_lsp' })[1]
      t.equal(other.root_dir, one)
      other:stop()
      t.wait('one server', function()
        return #vim.lsp.get_clients({ name = 'jp_lsp' }) == 1
      end)
      t.equal(jp.status(), 'JP: 1 prompt')
      vim.cmd.JpStop()
      t.notice('JP: asked no more: Run local leave_note tool?')
    end,
  },
})
