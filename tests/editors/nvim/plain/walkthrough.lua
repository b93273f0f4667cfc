--- What README.md promises to somebody who has the binary and no plugin, step by step, with the lines that it shows.
local t = dofile(vim.env.JP_NVIM_DRIVER)

local root = t.copy('tests/editors/turns')
local config = root .. '/.jp/config.toml'
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

local three_lines, commands = unpack(t.blocks('README.md'))

--- Goes to the next diagnostic and answers what waits there.
local function answer_at_its_line(title)
  t.wait('a prompt at a line', function()
    return vim.iter(vim.diagnostic.get(0)):any(function(it)
      return it.code == 'pending-prompt'
    end)
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.keys(']d')
  vim.lsp.buf.code_action()
  local list = t.wait('a list', function()
    return t.selected[1]
  end)
  local label = vim.iter(list.labels):find(function(it)
    return vim.startswith(it, title)
  end)
  t.choose(assert(label, ('no `%s` among %s'):format(title, vim.inspect(list.labels))))
end

--- Waits until a conversation says this, as somebody sees it who looks at it for a moment.
local function ends_with(words)
  t.wait(('`%s` in a conversation'):format(words), function()
    vim.api.nvim_exec_autocmds('CursorHold', {})
    return vim.iter(vim.api.nvim_list_wins()):any(function(window)
      local buffer = vim.api.nvim_win_get_buf(window)
      local name = vim.api.nvim_buf_get_name(buffer)
      return vim.endswith(name, '.md') and vim.list_contains(t.lines(buffer), '> ' .. words)
    end)
  end)
end

--- Waits until the editor has said something below its last line.
local function says(text)
  t.wait(text, function()
    return vim.fn.execute('messages'):find(text, 1, true)
  end)
end

t.scenario({
  {
    'three lines connect the server',
    function()
      t.put_on_path()
      assert(loadstring(three_lines, '=init.lua'))()
      vim.cmd.edit(config)
      t.equal(t.server().root_dir, root)
      t.reports(0, {})
    end,
  },
  {
    '1, 2: a mistake is shown, and its fix applied',
    function()
      t.keys('/model.id = "quick"<CR>onaem = "Ada"<Esc>')
      t.reports(0, { { 3, 0, 'unknown-key' } })
      t.keys('<C-w>d')
      t.equal(t.floated(), { 'Diagnostics:', '1. unknown key `naem`, did you mean `name`? [unknown-key]' })
      t.keys('$gra')
      t.choose('Write `name`')
      t.reports(0, {})
      t.equal(t.lines()[4], 'name = "Ada"')
      vim.cmd.edit({ bang = true })
      t.reports(0, {})
    end,
  },
  {
    '3: a rule says what it grants',
    function()
      t.keys('/assistant.model.id<CR>K')
      t.equal(
        t.floated()[3],
        'Rule 1 of 1: `switch_model` may read and change config at and below `assistant.model.id`.'
      )
    end,
  },
  {
    '5: before the workspace is trusted nothing runs',
    function()
      assert(loadstring(commands, '=init.lua'))()
      vim.cmd.JpQuery('Leave a note')
      t.notice('the workspace is not trusted: nothing runs in it before a person says so')
      vim.cmd.JpTrust()
    end,
  },
  {
    '6: a query is asked, and a call approved in a list',
    function()
      vim.cmd.JpQuery('Leave a note')
      local list = t.choose('Run')
      t.equal(list.labels, {
        'Reject',
        'Reject, and other calls that this rule asks for, in this turn',
        'Run',
        'Run, and other calls that this rule asks for, in this turn',
        'Always run calls like this…',
      })
      ends_with('The note is there.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    '7: a list that is dismissed decides nothing, and the prompt is answered at its line',
    function()
      vim.cmd.JpQuery('Leave another')
      t.choose(nil)
      answer_at_its_line('Reject —')
      t.reports(0, {})
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    '8: questions are answered by lists, and by a command in text',
    function()
      vim.cmd.JpQuery('Ask me')
      t.equal(t.choose('Yes').labels, { 'Cancel', 'Yes', 'No' })
      t.equal(t.choose('red').labels, { 'Cancel', 'red', 'green' })
      says('What name?')
      t.wait('the question at its line', function()
        return (vim.diagnostic.get(0)[1] or { message = '' }).message:find('What name?', 1, true)
      end)
      vim.cmd.JpAnswer('Ada')
      t.reports(0, {})
    end,
  },
  {
    '8: a secret is asked for without showing it',
    function()
      vim.cmd.JpQuery('Log in')
      says('Which token?')
      t.wait('the question at its line', function()
        return #t.reported() > 0
      end)
      local inputsecret = vim.fn.inputsecret
      vim.fn.inputsecret = function()
        vim.fn.inputsecret = inputsecret
        return 'tr0ub4dor'
      end
      vim.cmd.JpAnswer()
      t.reports(0, {})
      ends_with('I am in.')
    end,
  },
  {
    '10: a config change is rejected',
    function()
      vim.cmd.JpQuery('Switch')
      local list = t.choose('Reject')
      t.equal(list.labels, { 'Reject', 'Apply' })
      t.equal(list.prompt:find('assistant.model.id.name: "quick" → "strong"', 1, true) ~= nil, true)
      ends_with('I stay who I am.')
    end,
  },
  {
    '10: a config change is applied, kept, and undone',
    function()
      vim.cmd.JpQuery('Switch')
      t.choose('Apply')
      ends_with('This is the stronger model.')
      t.equal(vim.api.nvim_buf_get_name(0), config)
      local before = t.read(config)
      vim.lsp.buf.code_action()
      t.choose('Keep what `switch_model` changed in `config.toml` (switch_2)')
      t.wait('the edit', function()
        return vim.bo.modified
      end)
      t.equal(t.lines()[3], 'model.id = "strong"')
      t.equal(t.read(config), before)
      t.keys('u')
      t.equal(table.concat(t.lines(), '\n') .. '\n', before)
    end,
  },
})
