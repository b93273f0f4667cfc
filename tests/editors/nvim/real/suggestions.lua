--- A rule from a prompt and from what was approved: chosen, written into the buffer, in effect, and undone with one undo.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local config = [[
[assistant]
model.id = "test/scripted"

[conversation.tools.'*']
run = "ask"

[conversation.tools.read]
source = "local"
command = { program = "printf", args = ["read"] }
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "secrets", mode = "skip" },
    { mode = "ask" },
]
]]

local script = [=[
[[cycles]]
batches = [[
    { tool_call = { id = "c1", name = "read", arguments = { path = "docs/a.md" } } },
    { tool_call = { id = "c2", name = "read", arguments = { path = "docs/b.md" } } },
]]
[[cycles]]
batches = [[{ text = "Both are read." }]]
[[cycles]]
batches = [[{ tool_call = { id = "c3", name = "read", arguments = { path = "docs/c.md" } } }]]
[[cycles]]
batches = [[{ text = "The third is read." }]]
[[cycles]]
batches = [[{ tool_call = { id = "c4", name = "read", arguments = { path = "lib/d.rs" } } }]]
[[cycles]]
batches = [[{ text = "The last is read." }]]
]=]

local root = t.workspace({ ['.jp/config.toml'] = config, ['script.toml'] = script })
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

local function buffer()
  return vim.fn.bufnr(root .. '/.jp/config.toml')
end

local function text()
  return table.concat(t.lines(buffer()), '\n') .. '\n'
end

local rule = '    { arg = "/path", prefix = "docs", mode = "unattended" },\n'
local with_rule = config:gsub('    { mode = "ask" },\n', function(asks)
  return rule .. asks
end)

local function ends_with(words)
  t.says(t.buffer('jp://conversation/'), words)
  t.wait('the turn to end', function()
    return jp.status() == 'JP'
  end)
  t.equal(#t.selected, 0)
end

t.scenario({
  {
    'a rule is picked at a prompt, and both calls run',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.server()
      vim.cmd.JpTrust()
      vim.cmd.JpQuery('Read both')
      t.choose('Always run calls like this…')
      t.choose('2: path in docs')
      t.choose('Write into .jp/config.toml')
      ends_with('Both are read.')
      t.equal(text(), with_rule)
      t.equal(t.read(root .. '/.jp/config.toml'), config)
    end,
  },
  {
    'the next call like them asks no more',
    function()
      vim.cmd('JpQuery! Read the third')
      ends_with('The third is read.')
    end,
  },
  {
    'one undo takes the rule back',
    function()
      vim.api.nvim_buf_call(buffer(), function()
        vim.cmd.undo()
      end)
      t.equal(text(), config)
    end,
  },
  {
    'what was approved becomes an action on the tool',
    function()
      vim.cmd('JpQuery! Read the last')
      t.choose('Run')
      ends_with('The last is read.')
      vim.cmd.drop(root .. '/.jp/config.toml')
      vim.api.nvim_win_set_cursor(0, { t.line(0, '[conversation.tools.read]') + 1, 0 })
      local title = t.wait('the action', function()
        local params = vim.lsp.util.make_range_params(0, 'utf-16')
        params.context = { diagnostics = {} }
        local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', params, 5000)
        for _, answer in pairs(answers or {}) do
          for _, action in ipairs(answer.result or {}) do
            if vim.startswith(action.title, 'Suggest rules from ') then
              return action.title
            end
          end
        end
      end)
      vim.lsp.buf.code_action({
        apply = true,
        filter = function(action)
          return action.title == title
        end,
      })
      t.choose('Cancel')
      t.equal(text(), config)
    end,
  },
})
