--- What is known of rules beside their text: examples that do not hold, and recorded calls.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local config = [[
[conversation.tools.read]
source = "local"
command = "cat"
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src", mode = "unattended" },
    { mode = "ask" },
]
]]

local examples = [=[
[[case]]
tool = "read"
call = { path = "src/a" }
run = "unattended"

[[case]]
name = "documents are skipped"
tool = "read"
call = { path = "docs" }
run = "skip"
]=]

local call = { type = 'tool_call_request', id = 'c', name = 'read', arguments = { path = 'src/a' } }
call.timestamp = '2020-01-02 03:04:05.5'

local root = t.workspace({
  ['.jp/config.toml'] = config,
  ['.jp/policy.tests.toml'] = examples,
  ['.jp/conversations/17636666521-first/events.json'] = vim.json.encode({ call }),
})

t.scenario({
  {
    'examples that do not hold are in the quickfix list',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.server()
      vim.cmd.JpTests()
      local list = t.wait('the list', function()
        local list = vim.fn.getqflist({ title = 0, items = 0 })
        return #list.items > 0 and list
      end)
      t.equal(list.title, 'JP: 1 of 2 examples hold')
      t.equal(#list.items, 1)
      t.equal({ list.items[1].lnum, list.items[1].type }, { 6, 'W' })
      t.equal(
        list.items[1].text,
        'documents are skipped: run: expected `skip`, decided `ask` by rule 2 at .jp/config.toml:7'
      )
      t.equal(vim.fs.basename(vim.api.nvim_buf_get_name(list.items[1].bufnr)), 'policy.tests.toml')
      vim.cmd.cclose()
    end,
  },
  {
    'a call is saved as an example, in a file that the person writes',
    function()
      vim.cmd('JpSaveExample policy read {"path": "src/new"}')
      local buffer = t.wait('the file', function()
        local name = vim.fs.basename(vim.api.nvim_buf_get_name(0))
        return name == 'policy.tests.toml' and vim.api.nvim_get_current_buf()
      end)
      local lines = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
      local added = '\n\n[[case]]\ntool = "read"\ncall = { path = "src/new" }\nrun = "unattended"'
      t.equal(vim.endswith(vim.trim(lines), added), true)
      t.equal(vim.bo[buffer].modified, true)
      t.equal(table.concat(vim.fn.readfile(root .. '/.jp/policy.tests.toml'), '\n'):find('src/new', 1, true), nil)
      vim.cmd('silent edit!')
      vim.cmd.edit(root .. '/.jp/config.toml')
    end,
  },
  {
    'a line above a rule says how many recorded calls it decided, and lists them',
    function()
      local function lens()
        for _, found in ipairs(vim.lsp.codelens.get(0)) do
          local command = found.lens ~= nil and found.lens.command or found.command
          if command ~= nil and command.command == 'jp.history.show' then
            return command
          end
        end
      end
      local command = t.wait('the lens', function()
        vim.lsp.codelens.refresh({ bufnr = 0 })
        return lens()
      end)
      t.equal(vim.startswith(command.title, 'decided 1 of 1 call, last '), true)
      jp.client():exec_cmd(command)
      local listed = t.wait('the calls', function()
        local name = vim.fs.basename(vim.api.nvim_buf_get_name(0))
        return name == 'calls-read.md' and t.lines()
      end)
      t.equal(listed[1], '# `read`: calls that rule 1 decides')
      -- What is on record is saved from its line.
      vim.fn.search('src/a')
      vim.cmd.JpSaveExample()
      t.wait('the server', function()
        return vim.tbl_contains(t.notices, 'JP: `.jp/policy.tests.toml` asks this already, in line 1')
      end)
    end,
  },
})
