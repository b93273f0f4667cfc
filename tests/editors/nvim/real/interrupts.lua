--- Turns that do not run to their end, and how the person at the keyboard has them end.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')
local pending = require('jp.pending')

local root = t.copy('tests/editors/turns')
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

local function asked()
  t.wait('a prompt', function()
    return #pending.list() == 1 and t.selected[1]
  end)
end

--- Opens the menu while a prompt waits in its own list.
local function interrupts()
  vim.cmd.JpInterrupt()
  t.wait('the menu', function()
    return #t.selected == 2
  end)
  table.insert(t.selected, table.remove(t.selected, 1))
end

local function at_rest()
  t.wait('the turn to end', function()
    return jp.status() == 'JP'
  end)
  t.equal(#pending.list(), 0)
end

t.scenario({
  {
    'a turn is stopped while it asks: it asks no more, and a late answer is discarded',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN }, trusted = { root } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.server()
      vim.cmd.JpQuery('Leave a note')
      asked()
      local conversation = t.buffer('jp://conversation/')
      t.says(conversation, '### Tool call `leave_note`')
      t.equal(table.concat(t.lines(conversation), '\n'):find('interrupted', 1, true), nil)
      vim.cmd.JpStop()
      t.notice('JP: asked no more: Run local leave_note tool?')
      at_rest()
      t.choose('Run')
      t.notice('JP: this prompt was already decided')
      t.equal(t.read(root .. '/notes.txt'), nil)
    end,
  },
  {
    'the conversation goes on where it was stopped',
    function()
      vim.cmd('JpQuery! And now?')
      t.says(t.buffer('jp://conversation/'), 'The note is there.')
      at_rest()
    end,
  },
  {
    'an interrupt that goes on changes nothing',
    function()
      vim.cmd('JpQuery! Leave another')
      asked()
      interrupts()
      local list = t.choose('Continue')
      t.equal(list.labels, {
        'Continue',
        'Stop the calls and tell the assistant',
        'Run the calls again',
        'Stop',
      })
      t.equal(#pending.list(), 1)
    end,
  },
  {
    'the assistant is told something instead, and goes on with that',
    function()
      interrupts()
      t.choose('Stop the calls and tell the assistant')
      t.enter('No more notes, please.')
      t.says(t.buffer('jp://conversation/'), 'Then I leave none.')
      t.says(t.buffer('jp://conversation/'), 'No more notes, please.')
      at_rest()
      t.equal(t.read(root .. '/notes.txt'), nil)
    end,
  },
  {
    'a failed turn says why',
    function()
      t.write(root .. '/.jp/config.toml', 'assistant.model.id = "nobody"\n')
      vim.cmd('JpQuery! Ask me')
      t.notice('JP: the turn failed: ')
      at_rest()
    end,
  },
})
