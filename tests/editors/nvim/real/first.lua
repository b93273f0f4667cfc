--- From an empty folder to a conversation with a title, by what the plugin itself offers.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')

local folder = t.workspace({ ['notes.md'] = '# Notes\n' })
local config = folder .. '/.jp/config.toml'
vim.env.JP_LSP_TEST_SCRIPT = t.workspace({
  ['script.toml'] = [=[
[[cycles]]
batches = [[{ tool_call = { id = "call_1", name = "changed_files" } }]]
[[cycles]]
batches = [[{ text = "Nothing has changed." }]]
[[cycles]]
batches = [[{ text = "Really nothing." }]]
]=],
}, 'beside') .. '/script.toml'

local function conversation()
  return t.buffer('jp://conversation/')
end

local function at_rest()
  t.wait('the turn to end', function()
    return jp.status() == 'JP'
  end)
end

t.scenario({
  {
    'without a config a query says how to make one, and that makes it',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.fn.chdir(folder)
      vim.cmd.edit(folder .. '/notes.md')
      vim.cmd.JpQuery('What has changed?')
      t.notice('JP: no folder `.jp` here, above or below: `:JpInit` makes one')
      vim.cmd.JpInit()
      t.wait('the config', function()
        return vim.api.nvim_buf_get_name(0) == config and t.read(config)
      end)
      t.reports(0, {})
      vim.cmd.JpInit()
      t.notice('JP: this folder has a .jp/config.toml already')
    end,
  },
  {
    'a failed turn stands in its conversation with what to do',
    function()
      vim.cmd.JpQuery('What has changed?')
      t.equal(
        t.choose('Trust this workspace until Neovim ends').prompt,
        ('May the assistant run tools in %s?'):format(folder)
      )
      t.notice('JP: the turn failed: `assistant.model.id`: anthropic needs an API key')
      t.says(conversation(), 'The turn failed: `assistant.model.id`: anthropic needs an API key')
    end,
  },
  {
    'the details of a call are for reading: no digest, nothing twice',
    function()
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(t.read(config):gsub('"anthropic/[^"]+"', '"test/x"'), '\n'))
      vim.cmd.write()
      at_rest()
      vim.cmd('JpQuery! What has changed?')
      t.choose('Show Details')
      t.equal(t.lines(t.buffer('/details')), {
        'Run local changed_files tool?',
        'Asked by .jp/config.toml:8',
        '',
        'Tool',
        '    changed_files',
        '',
        'Command',
        '    git status --short',
      })
      vim.cmd.JpReject()
      t.says(conversation(), 'Nothing has changed.')
      at_rest()
      t.equal(table.concat(t.lines(conversation()), '\n'):find('The turn failed', 1, true), nil)
    end,
  },
  {
    'a conversation gets another title, and its last turn is undone in a copy',
    function()
      vim.cmd.JpRename('Changes')
      t.notice('JP: the conversation is called “Changes” now')
      vim.cmd.JpConversation()
      t.equal(t.choose(nil).labels, { 'Changes' })
      vim.cmd.JpUndoTurn()
      t.notice('JP: this copy ends before the last turn; the conversation itself stays as it is')
      vim.cmd.JpConversation()
      t.equal(#t.choose(nil).labels, 2)
      vim.cmd('JpQuery! And now?')
      t.wait('the answer in the copy', function()
        return vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
          local text = table.concat(t.lines(buffer), '\n')
          return text:find('Really nothing.', 1, true) and not text:find('Nothing has changed.', 1, true)
        end)
      end)
      at_rest()
    end,
  },
  {
    'a conversation that is not there is said to be none',
    function()
      vim.cmd.JpConversation('jp-c17636666521')
      t.notice('JP: there is no conversation `jp-c17636666521` in the open workspaces')
      vim.cmd.JpConversation('nope')
      t.notice('JP: `nope` is no conversation: write an id such as `jp-c17636666521`')
    end,
  },
  {
    'a call is explained in words, with its arguments as in the terminal',
    function()
      vim.cmd.edit(config)
      vim.cmd('JpExplain policy changed_files {}')
      t.says(t.buffer('jp://explanation'), 'asks')
      vim.cmd('JpExplain policy changed_files nothing')
      t.notice('JP: `nothing` cannot be read, write for example path=src/a.rs or {"path": "src/a.rs"}')
    end,
  },
  {
    'a config that is not saved yet belongs to the folder around its `.jp`',
    function()
      local other = t.workspace({ ['notes.md'] = '' }, 'other')
      vim.cmd.edit(other .. '/.jp/config.toml')
      t.equal(t.server().root_dir, other)
    end,
  },
})
