--- Config in Neovim, against the real server.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.workspace({
  ['.jp/config.toml'] = '[assistant]\nnaem = "one"\n',
  ['Cargo.toml'] = '[package]\nnaem = "one"\n',
})

local function found()
  return vim.tbl_map(function(it)
    return { it.lnum, it.col, it.code, it.message, it.source }
  end, vim.diagnostic.get(0))
end

t.scenario({
  {
    'a misspelled key is reported where it stands',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.wait('a diagnostic', function()
        return #found() > 0
      end)
      t.equal(found(), { { 1, 0, 'unknown-key', 'unknown key `naem`, did you mean `name`?', 'jp' } })
      t.equal(jp.client().root_dir, root)
    end,
  },
  {
    'diagnostics follow the text',
    function()
      vim.api.nvim_buf_set_text(0, 1, 0, 1, 4, { 'name' })
      t.wait('no diagnostic', function()
        return #found() == 0
      end)
      vim.api.nvim_buf_set_text(0, 1, 0, 1, 4, { 'naem' })
      t.wait('the diagnostic', function()
        return #found() == 1
      end)
    end,
  },
  {
    'other TOML files of the workspace are left alone',
    function()
      vim.cmd.edit({ root .. '/Cargo.toml', bang = true })
      t.equal(#vim.lsp.get_clients({ bufnr = 0 }), 0)
    end,
  },
  {
    'health names the server',
    function()
      vim.cmd('checkhealth jp')
      local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      t.equal(report:find('ERROR', 1, true), nil)
      t.equal(report:find('runs for ' .. root, 1, true) ~= nil, true)
    end,
  },
})
