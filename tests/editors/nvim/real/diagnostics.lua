--- Diagnostics of the real server as a person meets them: they appear while typing, move with the text, and vanish.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local sample = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.env.JP_NVIM_DRIVER))) .. '/workspaces/sample'
local files = {}
for name, kind in vim.fs.dir(sample, { depth = 5 }) do
  if kind == 'file' then
    files[name] = table.concat(vim.fn.readfile(sample .. '/' .. name), '\n')
  end
end
local root = t.workspace(files)
local config = root .. '/.jp/config.toml'
local tool = root .. '/.jp/tools/edit_file.toml'

--- What is shown of a buffer: line, first column, code.
local function shown(buffer)
  return vim.tbl_map(function(it)
    return { it.lnum, it.col, it.code }
  end, vim.diagnostic.get(buffer))
end

--- Waits until exactly this is shown.
local function shows(buffer, expected)
  local ok, err = pcall(t.wait, 'diagnostics', function()
    return vim.deep_equal(shown(buffer), expected)
  end)
  if not ok then
    error(('%s\nshown %s\nexpected %s'):format(err, vim.inspect(shown(buffer)), vim.inspect(expected)), 2)
  end
end

--- Types in normal mode, as keys.
local function keys(text)
  vim.api.nvim_feedkeys(vim.keycode(text), 'tx', false)
end

local function attached()
  t.wait('the server', function()
    return jp.client() and jp.client().initialized
  end)
end

--- The line, counted from 0, that holds a text.
local function line(buffer, text)
  for number, it in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if it:find(text, 1, true) then
      return number - 1
    end
  end
  error('no line with ' .. text, 2)
end

local buffer

t.scenario({
  {
    'a clean workspace shows nothing',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(config)
      buffer = vim.api.nvim_get_current_buf()
      attached()
      t.equal(jp.client().root_dir, root)
      shows(buffer, {})
    end,
  },
  {
    'a mistake appears as it is typed',
    function()
      keys('Go<CR>[conversation.tools.edit_file]<CR>summery = "x"<Esc>')
      shows(buffer, { { line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'it moves with its line',
    function()
      keys('ggO# one<CR># two<Esc>')
      shows(buffer, { { line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'a rule that is never reached appears, behind characters that are wide',
    function()
      keys('/src"<CR>O{ arg = "/path", prefix = "ä𝄞", mode = "ask" }, { arg = "/path", prefix = "ä𝄞/x", mode = "skip" },<Esc>')
      local row = line(buffer, 'ä𝄞')
      local column = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1]:find('{ arg', 20, true) - 1
      t.wait('the rule', function()
        return vim.deep_equal(shown(buffer)[1], { row, column, 'rule-shadowed' })
      end)
      vim.api.nvim_buf_set_lines(buffer, row, row + 1, false, {})
      shows(buffer, { { line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'an edit of the tool in another buffer is shown here',
    function()
      vim.cmd.edit(tool)
      local other = vim.api.nvim_get_current_buf()
      local row = line(other, 'parameters.path')
      local before = vim.api.nvim_buf_get_lines(other, row, row + 1, false)
      vim.api.nvim_buf_set_lines(other, row, row + 1, false, { (before[1]:gsub('parameters.path', 'parameters.file')) })
      t.wait('what no longer resolves', function()
        return #shown(buffer) > 1 and shown(buffer)[1][3] == 'arg-unresolved'
      end)
      vim.api.nvim_buf_set_lines(other, row, row + 1, false, before)
      vim.cmd.buffer(buffer)
      shows(buffer, { { line(buffer, 'summery'), 0, 'unknown-key' } })
    end,
  },
  {
    'it vanishes when it is put right',
    function()
      vim.cmd.buffer(buffer)
      keys('/summery<CR>cesummary<Esc>')
      shows(buffer, {})
    end,
  },
})
