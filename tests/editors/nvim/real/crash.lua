--- A server that is killed in the middle of a turn: what it asked is refused, it is started again, and nothing has run.
local t = dofile(vim.env.JP_NVIM_DRIVER)
local jp = require('jp')
local pending = require('jp.pending')

local root = t.copy('tests/editors/turns')
vim.env.JP_LSP_TEST_SCRIPT = root .. '/script.toml'

-- The editor does not tell the number of the server's process, so it starts it through a shell that does.
local server = root .. '/server.sh'
t.write(server, '#!/bin/sh\necho $$ > "$0.pid"\nexec "$JP_LSP_BIN" "$@"\n')
vim.uv.fs_chmod(server, 493)

--- Kills the server as the kernel does when memory runs out.
local function kill()
  vim.uv.kill(assert(tonumber(t.read(server .. '.pid'))), 'sigkill')
end

local function next_server(before)
  return t.wait('another server', function()
    local client = jp.client()
    return client and client.id ~= before and client.initialized and client
  end)
end

t.scenario({
  {
    'a prompt waits',
    function()
      jp.setup({ cmd = { server } })
      vim.cmd.edit(root .. '/.jp/config.toml')
      t.server()
      vim.cmd.JpTrust()
      vim.cmd.JpQuery('Leave a note')
      t.choose(nil)
      t.equal(jp.status(), 'JP: 1 prompt')
    end,
  },
  {
    'the server is killed: the prompt is refused, and a message says so',
    function()
      local before = jp.client().id
      kill()
      t.notice('JP: the server stopped (signal 9); open prompts were refused: 1. It is started again.')
      t.equal(#pending.list(), 0)
      t.says(t.buffer('jp://conversation/'), 'The server stopped; this turn did not end.')
      next_server(before)
      t.equal(jp.status(), 'JP')
      t.equal(t.read(root .. '/notes.txt'), nil)
    end,
  },
  {
    'it checks config again',
    function()
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'oops = 1' })
      t.wait('a diagnostic', function()
        return #t.reported() == 1
      end)
      vim.cmd.undo()
      t.reports(0, {})
    end,
  },
  {
    'it still knows that the workspace is trusted, and goes on with the conversation',
    function()
      vim.cmd('JpQuery! Leave a note')
      t.choose('Run')
      t.says(t.buffer('jp://conversation/'), 'The note is there.')
      t.equal(t.read(root .. '/notes.txt'), 'approved\n')
    end,
  },
  {
    'a server that crashes again and again is left alone until it is asked for',
    function()
      for _ = 1, require('jp.server').CRASH_LIMIT - 1 do
        local before = jp.client().id
        kill()
        next_server(before)
      end
      kill()
      t.notice('JP: the server stopped (signal 9). :JpRestart starts it again.')
      t.wait('no server', function()
        return jp.client() == nil
      end)
      t.equal(jp.status(), '')
      vim.cmd.JpRestart()
      next_server(nil)
    end,
  },
})
