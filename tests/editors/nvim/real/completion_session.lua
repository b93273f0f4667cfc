--- A person writes a tool from completions alone, in an editor of its own that gets nothing but keys.
---
--- The keys typed are headers' brackets, the first letters of what is wanted, the keys that accept and jump, and text that nobody can
--- propose: the tool's name, its command and what it is for.
local t = dofile(vim.env.JP_NVIM_DRIVER)

local root = t.workspace({
  ['.jp/config.toml'] = '[assistant]\nmodel.id = "anthropic/claude-sonnet-4"\n\n[conversation.tools.\'*\']\nrun = "ask"',
  ['src/lib.rs'] = '',
  ['docs/größe.md'] = '',
})
local config = root .. '/.jp/config.toml'

local editor = vim.fn.jobstart({ vim.v.progpath, '--clean', '--embed', '--headless' }, { rpc = true })

local function lua(code, ...)
  return vim.rpcrequest(editor, 'nvim_exec_lua', code, { ... })
end

--- Types keys, as they are written in a mapping.
local function type(keys)
  vim.rpcrequest(editor, 'nvim_input', keys)
end

local function text()
  return vim.fn.join(vim.rpcrequest(editor, 'nvim_buf_get_lines', 0, 0, -1, false), '\n')
end

--- Waits for something in the editor; an error shows its buffer.
local function wait(what, condition)
  local ok, err = pcall(t.wait, what, condition)
  if not ok then
    error(
      ('%s\nlabels %s\nmode %s\n%s'):format(
        err,
        vim.inspect(
          lua(
            [[return vim.tbl_map(function(it) return it.abbr ~= '' and it.abbr or it.word end, vim.fn.complete_info({ 'items' }).items)]]
          )
        ),
        vim.inspect(vim.rpcrequest(editor, 'nvim_get_mode')),
        text()
      ),
      2
    )
  end
end

--- The labels in the menu that is open.
local function labels()
  return lua([[
    if vim.fn.pumvisible() == 0 then return {} end
    return vim.tbl_map(function(it)
      return it.abbr ~= '' and it.abbr or it.word
    end, vim.fn.complete_info({ 'items' }).items)
  ]])
end

local function index_of(label)
  for index, it in ipairs(labels()) do
    if it == label then
      return index
    end
  end
end

--- Waits for a menu with a label, and accepts it.
local function accept(label)
  wait('`' .. label .. '` in the menu', function()
    return index_of(label)
  end)
  type(('<C-n>'):rep(index_of(label)))
  wait('`' .. label .. '` selected', function()
    return lua([[return vim.fn.complete_info({ 'selected' }).selected]]) + 1 == index_of(label)
  end)
  type('<C-y>')
  wait('the menu closed', function()
    return lua([[return vim.fn.pumvisible()]]) == 0
  end)
end

--- Asks for completion, and accepts a label.
local function choose(label)
  type('<C-Space>')
  accept(label)
end

--- Jumps to the next place of a snippet.
local function jump()
  local before = vim.rpcrequest(editor, 'nvim_win_get_cursor', 0)
  type('<Tab>')
  wait('the next place', function()
    return not vim.deep_equal(vim.rpcrequest(editor, 'nvim_win_get_cursor', 0), before)
  end)
end

--- The line of the cursor.
local function line()
  return vim.rpcrequest(editor, 'nvim_get_current_line')
end

local function reads(expected)
  wait('a line that reads ' .. expected, function()
    return line() == expected
  end)
end

local function codes()
  return lua([[return vim.tbl_map(function(it) return it.code end, vim.diagnostic.get(0))]])
end

