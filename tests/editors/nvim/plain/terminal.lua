--- The lines of README.md on a real screen, with real keys and Neovim's own lists.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local terminal = dofile(vim.fs.dirname(vim.env.JP_NVIM_DRIVER) .. '/terminal.lua')

local root = t.copy('tests/editors/turns')
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'
local init = root .. '/init.lua'
t.put_on_path()
t.write(init, table.concat(t.blocks('README.md'), '\n'))

local screen

-- The diagnostic of the question before may still be there.
local is_shown = [[
function Shown(text)
  vim.wait(9000, function()
    return vim.iter(vim.diagnostic.get()):any(function(found)
      return found.message:find(text, 1, true) ~= nil
    end)
  end)
end
]]

--- Waits until a question is in sight, and until it can be answered.
local function asked(text)
  screen.sees(text)
  screen.keys(('<CR>:lua Shown("%s")<CR>'):format(text))
end

--- Waits for the conversation to open, goes to its end, which says this, and leaves nothing else open.
local function ends_with(words)
  screen.sees('## Turn 1')
  screen.keys('<C-w>wG')
  screen.sees(words)
  screen.keys(':only<CR>:edit ' .. root .. '/.jp/config.toml<CR>')
  screen.sees_no_more('## Turn 1')
end

t.scenario({
  {
    'a mistake stands at the end of its line',
    function()
      screen = terminal.start(t, { '--cmd', 'lua ' .. is_shown, '-u', init, root .. '/.jp/config.toml' })
      screen.sees('run = "ask"')
      screen.keys('/model.id = "quick"<CR>onaem = 1<Esc>')
      screen.sees('■ unknown key `naem`, did you mean `name`?')
      screen.keys('gra')
      screen.sees('1: Write `name`')
      screen.keys('1<CR>')
      screen.sees_no_more('naem')
      screen.keys(':edit!<CR>')
    end,
  },
  {
    'a value is completed as one asks for it',
    function()
      screen.keys('Go[conversation.tools.leave_note.policy]<CR>run = [{ arg = "/<C-x><C-o>')
      screen.sees('/text')
      screen.keys('<Esc>:edit!<CR>')
      screen.sees_no_more('leave_note.policy')
    end,
  },
  {
    'a run is approved by its number',
    function()
      screen.keys(':JpTrust<CR>:JpQuery Leave a note<CR>')
      screen.sees('3: Run')
      screen.sees('sh tools/leave_note.sh approved')
      t.equal(t.read(root .. '/notes.txt'), nil)
      screen.keys('3<CR>')
      ends_with('The note is there.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'a run is rejected by its number',
    function()
      screen.keys(':JpQuery Leave another<CR>')
      screen.sees('1: Reject')
      screen.keys('1<CR>')
      ends_with('Then I leave none.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'questions are answered by number, and in text by a command',
    function()
      screen.keys(':JpQuery Ask me<CR>')
      screen.sees('2: Yes')
      screen.keys('2<CR>')
      screen.sees('2: red')
      screen.keys('2<CR>')
      asked('What name?')
      screen.keys(':JpAnswer Ada<CR>')
      ends_with('Thank you.')
    end,
  },
  {
    'a secret is not on the screen while it is typed',
    function()
      screen.keys(':JpQuery Log in<CR>')
      asked('Which token?')
      screen.keys(':JpAnswer<CR>')
      screen.sees('Answer:')
      screen.keys('tr0ub4dor')
      screen.sees('*********')
      t.equal(screen.text():find('tr0ub4dor', 1, true), nil)
      screen.keys('<CR>')
      ends_with('I am in.')
    end,
  },
})
