--- Conversations: which run, and each as a Markdown buffer that grows while the assistant writes.
local text = require('jp.text')

local M = {
  --- The conversation that was used last.
  ---@type string?
  last = nil,
  --- The conversations in which a turn runs.
  ---@type table<string, boolean>
  running = {},
}

---@type table<string, { buffer: integer, markdown: string, streaming: string, reading: boolean, stale: boolean }>
local open = {}

local function render(view)
  if not vim.api.nvim_buf_is_valid(view.buffer) then
    return
  end
  local lines = text.lines(view.markdown)
  if view.streaming ~= '' then
    vim.list_extend(lines, { '', '### Assistant (writing)', '' })
    for _, line in ipairs(text.lines(view.streaming)) do
      table.insert(lines, '    ' .. line)
    end
  end
  vim.bo[view.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(view.buffer, 0, -1, false, lines)
  vim.bo[view.buffer].modifiable = false
  vim.bo[view.buffer].modified = false
end

--- Reads a conversation again; changes that come meanwhile lead to one more reading.
local function read(client, id, view)
  if view.reading then
    view.stale = true
    return
  end
  view.reading, view.stale = true, false
  client:request('jp/conversation/read', { conversation = id }, function(err, result)
    view.reading = false
    if err == nil and result ~= nil then
      view.markdown, view.streaming = result.markdown, ''
      render(view)
    end
    if view.stale then
      read(client, id, view)
    end
  end)
end

--- Serves `jp/conversation/event`.
function M.handle(_, params, context)
  local event, id = params.event, params.conversation
  local view = open[id]
  if event.type == 'delta_text' then
    if view then
      view.streaming = view.streaming .. (event.text or '')
      render(view)
    end
    return
  end
  if event.type == 'turn_start' then
    M.running[id], M.last = true, id
  elseif event.type == 'turn_end' then
    M.running[id] = nil
    if event.outcome == 'failed' then
      vim.notify(('JP: the turn failed: %s'):format(text.one_line(event.error or 'no reason was given')), vim.log.levels.ERROR)
    end
  end
  vim.cmd.redrawstatus({ bang = true })
  local client = vim.lsp.get_client_by_id(context.client_id)
  if view and client then
    read(client, id, view)
  end
end

--- Opens a conversation in a split.
---@param client vim.lsp.Client
---@param id string
function M.show(client, id)
  local view = open[id]
  if view == nil or not vim.api.nvim_buf_is_valid(view.buffer) then
    local buffer = vim.api.nvim_create_buf(false, true)
    pcall(vim.api.nvim_buf_set_name, buffer, 'jp://conversation/' .. vim.uri_encode(id))
    vim.bo[buffer].modeline = false
    vim.bo[buffer].filetype = 'markdown'
    vim.bo[buffer].modifiable = false
    view = { buffer = buffer, markdown = '', streaming = '', reading = false, stale = false }
    open[id] = view
  end
  if vim.fn.bufwinid(view.buffer) == -1 then
    vim.cmd('botright vsplit')
    vim.api.nvim_win_set_buf(0, view.buffer)
    -- Nothing of what was said may be concealed.
    vim.wo[0].conceallevel = 0
    vim.cmd.wincmd('p')
  end
  read(client, id, view)
end

--- The server is gone, and every turn with it.
function M.stopped()
  M.running = {}
end

return M
