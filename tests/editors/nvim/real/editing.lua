--- Writing config with the editor's own keys: messages, fixes, hover, completion, against the real server.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.copy('tests/workspaces/sample')
local tool = root .. '/.jp/tools/switch_model.toml'

--- The window that floats, if one does.
local function float()
  return vim.iter(vim.api.nvim_list_wins()):find(function(window)
    return vim.api.nvim_win_get_config(window).relative ~= ''
  end)
end

--- What a float says, which is closed then.
local function floated()
  local window = t.wait('a float', float)
  local lines = t.lines(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_close(window, true)
  return lines
end

--- Puts the cursor on the first place of a text.
local function go_to(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.equal({ text, vim.fn.search('\\V' .. text, 'cW') > 0 }, { text, true })
end

t.scenario({
  {
    'a mistake is reported with what to write instead',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(tool)
      t.wait('the server', function()
        return jp.client() and jp.client().initialized
      end)
      t.reports(0, {})
      go_to('assistant.model.id')
      t.keys('ci"conversation.tools<Esc>')
      t.reports(0, { { t.line(0, 'write = true'), 8, 'sensitive-write' } })
      go_to('write = true')
      vim.diagnostic.open_float()
      t.equal(
        table.concat(floated(), '\n'),
        table.concat({
          'Diagnostics:',
          '1. tool `switch_model` grants `write = true` to path `conversation.tools`, which overlaps the sensitive path '
            .. '`conversation.tools.*.access`; use `write = "insecure_allow"` to explicitly acknowledge this grant',
          '   through this path the tool can grant itself any access [sensitive-write]',
        }, '\n')
      )
    end,
  },
  {
    'the fix for it is applied, and it is reported no more',
    function()
      vim.lsp.buf.code_action()
      t.choose('Write "insecure_allow": the tool may then grant itself any access')
      t.reports(0, {})
      t.equal(t.lines()[t.line(0, 'write =') + 1], 'write = "insecure_allow"')
    end,
  },
  {
    'it is undone like any other change',
    function()
      vim.cmd.undo()
      t.equal(t.lines()[t.line(0, 'write =') + 1], 'write = true')
      t.reports(0, { { t.line(0, 'write = true'), 8, 'sensitive-write' } })
    end,
  },
  {
    'hovering an access rule says what it grants',
    function()
      go_to('conversation.tools"')
      vim.lsp.buf.hover()
      local lines = floated()
      t.equal({ lines[1], lines[3] }, {
        '`conversation.tools.switch_model.access.config[0].path`',
        'Rule 1 of 1: `switch_model` may read and change config at and below `conversation.tools`.',
      })
      t.equal(vim.tbl_contains(lines, '- A human confirms each change.'), true)
    end,
  },
})
