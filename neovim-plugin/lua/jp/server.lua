--- What happens when the server ends, and how it comes back.
local M = {}

--- A server that crashes again and again is left alone after this many times in this many milliseconds.
M.CRASH_LIMIT = 4
M.CRASH_WINDOW_MS = 180000

---@type integer[]
local crashes = {}

--- Whether the server may come back after a crash at this time.
local function may_return(now)
  crashes = vim.tbl_filter(function(crash)
    return now - crash < M.CRASH_WINDOW_MS
  end, crashes)
  table.insert(crashes, now)
  return #crashes <= M.CRASH_LIMIT
end

--- Starts the server for the config files that are open and have none.
local function start()
  vim.lsp.enable('jp_lsp', false)
  vim.lsp.enable('jp_lsp')
end

--- Serves the end of a server: refuses its prompts, says so, and starts it again when it crashed.
---@param code integer
---@param signal integer
---@param client integer
function M.exited(code, signal, client)
  vim.schedule(function()
    local refused = require('jp.pending').drop(client)
    require('jp.conversation').stopped(client)
    -- Signal 15 is how the editor stops a server that does not stop by itself.
    local crashed = code ~= 0 or (signal ~= 0 and signal ~= 15)
    if vim.v.exiting ~= vim.NIL or (not crashed and refused == 0) then
      return
    end
    local why = signal ~= 0 and ('signal %d'):format(signal) or ('code %d'):format(code)
    local lost = refused > 0 and ('; open prompts were refused: %d'):format(refused) or ''
    local returns = crashed and may_return(vim.uv.now())
    local next_step = returns and 'It is started again' or ':JpRestart starts it again'
    vim.notify(('JP: the server stopped (%s)%s. %s.'):format(why, lost, next_step), vim.log.levels.WARN)
    if returns then
      -- The editor forgets the old server in a callback of its own, which is queued already.
      vim.schedule(start)
    end
  end)
end

--- Stops every server, and starts them for the open config files.
function M.restart()
  crashes = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = 'jp_lsp' })) do
    client:stop(true)
  end
  vim.wait(3000, function()
    return #vim.lsp.get_clients({ name = 'jp_lsp' }) == 0
  end, 20)
  start()
end

return M
