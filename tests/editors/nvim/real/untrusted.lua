--- A workspace that nobody trusts: it is analysed, and nothing of it runs.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.copy('tests/editors/turns')
-- Whatever of the config ran, it would leave this trace.
t.write(
  root .. '/.jp/config.toml',
  (t.read(root .. '/.jp/config.toml'):gsub('"sh"', '"./leaves_a_trace.sh"')) .. 'oops = 1\n'
)
t.write(root .. '/leaves_a_trace.sh', '#!/bin/sh\necho >> trace.txt\n')
vim.uv.fs_chmod(root .. '/leaves_a_trace.sh', 493)
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

t.scenario({
  {
    'its config is checked',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN }, trusted = { '~/elsewhere' } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      -- Unlike a shell, a program that nobody knows might take the model's words for an option.
      t.reports(0, {
        { t.line(0, 'leave_note.sh'), 77, 'command-template' },
        { t.line(0, 'oops'), 0, 'unknown-key' },
      })
    end,
  },
  {
    'a query asks for trust first, and goes nowhere without',
    function()
      vim.cmd.JpQuery('Leave a note')
      local list = t.choose('Do not run anything')
      t.equal(list.prompt, 'May the assistant run tools in ' .. root .. '?')
      t.equal(list.labels, { 'Do not run anything', 'Trust this workspace until Neovim ends' })
      t.equal(#t.selected, 0)
    end,
  },
  {
    'a query that does not ask is refused by the server',
    function()
      local refused
      jp.client()
        :exec_cmd({ command = 'jp.query', arguments = { { text = 'Leave a note' } } }, { bufnr = 0 }, function(err)
          refused = err
        end)
      t.wait('an answer', function()
        return refused
      end)
      t.equal(refused.message, 'the workspace is not trusted: nothing runs in it before a person says so')
    end,
  },
  {
    'nothing ran, and nothing was recorded',
    function()
      t.equal(t.read(root .. '/trace.txt'), nil)
      -- What diagnostics mean is written there for links to open, and nothing else.
      t.equal(vim.fn.readdir(vim.env.JP_LSP_DATA_DIR), { 'pages' })
    end,
  },
  {
    'put right and trusted, it leaves its trace',
    function()
      t.keys('Gdd')
      vim.cmd.write()
      vim.cmd.JpQuery('Leave a note')
      t.choose('Trust this workspace until Neovim ends')
      t.choose('Run')
      t.says(t.buffer('jp://conversation/'), 'The note is there.')
      t.equal(t.read(root .. '/trace.txt'), '\n')
    end,
  },
})
