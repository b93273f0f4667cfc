--- Conversations: which run, and each as a Markdown buffer that grows while the assistant writes.
local text = require('jp.text')

local M = {
  --- The conversation that was used last, of each workspace.
  ---@type table<string, string>
  last = {},
  --- The conversations in which a turn runs, and the server that runs it.
  ---@type table<string, integer>
  running = {},
}

---@class jp.View
---@field buffer integer
---@field recorded string[] What the server recorded; what the assistant is writing follows.
---@field streaming string What the assistant is writing.
---@field failure string? Why the last turn failed, which is not recorded.
---@field reading boolean Whether the recorded text is on its way.
---@field stale boolean Whether it was recorded to since then.
---@field client integer The server that keeps it.
---@field fill string How full the model's context window is, in the server's words.
---@field retrying string What failed and is tried again; empty where nothing is.

---@type table<string, jp.View>
local open = {}

--- Shows above a conversation what is tried again, else how full the model's context window is.
---@param view jp.View
local function show_fill(view)
  local above = view.retrying ~= '' and view.retrying or view.fill
  for _, window in ipairs(vim.fn.win_findbuf(view.buffer)) do
    -- Of this buffer in this window only: another conversation may come into it.
    vim.wo[window][0].winbar = text.for_bar(text.one_line(above, 200))
  end
end

--- Replaces the lines from `first` on, and keeps a cursor at the end that was at the end.
---@param buffer integer
---@param first integer Counted from 0.
---@param lines string[]
local function replace(buffer, first, lines)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  local last = vim.api.nvim_buf_line_count(buffer)
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, first, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  local now = vim.api.nvim_buf_line_count(buffer)
  M.mark(buffer)
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { now, 0 })
  end
end

--- Draws what waits for a decision below the conversation of a buffer, or of every one.
---@param buffer integer?
function M.mark(buffer)
  for id, view in pairs(open) do
    if buffer == nil or view.buffer == buffer then
      require('jp.waiting').update(view.buffer, id)
    end
  end
end

--- Shows what the server recorded, and leaves alone what stands there already.
---@param view jp.View
---@param markdown string
local function show_recorded(view, markdown)
  local lines = text.lines(markdown)
  local same = 0
  while same < #lines and lines[same + 1] == view.recorded[same + 1] do
    same = same + 1
  end
  view.recorded, view.streaming = lines, ''
  local changed = vim.list_slice(lines, same + 1)
  if view.failure then
    vim.list_extend(changed, { '', 'The turn failed: ' .. view.failure })
  end
  replace(view.buffer, same, changed)
end

--- Shows what the assistant is writing, below what is recorded.
---@param view jp.View
local function show_streaming(view)
  local lines = { '', '### Assistant (writing)', '' }
  for _, line in ipairs(text.lines(view.streaming)) do
    table.insert(lines, '> ' .. line)
  end
  replace(view.buffer, #view.recorded, lines)
end

--- Reads a conversation again; changes that come meanwhile lead to one more reading.
---@param client vim.lsp.Client
---@param id string
---@param view jp.View
local function read(client, id, view)
  if view.reading then
    view.stale = true
    return
  end
  view.reading, view.stale = true, false
  client:request('jp/conversation/read', { conversation = id, last = 0 }, function(err, result)
    view.reading = false
    if err == nil and result ~= nil then
      show_recorded(view, result.markdown)
    elseif err and #view.recorded == 0 then
      vim.notify('JP: ' .. text.one_line(err.message or vim.inspect(err)), vim.log.levels.ERROR)
    end
    if view.stale then
      read(client, id, view)
    end
  end)
end

--- Remembers that a turn of a conversation runs.
---@param client vim.lsp.Client
---@param id string
function M.started(client, id)
  M.running[id], M.last[client.root_dir or ''] = client.id, id
end

--- Serves `jp/conversation/event`.
---@param params { conversation: string, event: table }
---@param context lsp.HandlerContext
function M.handle(_, params, context)
  local event, id = params.event, params.conversation
  local view = open[id]
  if view and (event.type == 'retrying' or view.retrying ~= '') then
    view.retrying = event.type == 'retrying' and event.text or ''
    show_fill(view)
  end
  if event.type == 'retrying' then
    return
  elseif event.type == 'delta_text' then
    if view then
      view.streaming = view.streaming .. (event.text or '')
      show_streaming(view)
    end
    return
  elseif event.type == 'usage' then
    if view then
      view.fill = event.text or ''
      show_fill(view)
    end
    return
  elseif event.type == 'call_state' then
    -- The conversation is read again when its result is recorded.
    return
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  if view and event.type == 'turn_start' then
    view.failure = nil
  end
  if event.type == 'turn_start' and client then
    M.started(client, id)
  elseif event.type == 'turn_end' then
    M.running[id] = nil
    if event.outcome == 'failed' then
      local why = text.one_line(event.error or 'no reason was given')
      vim.notify('JP: the turn failed: ' .. why, vim.log.levels.ERROR)
      if view then
        view.failure = why
      end
    end
  end
  vim.cmd.redrawstatus({ bang = true })
  if view and client then
    read(client, id, view)
  end
end

---@param client vim.lsp.Client
---@param id string
---@return jp.View
local function new_view(client, id)
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, 'jp://conversation/' .. vim.uri_encode(id))
  vim.bo[buffer].modeline = false
  vim.bo[buffer].filetype = 'markdown'
  vim.bo[buffer].modifiable = false
  return {
    buffer = buffer,
    recorded = {},
    streaming = '',
    reading = false,
    stale = false,
    client = client.id,
    fill = '',
    retrying = '',
  }
end

--- The server that keeps the conversation that a buffer shows, if it runs.
---@param buffer integer
---@return vim.lsp.Client?
function M.client_of(buffer)
  local _, shown = vim.iter(open):find(function(_, view)
    return view.buffer == buffer
  end)
  return shown and vim.lsp.get_client_by_id(shown.client)
end

--- The window of this tab page that shows a conversation, if there is one: all conversations share it.
---@return integer?
local function window_of_conversations()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    local buffer = vim.api.nvim_win_get_buf(window)
    return vim.iter(open):any(function(_, view)
      return view.buffer == buffer
    end)
  end)
end

--- The conversation that a buffer shows.
---@param buffer integer
---@return string?
function M.id_of(buffer)
  return (vim.iter(open):find(function(_, view)
    return view.buffer == buffer
  end))
end

--- Opens a conversation in a split, or in the one that shows another.
---@param client vim.lsp.Client
---@param id string
function M.show(client, id)
  local view = open[id]
  if view == nil or not vim.api.nvim_buf_is_valid(view.buffer) then
    view = new_view(client, id)
    open[id] = view
  end
  view.client = client.id
  if vim.fn.bufwinid(view.buffer) == -1 then
    local window = window_of_conversations()
    if window == nil then
      window = vim.api.nvim_open_win(view.buffer, false, { split = 'right', win = -1 })
    else
      vim.api.nvim_win_set_buf(window, view.buffer)
    end
    -- Nothing of what was said may be concealed.
    vim.wo[window].conceallevel = 0
  end
  show_fill(view)
  read(client, id, view)
end

--- A server is gone, and every turn of it: what was being written will not be finished.
---@param client integer
function M.stopped(client)
  for id in pairs(vim.deepcopy(M.running)) do
    if M.running[id] == client then
      M.running[id] = nil
      local view = open[id]
      if view then
        view.reading, view.stale = false, false
        local last_words = { '', 'The server stopped; this turn did not end.' }
        replace(view.buffer, vim.api.nvim_buf_line_count(view.buffer), last_words)
      end
    end
  end
end

return M