t.scenario({
  {
    'an editor with completion',
    function()
      lua(
        [[
          local plugin, binary, config = ...
          vim.opt.runtimepath:prepend(plugin)
          vim.opt.completeopt = { 'menuone', 'noselect', 'noinsert' }
          vim.api.nvim_create_autocmd('LspAttach', {
            callback = function(event)
              vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true })
            end,
          })
          vim.keymap.set('i', '<C-Space>', function() vim.lsp.completion.get() end)
          vim.cmd.runtime('plugin/jp.lua')
          require('jp').setup({ cmd = { binary } })
          vim.cmd.edit(config)
        ]],
        vim.env.JP_NVIM_PLUGIN,
        vim.env.JP_LSP_BIN,
        config
      )
      wait('the server', function()
        return lua([[local client = require('jp').client(); return client and client.initialized or false]])
      end)
    end,
  },
  {
    'a header for the tool',
    function()
      type('Go<CR>[')
      accept('conversation.tools.<tool>')
      type('word_count<Esc>')
      reads('[conversation.tools.word_count]')
    end,
  },
  {
    'what every tool needs',
    function()
      type('o')
      choose('source')
      accept('local')
      reads('source = "local"')
      type('<Esc>o')
      choose('enable')
      accept('true')
      reads('enable = true')
      type('<Esc>o')
      choose('command')
      type('wc -w {{tool}}<Esc>')
      reads('command = "wc -w {{tool}}"')
      type('o')
      choose('summary')
      type('Count the words of a file.<Esc>')
    end,
  },
  {
    'its parameters',
    function()
      type('o')
      choose('[conversation.tools.word_count.parameters.<parameter>]')
      type('path<Esc>')
      type('o')
      choose('type')
      accept('path')
      type('<Esc>o')
      choose('required')
      accept('true')
      reads('required = true')
    end,
  },
  {
    'what it may read',
    function()
      type('<Esc>o[[')
      accept('conversation.tools.word_count.access.fs')
      type('<Esc>o')
      choose('path')
      choose('docs/')
      reads('path = "docs/"')
      type('<Esc>o')
      choose('read')
      accept('true')
      reads('read = true')
      type('<Esc>o[[')
      accept('conversation.tools.word_count.access.config')
      type('<Esc>o')
      choose('path')
      choose('assistant')
      type('.')
      accept('assistant.model')
      reads('path = "assistant.model"')
      type('<Esc>o')
      choose('write')
      accept('true')
      reads('write = true')
    end,
  },
  {
    'when it is asked about',
    function()
      type('<Esc>o[')
      accept('conversation.tools.word_count.policy')
      type('<Esc>o')
      choose('result')
      accept('unattended')
      reads('result = "unattended"')
      type('<Esc>orun = [')
      choose('{ arg, prefix, mode }')
      -- The tool has one parameter, so there is nothing to choose.
      reads('run = [{ arg = "/path", prefix = "", mode = "" }')
      jump()
      choose('docs/')
      jump()
      accept('unattended')
      type('<Esc>A,')
      choose('{ mode }')
      accept('ask')
      type('<Esc>A]<Esc>')
      reads('run = [{ arg = "/path", prefix = "docs/", mode = "unattended" }, { mode = "ask" }]')
    end,
  },
  {
    'the file is what was meant, and nothing is wrong with it',
    function()
      t.equal(
        text(),
        table.concat({
          '[assistant]',
          'model.id = "anthropic/claude-sonnet-4"',
          '',
          "[conversation.tools.'*']",
          'run = "ask"',
          '',
          '[conversation.tools.word_count]',
          'source = "local"',
          'enable = true',
          'command = "wc -w {{tool}}"',
          'summary = "Count the words of a file."',
          '[conversation.tools.word_count.parameters.path]',
          'type = "path"',
          'required = true',
          '[[conversation.tools.word_count.access.fs]]',
          'path = "docs/"',
          'read = true',
          '[[conversation.tools.word_count.access.config]]',
          'path = "assistant.model"',
          'write = true',
          '[conversation.tools.word_count.policy]',
          'result = "unattended"',
          'run = [{ arg = "/path", prefix = "docs/", mode = "unattended" }, { mode = "ask" }]',
          '',
        }, '\n')
      )
      wait('no finding', function()
        return #codes() == 0
      end)
      type(':write<CR>')
      wait('the file', function()
        return lua('return not vim.bo.modified')
      end)
      local checked = vim.system({ vim.env.JP_LSP_BIN, 'check', '--deny', 'warnings', root }, { text = true }):wait()
      t.equal({ checked.code, checked.stdout }, { 0, '0 errors, 0 warnings\n' })
    end,
  },
})
