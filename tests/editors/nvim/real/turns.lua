--- Turns of the assistant as a person meets them: everything that can be asked, against the real server.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')
local pending = require('jp.pending')

local root = t.copy('tests/editors/turns')
local config = root .. '/.jp/config.toml'
local secret = 'tr0ub4dor'
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

--- Waits for the next turn to end, which leaves these last words in the conversation.
local function ends_with(words)
  t.says(t.buffer('jp://conversation/'), words)
  t.wait('the turn to end', function()
    return jp.status() == 'JP'
  end)
  t.equal(#pending.list(), 0)
end

-- What the editor is told of the progress of turns.
local told = {}
vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(event)
    local token, value = event.data.params.token, event.data.params.value
    -- Reading the workspace is a progress as well, where it takes long.
    if vim.startswith(token, 'jp/turn/') then
      table.insert(told, ('%s %s'):format(value.kind, value.message))
    end
  end,
})

--- A text as it stands in a file, plain or within Base64 of which it is a part.
local function spellings(text)
  local found = { text }
  for skipped = 0, 2 do
    local encoded = vim.base64.encode(('x'):rep(skipped) .. text)
    table.insert(found, encoded:sub(math.ceil(skipped * 8 / 6) + 1, math.floor((skipped + #text) * 8 / 6)))
  end
  return found
end

--- Whether a file of a folder holds a text.
local function recorded(folder, text)
  return vim.iter(vim.fn.globpath(folder, '**', true, true, true)):any(function(path)
    local content = t.read(path) or ''
    return vim.iter(spellings(text)):any(function(spelling)
      return content:find(spelling, 1, true) ~= nil
    end)
  end)
end

t.scenario({
  {
    'the workspace is trusted',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(config)
      t.server()
      vim.cmd.JpTrust()
      t.equal(t.notices, { 'JP: the assistant may run in ' .. root })
    end,
  },
  {
    'a run is approved',
    function()
      vim.cmd.JpQuery('Leave a note')
      local list = t.choose('Run')
      t.equal(list.prompt, 'Run local leave_note tool? — sh tools/leave_note.sh approved')
      t.equal(list.labels, {
        'Show Details',
        'Reject',
        'Reject, and other calls that this rule asks for, in this turn',
        'Reject with a Reason…',
        'Run',
        'Run, and other calls that this rule asks for, in this turn',
        'Always run calls like this…',
        'Edit Arguments…',
        'Save as Example…',
      })
      ends_with('The note is there.')
      local window = vim.fn.bufwinid(t.buffer('jp://conversation/'))
      t.equal(vim.wo[window].winbar, '12,400 of 200,000 tokens')
      -- The record is written before the end is told.
      t.wait('the end is told', function()
        return told[#told] == 'end done'
      end)
      t.equal(told[1], 'begin waiting for the model')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'a run is rejected, with a reason that the model reads',
    function()
      vim.cmd('JpQuery! Leave another')
      t.choose('Reject with a Reason…')
      t.enter('one is enough')
      ends_with('Then I leave none.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'a question of each type is answered',
    function()
      vim.cmd('JpQuery! Ask me')
      local list = t.choose('Yes')
      t.equal({ list.prompt, list.labels }, { 'Shall I go on? (Assistant)', { 'Yes', 'No' } })
      list = t.choose('red')
      t.equal({ list.prompt, list.labels }, { 'Which colour? (Assistant)', { 'red', 'green (default)' } })
      t.wait('what is to be seen before the question', function()
        return t.entered[1]
      end)
      local overview = t.buffer('/overview')
      t.equal(t.lines(overview), { 'The name is written', 'into the file.' })
      t.equal(t.enter('Ada').prompt, 'What name? (Assistant): ')
      t.equal(vim.api.nvim_buf_is_valid(overview), false)
      ends_with('Thank you.')
      for _, given in ipairs({ 'true', 'red', 'Ada' }) do
        t.says(t.buffer('jp://conversation/'), ('"answer":%s'):format(vim.json.encode(given == 'true' or given)))
      end
    end,
  },
  {
    'a secret reaches the tool and nothing else',
    function()
      local inputsecret = vim.fn.inputsecret
      vim.fn.inputsecret = function(options)
        vim.fn.inputsecret = inputsecret
        t.equal(options.prompt, 'Which token? (log_in): ')
        return secret
      end
      vim.cmd('JpQuery! Log in')
      ends_with('I am in.')
      local conversation = t.buffer('jp://conversation/')
      t.says(conversation, 'logged in')
      t.equal(table.concat(t.lines(conversation), '\n'):find(secret, 1, true), nil)
      t.equal(recorded(vim.env.JP_LSP_DATA_DIR, 'logged in'), true)
      t.equal(recorded(vim.env.JP_LSP_DATA_DIR, secret), false)
    end,
  },
  {
    'a config change is rejected',
    function()
      vim.cmd('JpQuery! Switch')
      t.wait('a list', function()
        return t.selected[1]
      end)
      local overview = t.buffer('/overview')
      t.equal(t.lines(overview), {
        "⟳ Configuration delta proposed by tool 'switch_model':",
        'assistant.model.id.name: "quick" → "strong"',
        'nothing else changes: assistant.model.id.provider stays "test"',
      })
      local list = t.choose('Reject')
      t.equal(list.prompt, 'Apply the config change proposed by switch_model?')
      ends_with('I stay who I am.')
    end,
  },
  {
    'a config change is compared side by side, and applied',
    function()
      vim.cmd('JpQuery! Switch')
      t.choose('Show Details')
      local before, after = t.buffer('/before'), t.buffer('/after')
      t.equal(t.lines(before), { '[assistant.model.id]', 'provider = "test"', 'name = "quick"', '' })
      t.equal(t.lines(after), { '[assistant.model.id]', 'provider = "test"', 'name = "strong"', '' })
      t.equal({ vim.wo.diff, #vim.api.nvim_tabpage_list_wins(0) }, { true, 2 })
      vim.cmd.JpApply()
      ends_with('This is the stronger model.')
      t.equal(#vim.api.nvim_list_tabpages(), 1)
      t.equal(t.read(config), t.read(t.repository .. '/tests/editors/turns/.jp/config.toml'))
    end,
  },
  {
    'a change that was applied is kept when it is asked for, written by the editor, and undone by it',
    function()
      t.notice('JP: applied to this conversation — :JpKeep writes it into a config file')
      local before = t.lines(vim.fn.bufnr(config))
      vim.cmd.JpKeep()
      t.notice('workspace/.jp/config.toml; `u` there undoes it')
      vim.cmd.buffer(vim.fn.bufnr(config))
      t.equal(t.lines()[3], 'model.id = "strong"')
      vim.cmd.undo()
      t.equal(t.lines(), before)
      t.equal(t.read(config), table.concat(before, '\n') .. '\n')
    end,
  },
})
