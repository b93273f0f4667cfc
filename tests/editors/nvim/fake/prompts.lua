--- Every kind of prompt as a person meets it, against the stand-in server.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')
local pending = require('jp.pending')

local root = t.workspace({
  ['.jp/config.toml'] = '[assistant]\nname = "one"\noops = 1\n',
  ['Cargo.toml'] = 'oops = 1\n',
})

local answers = 0
--- The next answer that the server got.
local function answered()
  answers = answers + 1
  local entry = t.wait(('answer %d'):format(answers), function()
    return vim.tbl_filter(function(message)
      return message.answered ~= nil
    end, t.received())[answers]
  end)
  t.wait('no prompt', function()
    return #pending.list() == 0
  end)
  return entry.answer
end

local function query(text)
  vim.cmd('JpQuery ' .. text)
end

local function buffer(name)
  return t.wait('buffer ' .. name, function()
    for _, it in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(it):find(name, 1, true) then
        return it
      end
    end
  end)
end

t.scenario({
  {
    'an unknown key is reported, in config only',
    function()
      jp.setup({ cmd = { vim.env.JP_LSP_BIN } })
      vim.cmd.edit(root .. '/Cargo.toml')
      vim.cmd.edit(root .. '/.jp/config.toml')
      local found = t.wait('a diagnostic', function()
        return vim.diagnostic.get(0)[1]
      end)
      t.equal({ found.message, found.lnum, found.source }, { 'unknown key `oops`', 2, 'jp' })
      t.equal(#vim.lsp.get_clients({ bufnr = vim.fn.bufnr(root .. '/Cargo.toml') }), 0)
      t.equal(jp.client().root_dir, root)
    end,
  },
  {
    'the server is told nothing is trusted, and that we prompt',
    function()
      local params = t.received()[1].params
      t.equal(params.initializationOptions.trusted, false)
      t.equal(params.capabilities.experimental.jp.prompts, true)
      vim.cmd.JpTrust()
      t.wait('the grant', function()
        return vim.iter(t.received()):any(function(message)
          return message.method == 'jp/trustGranted'
        end)
      end)
    end,
  },
  {
    'a run is approved from a list whose first entry decides nothing',
    function()
      query('run')
      local list = t.choose('Run')
      t.equal(list.prompt, 'Run fs_modify_file? — fs_modify_file wants to change src/a.rs')
      t.equal(list.labels, {
        'Show Details',
        'Reject',
        'Reject, and other calls that this rule asks for, in this turn',
        'Reject with a Reason…',
        'Run',
        'Run, and other calls that this rule asks for, in this turn',
        'Save as Example…',
      })
      t.equal(answered(), { action = 'approve' })
    end,
  },
  {
    'a run is rejected with a reason, or approved for the turn',
    function()
      query('run')
      t.choose('Reject with a Reason…')
      t.enter('too wide')
      t.equal(answered(), { action = 'reject', reason = 'too wide' })
      query('run')
      t.choose('Run, and other calls that this rule asks for, in this turn')
      t.equal(answered(), { action = 'approve', remember = 'turn' })
    end,
  },
  {
    'a dismissed prompt stays, and is answered from the list',
    function()
      query('boolean')
      t.choose(nil)
      t.equal(#pending.list(), 1)
      t.equal(jp.status(), 'JP: 1 prompt')
      vim.cmd.JpPrompts()
      t.choose('Answer…')
      t.choose('Yes')
      t.equal(answered(), { action = 'answer', value = true })
      t.wait('the turn to end', function()
        return jp.status() == 'JP'
      end)
    end,
  },
  {
    'several prompts wait, each by itself',
    function()
      query('boolean')
      t.choose(nil)
      query('text')
      t.enter(nil)
      t.equal(jp.status(), 'JP: 2 prompts')
      vim.cmd.JpPrompts()
      local list = t.choose('What name? (Question)')
      t.equal(list.labels, { 'Shall I go on? (Question)', 'What name? (Question)' })
      t.choose('Answer…')
      t.enter('Ada')
      vim.cmd.JpPrompts()
      t.choose('Answer…')
      t.choose('No')
      answers = answers + 1
      t.equal(answered(), { action = 'answer', value = false })
    end,
  },
  {
    'a choice is made, with the default marked',
    function()
      query('select')
      local list = t.choose('main')
      t.equal(list.labels, { 'main', 'develop (default)' })
      t.equal(answered(), { action = 'answer', value = 'main' })
    end,
  },
  {
    'a secret is read without showing it',
    function()
      local inputsecret = vim.fn.inputsecret
      local asked
      vim.fn.inputsecret = function(options)
        asked = options.prompt
        return 'hunter2'
      end
      query('secret')
      t.equal(answered(), { action = 'answer', value = 'hunter2' })
      vim.fn.inputsecret = inputsecret
      t.equal(asked, 'Which token? (Question): ')
    end,
  },
  {
    'a delta is compared, and applied from the diff',
    function()
      query('delta')
      t.choose('Show Details')
      local after = buffer('/after')
      t.equal(vim.api.nvim_buf_get_lines(after, 0, -1, false), { '[assistant]', 'name = "two"', '' })
      t.equal(vim.wo.diff, true)
      t.equal(#vim.api.nvim_tabpage_list_wins(0), 2)
      vim.cmd.JpApply()
      t.equal(answered(), { action = 'approve' })
      t.wait('the diff to close', function()
        return not vim.api.nvim_buf_is_valid(after) and #vim.api.nvim_list_tabpages() == 1
      end)
    end,
  },
  {
    'arguments are edited, and approved by writing them',
    function()
      query('edit')
      t.choose('Edit Arguments…')
      t.equal(vim.api.nvim_buf_get_lines(buffer('/edit'), 0, -1, false), { '{', '  "path": "src/a.rs"', '}' })
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { '[1]' })
      vim.cmd.write()
      t.equal(t.notices[#t.notices], 'JP: the arguments must be a JSON object, such as {"path": "src"}')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, { '{"path": "src/b.rs"}' })
      vim.cmd.write()
      t.equal(answered(), { action = 'edit', arguments = '{"path": "src/b.rs"}' })
    end,
  },
  {
    'a prompt that is answered elsewhere disappears, and a late answer is discarded',
    function()
      query('delta')
      t.choose('Show Details')
      local after = buffer('/after')
      vim.cmd.JpPrompts()
      vim.cmd.JpStop()
      t.equal(answered(), { action = 'cancel' })
      t.wait('the diff to close', function()
        return not vim.api.nvim_buf_is_valid(after)
      end)
      t.choose('Apply')
      t.equal(t.notices[#t.notices], 'JP: this prompt was already decided')
    end,
  },
  {
    'every character that hides is spelled out, and no other',
    function()
      local visible = require('jp.text').visible
      for _, code in ipairs({
        0x80,
        0x9f,
        0xad,
        0x61c,
        0x180e,
        0x200b,
        0x200f,
        0x2028,
        0x202e,
        0x2060,
        0x206f,
        0xfeff,
        0xfff9,
        0xe0001,
        0xe007f,
      }) do
        t.equal(visible(vim.fn.nr2char(code, true)), ('\\u{%x}'):format(code))
      end
      local plain = 'a\tb\nc ä é ؛ ᠀ 一 “” – … ─ ﷽ ｡ 𝄞 👩‍💻 \u{e0100}'
      t.equal(visible(plain), plain)
    end,
  },
  {
    'values are written as they are, or not at all',
    function()
      local json = require('jp.text').json
      local value =
        vim.json.decode('{"b": [1, 0.1, 1763666652123456, "ä\\u001b"], "a": {}, "c": [], "d": null, "e": 1e-7}')
      local expected = '{"a":{},"b":[1,0.1,1763666652123456,"ä\\u001b"],"c":[],"d":null,"e":1e-07}'
      t.equal(json(value):gsub('%s', ''), expected)
      t.equal(json(vim.json.decode('{"a": [9007199254740993]}')), nil)
      t.equal(json('x'), '"x"')
    end,
  },
  {
    'while somebody types nothing opens',
    function()
      vim.cmd.edit(root .. '/.jp/config.toml')
      local get_mode = vim.api.nvim_get_mode
      vim.api.nvim_get_mode = function()
        return { mode = 'i', blocking = false }
      end
      query('run')
      t.wait('a notice', function()
        return t.notices[#t.notices] == 'JP: Run fs_modify_file? — :JpPrompts'
      end)
      vim.api.nvim_get_mode = get_mode
      t.equal(#t.selected, 0)
      vim.cmd.JpPrompts()
      t.choose('Reject')
      t.equal(answered(), { action = 'reject' })
    end,
  },
  {
    'hostile text is only text',
    function()
      query('hostile')
      local list = t.choose('Show Details')
      t.equal(list.prompt:sub(1, 31), 'Run \\u{202e}evil␛[31m? — [c')
      local lines = vim.api.nvim_buf_get_lines(buffer('/details'), 0, 3, false)
      t.equal(lines, { 'Run \\u{202e}evil␛[31m?', '', 'Tool' })
      vim.cmd.JpReject()
      t.equal(answered(), { action = 'reject' })
      t.equal(
        require('jp.text').visible('a\0b\127\r\nc\u{200b}\u{e0041}👩\u{200d}💻'),
        'a␀b␡\nc\\u{200b}\\u{e0041}👩\u{200d}💻'
      )
    end,
  },
  {
    'a conversation is shown as it grows',
    function()
      local conversation = buffer('jp://conversation/c1')
      t.equal(vim.bo[conversation].filetype, 'markdown')
      t.equal(vim.bo[conversation].modifiable, false)
      t.wait('the outcome', function()
        return vim.tbl_contains(vim.api.nvim_buf_get_lines(conversation, 0, -1, false), 'completed')
      end)
    end,
  },
  {
    'the effective config and explanations open',
    function()
      vim.cmd.JpEffectiveConfig()
      t.equal(vim.api.nvim_buf_get_lines(buffer('jp://effective.toml'), 0, 1, false), { '[assistant]' })
      vim.cmd('JpExplain assistant.name')
      buffer('jp://explanation')
    end,
  },
  {
    'conversations share one window, and a prompt that waits has its keys there',
    function()
      local function conversations()
        return vim.tbl_filter(function(window)
          return vim.startswith(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)), 'jp://conversation/')
        end, vim.api.nvim_list_wins())
      end
      query('run')
      t.choose(nil)
      t.equal(#conversations(), 1)
      local window = conversations()[1]
      local shown = vim.api.nvim_win_get_buf(window)
      local namespace = vim.api.nvim_get_namespaces()['jp.waiting']
      local function drawn()
        local marks = vim.api.nvim_buf_get_extmarks(shown, namespace, 0, -1, { details = true })
        local lines = vim.tbl_map(function(chunks)
          return vim
            .iter(chunks)
            :map(function(chunk)
              return chunk[1]
            end)
            :join('')
        end, marks[1] and marks[1][4].virt_lines or {})
        return table.concat(lines, '\n')
      end
      t.equal(
        drawn(),
        table.concat({
          '',
          '? Run fs_modify_file?',
          '  path: src/a.rs',
          '  1 Show Details',
          '  2 Reject',
          '  3 Reject, and other calls that this rule asks for, in this turn',
          '  4 Reject with a Reason…',
          '  5 Run',
          '  6 Run, and other calls that this rule asks for, in this turn',
          '  7 Save as Example…',
        }, '\n')
      )
      vim.api.nvim_set_current_win(window)
      local key = vim.fn.maparg('5', 'n', false, true).callback
      -- A key that comes with the prompt may be meant for something else.
      local quiet = require('jp.prompts').QUIET_MS
      require('jp.prompts').QUIET_MS = 3600000
      key()
      t.equal(#pending.list(), 1)
      require('jp.prompts').QUIET_MS = 0
      key()
      require('jp.prompts').QUIET_MS = quiet
      t.equal(answered(), { action = 'approve' })
      t.wait('nothing to be drawn', function()
        return drawn() == '' and vim.fn.maparg('5', 'n') == ''
      end)
      vim.cmd.wincmd('p')
    end,
  },
  {
    'health names the server',
    function()
      vim.cmd('checkhealth jp')
      local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
      t.equal(report:find('jp-lsp 0.0.0-fake at', 1, true) ~= nil, true)
      t.equal(report:find('ERROR', 1, true), nil)
      vim.cmd.bwipeout()
    end,
  },
  {
    'the server crashes: open prompts are refused, and it is restarted',
    function()
      query('run')
      t.choose(nil)
      query('crash')
      t.wait('a notice', function()
        return vim.tbl_contains(
          t.notices,
          'JP: the server stopped (code 3); open prompts were refused: 1. It is started again.'
        )
      end)
      t.equal(#pending.list(), 0)
      t.wait('a second start', function()
        return jp.client() ~= nil
      end)
    end,
  },
})
