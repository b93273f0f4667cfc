--- Arguments that a person changes before a tool runs with them.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.copy('tests/editors/turns')
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

t.scenario({
  {
    'they open as JSON, and what does not fit is refused',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN }, trusted = { root } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.server()
      vim.cmd.JpQuery('Leave a note')
      t.choose('Edit Arguments…')
      t.equal(t.lines(t.buffer('/edit')), { '{', '  "text": "approved"', '}' })
      vim.api.nvim_buf_set_lines(0, 1, 2, false, { '  "text": approved' })
      vim.cmd.write()
      t.notice('JP: the arguments must be a JSON object, such as {"path": "src"}')
      t.equal(t.read(root .. '/notes.txt'), nil)
    end,
  },
  {
    'writing them approves the call with what they are then',
    function()
      vim.api.nvim_buf_set_lines(0, 1, 2, false, { '  "text": "changed"' })
      vim.cmd.write()
      t.says(t.buffer('jp://conversation/'), 'The note is there.')
      t.equal(t.read(root .. '/notes.txt'), 'changed\n')
    end,
  },
})
