--- Diagnostics of the real server as a person meets them: they appear while typing, move with the text, and vanish.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.copy('tests/workspaces/sample')
local config = root .. '/.jp/config.toml'
local tool = root .. '/.jp/tools/edit_file.toml'

local buffer

t.scenario({
  {
    'a clean workspace shows nothing',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(config)
      buffer = vim.api.nvim_get_current_buf()
      t.server()
      t.equal(jp.client().root_dir, root)
      t.reports(buffer, {})
    end,
  },
  {
    'a mistake appears as it is typed',
    function()
      t.keys('Go<CR>[conversation.tools.edit_file]<CR>summery = "x"<Esc>')
      t.reports(buffer, { { t.line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'it moves with its line',
    function()
      t.keys('ggO# one<CR># two<Esc>')
      t.reports(buffer, { { t.line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'a rule that is never reached appears, behind characters that are wide',
    function()
      t.keys(
        '/src"<CR>O{ arg = "/path", prefix = "ä𝄞", mode = "ask" }, { arg = "/path", prefix = "ä𝄞/x", mode = "skip" },<Esc>'
      )
      local row = t.line(buffer, 'ä𝄞')
      local column = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]:find('{ arg', 20, true) - 1
      t.wait('the rule', function()
        return vim.deep_equal(t.reported(buffer)[1], { row, column, 'rule-shadowed' })
      end)
      vim.api.nvim_buf_set_lines(buffer, row, row + 1, false, {})
      t.reports(buffer, { { t.line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'an edit of the tool in another buffer is shown here',
    function()
      vim.cmd.edit(tool)
      local other = vim.api.nvim_get_current_buf()
      local row = t.line(other, 'parameters.path')
      local before = vim.api.nvim_buf_get_lines(other, row, row + 1, false)
      vim.api.nvim_buf_set_lines(other, row, row + 1, false, { (before[1]:gsub('parameters.path', 'parameters.file')) })
      t.wait('what no longer resolves', function()
        return #t.reported(buffer) > 1 and t.reported(buffer)[1][3] == 'arg-unresolved'
      end)
      vim.api.nvim_buf_set_lines(other, row, row + 1, false, before)
      vim.cmd.buffer(buffer)
      t.reports(buffer, { { t.line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'it vanishes when it is put right',
    function()
      vim.cmd.buffer(buffer)
      t.keys('/summery<CR>cesummary<Esc>')
      t.reports(buffer, {})
    end,
  },
})
