--- Writing config with the editor's own keys: messages, fixes, hover, completion, against the real server.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local root = t.copy('tests/workspaces/sample')
local tool = root .. '/.jp/tools/switch_model.toml'

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
      t.server()
      t.reports(0, {})
      go_to('assistant.model.id')
      t.keys('ci"conversation.tools<Esc>')
      t.reports(0, { { t.line(0, 'write = true'), 8, 'sensitive-write' } })
      go_to('write = true')
      vim.diagnostic.open_float()
      t.equal(
        table.concat(t.floated(), '\n'),
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
      local lines = t.floated()
      t.equal({ lines[1], lines[3] }, {
        '`conversation.tools.switch_model.access.config #1.path`',
        'Rule 1 of 1: `switch_model` may read and change config at and below `conversation.tools`.',
      })
      t.equal(vim.tbl_contains(lines, '- A human confirms each change.'), true)
    end,
  },
  {
    'what would be decided about a call is explained',
    function()
      vim.cmd.edit({ root .. '/.jp/config.toml', bang = true })
      t.reports(0, {})
      vim.cmd('JpExplain policy edit_file {"path": "src/a.rs", "text": "x"}')
      t.says(t.buffer('jp://explanation'), 'runs without asking')
      vim.cmd('JpExplain policy edit_file path=docs/a.md text=x')
      t.says(t.buffer('jp://explanation'), 'asks')
      vim.cmd('JpExplain access edit_file {"fs": {"capability": "update", "path": "docs"}}')
      t.says(t.buffer('jp://explanation'), 'may not')
      vim.cmd('JpExplain assistant.model.id')
      t.says(t.buffer('jp://explanation'), 'sonnet')
      vim.cmd('JpExplain policy edit_file {')
      t.notice('JP: `{` cannot be read, write for example path=src/a.rs or {"path": "src/a.rs"}')
    end,
  },
})
