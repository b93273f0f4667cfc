--- The plugin on a real screen, with real keys and Neovim's own lists: what is seen, and what a keystroke decides.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local terminal = dofile(vim.fs.dirname(vim.env.JP_NVIM_DRIVER) .. '/terminal.lua')

local root = t.copy('tests/editors/turns')
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'
local init = root .. '/init.lua'
t.put_on_path()
t.write(init, t.blocks('neovim-plugin/README.md')[1]:gsub('/path/to/jp%-lsp', t.repository) .. [[
vim.diagnostic.config({ virtual_text = true })
-- Completion as one types, as the manual of Neovim shows it.
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(attached)
    vim.lsp.completion.enable(true, attached.data.client_id, attached.buf, { autotrigger = true })
  end,
})
]])

local screen

--- Waits for the assistant's last words, and for the turn to end.
local function ends_with(words)
  screen.sees(words)
  screen.sees_no_more('JP: running')
end

t.scenario({
  {
    'the status line says that the server is there',
    function()
      screen = terminal.start(t, { '-u', init, root .. '/.jp/config.toml' })
      screen.sees(' JP 1,1')
    end,
  },
  {
    'a pointer to an argument is completed as it is typed',
    function()
      screen.keys('Go[conversation.tools.leave_note.policy]<CR>run = [{ arg = "/')
      screen.sees('/text')
      screen.keys('<C-n><C-y>')
      screen.sees('run = [{ arg = "/text')
      screen.keys('<Esc>:edit!<CR>')
      screen.sees_no_more('leave_note.policy')
    end,
  },
  {
    'a run is approved by its number',
    function()
      screen.keys(':JpTrust<CR>')
      screen.sees('the assistant may run in')
      screen.keys('<CR>:JpQuery Leave a note<CR>')
      screen.sees('Run local leave_note tool? — sh tools/leave_note.sh approved')
      screen.sees('1: Show Details')
      t.equal(t.read(root .. '/notes.txt'), nil)
      screen.keys('5<CR>')
      ends_with('The note is there.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'Enter alone decides nothing, and the status line keeps the prompt',
    function()
      screen.keys(':JpQuery! Leave another<CR>')
      screen.sees('Run local leave_note tool?')
      screen.keys('<CR>')
      screen.sees('JP: 1 prompt')
      screen.keys(':JpPrompts<CR>')
      screen.sees('4: Reject with a Reason…')
      screen.keys('4<CR>')
      screen.sees('Why? The assistant reads this:')
      screen.keys('one is enough<CR>')
      ends_with('Then I leave none.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'questions are answered by number and by text, with what belongs to them in sight',
    function()
      screen.keys(':JpQuery! Ask me<CR>')
      screen.sees('Shall I go on? (Assistant)')
      screen.keys('1<CR>')
      screen.sees('Which colour? (Assistant)')
      screen.sees('2: green (default)')
      screen.keys('1<CR>')
      screen.sees('What name? (Assistant):')
      screen.sees('The name is written')
      screen.sees('into the file.')
      screen.keys('Ada<CR>')
      ends_with('Thank you.')
    end,
  },
  {
    'a secret is not on the screen while it is typed',
    function()
      screen.keys(':JpQuery! Log in<CR>')
      screen.sees('Which token? (log_in):')
      screen.keys('tr0ub4dor')
      screen.sees('*********')
      t.equal(screen.text():find('tr0ub4dor', 1, true), nil)
      screen.keys('<CR>')
      ends_with('I am in.')
      t.equal(screen.text():find('tr0ub4dor', 1, true), nil)
    end,
  },
  {
    'a config change is seen before it is decided, side by side',
    function()
      screen.keys(':JpQuery! Switch<CR>')
      screen.sees('Apply the config change proposed by switch_model?')
      screen.sees('assistant.model.id.name: "quick" → "strong"')
      screen.keys('1<CR>')
      screen.sees('JP: :JpApply or :JpReject')
      screen.sees('name = "quick"')
      screen.sees('name = "strong"')
      screen.keys(':JpReject<CR>')
      ends_with('I stay who I am.')
    end,
  },
})
