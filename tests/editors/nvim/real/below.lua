--- Workspaces below the folder that Neovim was started in, as in a repository of several projects.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local mono = vim.env.JP_LSP_OUT .. '/mono'
local app, site = t.copy('tests/editors/turns', 'mono/packages/app'), t.copy('tests/editors/turns', 'mono/site')
vim.env.JP_LSP_TEST_SCRIPT = app .. '/script.toml'
t.write(mono .. '/README.md', 'Many projects.\n')
t.write(site .. '/src/main.rs', 'fn main() {}\n')

local function at_rest()
  t.wait('the turn to end', function()
    return jp.status() == 'JP'
  end)
end

--- Lets the waiting call run, and waits for its note.
local function leaves_note(root)
  t.choose('Run')
  t.wait('the note', function()
    return t.read(root .. '/notes.txt')
  end)
  at_rest()
end

t.scenario({
  {
    'where no file says which workspace is meant, the person is asked; who chooses none begins nothing',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.cd(mono)
      vim.cmd.edit(mono .. '/README.md')
      vim.cmd.JpQuery('Leave a note')
      local list = t.choose(nil)
      t.equal({ list.prompt, list.labels }, { 'Which workspace is this about?', { 'site', 'packages/app' } })
      t.wait('no server', function()
        return jp.client() == nil
      end)
      t.equal(t.notices, {})
    end,
  },
  {
    'the turn begins in the one that is chosen, once that is trusted',
    function()
      vim.cmd.JpQuery('Leave a note')
      t.choose('packages/app')
      t.equal(t.choose('Do not run anything').prompt, ('May the assistant run tools in %s?'):format(app))
      vim.cmd.JpQuery('Leave a note')
      -- It was asked once.
      t.choose('Trust this workspace until Neovim ends')
      leaves_note(app)
      t.equal(t.read(site .. '/notes.txt'), nil)
    end,
  },
  {
    'a file says which, whatever was chosen before',
    function()
      vim.cmd.edit(site .. '/src/main.rs')
      vim.cmd.JpQuery('Leave a note')
      t.equal(
        t.choose('Trust this workspace until Neovim ends').prompt,
        ('May the assistant run tools in %s?'):format(site)
      )
      leaves_note(site)
    end,
  },
  {
    'a conversation goes on in its own workspace from its own window',
    function()
      os.remove(app .. '/notes.txt')
      os.remove(site .. '/notes.txt')
      vim.cmd.edit(mono .. '/README.md')
      vim.cmd('JpQuery! Leave another')
      leaves_note(app)
      t.equal(t.read(site .. '/notes.txt'), nil)
    end,
  },
  {
    'in a folder with one workspace below, nobody is asked',
    function()
      local other = vim.env.JP_LSP_OUT .. '/other'
      local only = t.copy('tests/editors/turns', 'other/only')
      t.write(other .. '/notes.md', 'Of the only one.\n')
      vim.cmd.cd(other)
      vim.cmd.edit(other .. '/notes.md')
      vim.cmd.JpQuery('Leave a note')
      t.equal(
        t.choose('Trust this workspace until Neovim ends').prompt,
        ('May the assistant run tools in %s?'):format(only)
      )
      leaves_note(only)
    end,
  },
  {
    'where there is none at all, that is said',
    function()
      local empty = t.workspace({ ['readme.md'] = 'Nothing.\n' }, 'empty')
      for _, client in ipairs(vim.lsp.get_clients({ name = 'jp_lsp' })) do
        client:stop(true)
      end
      t.wait('no server', function()
        return jp.client() == nil
      end)
      vim.cmd.cd(empty)
      vim.cmd.edit(empty .. '/readme.md')
      vim.cmd.JpQuery('Leave a note')
      t.notice('JP: no folder `.jp` here, above or below: `:JpInit` makes one')
    end,
  },
})
