--- What became of a tool since the last commit: a line above it, and how as a document.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local config = [[
[conversation.tools.read]
source = "local"
command = "cat"
parameters.path = { type = "path", required = true }
policy.run = [
    { arg = "/path", prefix = "src/a", mode = "unattended" },
    { mode = "ask" },
]
]]

local root = t.workspace({ ['.jp/config.toml'] = config })
local path = root .. '/.jp/config.toml'

local function git(...)
  local who = { 'git', '-c', 'user.name=n', '-c', 'user.email=e@example.com', '-c', 'commit.gpgsign=false' }
  local done = vim.system(vim.list_extend(who, { ... }), { cwd = root, text = true }):wait()
  t.equal({ done.code, done.stderr }, { 0, '' })
end

local function commit()
  git('add', '-A')
  git('commit', '-q', '-m', 'c')
end

local function lens()
  vim.lsp.codelens.refresh({ bufnr = 0 })
  for _, found in ipairs(vim.lsp.codelens.get(0)) do
    local command = found.lens ~= nil and found.lens.command or found.command
    if command ~= nil and command.command == 'jp.diff.show' then
      return command
    end
  end
end

t.scenario({
  {
    'a line above a tool says what became of it, and shows how',
    function()
      git('init', '-q')
      commit()
      vim.fn.writefile(vim.split((config:gsub('src/a', 'src')), '\n'), path)
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(path)
      t.server()
      local command = t.wait('the lens', lens)
      t.equal(command.title, 'since HEAD: loosened')
      jp.client():exec_cmd(command)
      local shown = t.wait('the difference', function()
        local name = vim.fs.basename(vim.api.nvim_buf_get_name(0))
        return name == 'since-head-read.md' and t.lines()
      end)
      t.equal(shown[1], '# What changed of `read` since HEAD')
      t.equal(vim.tbl_contains(shown, '  ask -> unattended: {"path":"src/x"}  (.jp/config.toml:6)'), true)
    end,
  },
  {
    'a command shows it, of all tools or of one',
    function()
      local function first(name)
        return t.wait(name, function()
          return vim.fs.basename(vim.api.nvim_buf_get_name(0)) == name and t.lines()[1]
        end)
      end
      vim.cmd.edit(path)
      vim.cmd.JpChanges()
      t.equal(first('since-head-everything.md'), '# What changed since HEAD')
      vim.cmd.edit(path)
      vim.cmd('JpChanges read')
      t.equal(first('since-head-read.md'), '# What changed of `read` since HEAD')
      vim.cmd('JpChanges raed')
      t.notice('JP: no tool `raed` is configured; did you mean `read`?')
    end,
  },
  {
    'it goes when the change is committed',
    function()
      vim.cmd.edit(path)
      commit()
      t.wait('no lens', function()
        return lens() == nil
      end)
    end,
  },
})
