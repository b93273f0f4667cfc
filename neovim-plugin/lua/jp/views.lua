--- Buffers that show what a prompt is about: an overview above its list, the diff of a change, all details, what to edit.
local text = require('jp.text')

local M = {}

--- How many characters of a message a list has room for.
M.LINE_LIMIT = 200

---@type table<string, integer[]>
local buffers = {}
---@type table<string, integer>
local overviews = {}

local function scratch(prompt, name, lines, filetype)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].modeline = false
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  pcall(vim.api.nvim_buf_set_name, buffer, ('jp://prompt/%s/%s'):format(vim.uri_encode(prompt.id), name))
  vim.bo[buffer].filetype = filetype
  vim.bo[buffer].modifiable = false
  buffers[prompt.id] = buffers[prompt.id] or {}
  table.insert(buffers[prompt.id], buffer)
  return buffer
end

--- Both sides of what is to be compared, if there is anything.
local function sides(prompt)
  local compared = prompt.delta or (prompt.preview or {}).kind == 'diff' and prompt.preview
  if compared and type(compared.before) == 'string' and type(compared.after) == 'string' then
    return compared.before, compared.after
  end
end

--- Whether a prompt has something to compare.
---@param prompt jp.Prompt
---@return boolean
function M.has_diff(prompt)
  return sides(prompt) ~= nil
end

--- What is edited: the arguments as JSON, or the result.
--- Nil when the server left it out for its size, or when a number would not survive.
local function editable(prompt)
  local preview = prompt.preview or {}
  if prompt.kind == 'result' then
    return preview.content
  end
  return preview.arguments and text.json(preview.arguments)
end

local function deciding(buffer, decide)
  for command, action in pairs({ JpApply = 'approve', JpReject = 'reject' }) do
    vim.api.nvim_buf_create_user_command(buffer, command, function()
      decide({ action = action })
    end, { desc = 'Decide the prompt that is shown' })
  end
end

--- The message in one line, or nil when a list has no room for it.
---@param prompt jp.Prompt
---@return string?
function M.short_message(prompt)
  local message = text.visible(prompt.message or '')
  if message:find('\n', 1, true) == nil and vim.fn.strchars(message) <= M.LINE_LIMIT then
    return message
  end
end

--- What a person should see before deciding and a list has no room for.
local function overview(prompt)
  local lines = {}
  if prompt.context then
    vim.list_extend(lines, text.lines(prompt.context))
  end
  if prompt.kind ~= 'question' and M.short_message(prompt) == nil then
    vim.list_extend(lines, text.lines(prompt.message))
  end
  for _, sentence in ipairs((prompt.delta or {}).loosens or {}) do
    vim.list_extend(lines, text.lines('Loosens: ' .. sentence))
  end
  return lines
end

--- Opens what a list has no room for in a window above it, and leaves the cursor where it is.
---@param prompt jp.Prompt
function M.open_overview(prompt)
  M.close_overview(prompt)
  local lines = overview(prompt)
  if #lines == 0 then
    return
  end
  local buffer = scratch(prompt, 'overview', lines, '')
  overviews[prompt.id] = buffer
  local window = vim.api.nvim_open_win(buffer, false, { split = 'above', win = -1 })
  vim.wo[window].winbar = 'JP: ' .. text.for_bar(text.one_line(prompt.title, 120))
  vim.wo[window].wrap = true
  -- One line more for the bar.
  local height = vim.api.nvim_win_text_height(window, {}).all + 1
  vim.api.nvim_win_set_height(window, math.min(height, math.floor(vim.o.lines / 2)))
  -- The list may block before the next redraw.
  vim.cmd.redraw()
end

--- Closes the window above the list.
---@param prompt jp.Prompt
function M.close_overview(prompt)
  local buffer = overviews[prompt.id]
  overviews[prompt.id] = nil
  if buffer and vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
end

--- Opens the two sides in a tab of their own, with `:JpApply` and `:JpReject` in both.
---@param prompt jp.Prompt
---@param decide fun(answer: jp.Answer)
function M.diff(prompt, decide)
  local before, after = sides(prompt)
  local filetype = prompt.delta and 'toml' or vim.filetype.match({ filename = (prompt.preview or {}).path or '' }) or ''
  local left = scratch(prompt, 'before', text.lines(before), filetype)
  local right = scratch(prompt, 'after', text.lines(after), filetype)
  vim.cmd.tabnew()
  local empty = vim.api.nvim_get_current_buf()
  vim.api.nvim_win_set_buf(0, left)
  vim.cmd.diffthis()
  vim.api.nvim_open_win(right, true, { split = 'right', win = 0 })
  vim.cmd.diffthis()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    vim.wo[window].winbar = 'JP: :JpApply or :JpReject'
  end
  deciding(left, decide)
  deciding(right, decide)
  if vim.api.nvim_buf_is_valid(empty) and vim.api.nvim_buf_get_name(empty) == '' then
    pcall(vim.api.nvim_buf_delete, empty, {})
  end
end

--- What a preview shows, as the heading above it.
local SHOWN = { diff = 'Changes', command = 'Command', arguments = 'Arguments', text = 'Content' }

--- Arguments as a person reads them: a name and a value a line.
local function argument_lines(arguments)
  local names = vim.tbl_keys(arguments)
  table.sort(names)
  return table.concat(
    vim.tbl_map(function(name)
      return ('%s: %s'):format(name, text.plain(arguments[name]))
    end, names),
    '\n'
  )
end

--- Everything about a prompt, as lines; what tools and models wrote is indented, so that it cannot pass for a heading.
local function details(prompt)
  local lines = { text.one_line(prompt.title) }
  local function section(heading, body)
    if body ~= nil and vim.trim(body) ~= '' then
      vim.list_extend(lines, { '', heading })
      for _, line in ipairs(text.lines((body:gsub('%s+$', '')))) do
        table.insert(lines, line == '' and '' or '    ' .. line)
      end
    end
  end
  local preview = prompt.preview or {}
  local reason = require('jp.waiting').reason(prompt)
  if reason then
    table.insert(lines, reason)
  end
  section('Tool', prompt.tool.name)
  -- The preview says all that the message says.
  if preview.text == nil then
    section('Message', prompt.message)
  end
  section('Context', prompt.context)
  section('Question', (prompt.question or {}).text)
  if prompt.delta then
    local changes = vim.tbl_map(function(change)
      local now = change.op == 'unset' and 'unset' or ('= %s'):format(text.plain(change.new))
      return ('%s %s'):format(change.path, now)
    end, prompt.delta.changes or {})
    section('Changes', table.concat(changes, '\n'))
    section('This loosens what you have allowed', table.concat(prompt.delta.loosens or {}, '\n'))
  end
  if preview.kind == 'command' and type(preview.arguments) == 'table' then
    section('Arguments', argument_lines(preview.arguments))
  end
  local heading = SHOWN[preview.kind] or 'Content'
  section(preview.truncated and heading .. ' (not all of it)' or heading, preview.text)
  return lines
end

--- Opens everything that is known about a prompt.
---@param prompt jp.Prompt
---@param decide fun(answer: jp.Answer)
function M.details(prompt, decide)
  local buffer = scratch(prompt, 'details', details(prompt), '')
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
  deciding(buffer, decide)
end

--- Whether a text is a JSON object.
local function is_object(written)
  local ok, value = pcall(vim.json.decode, written)
  return ok and type(value) == 'table' and vim.startswith(vim.trim(written), '{')
end

--- Opens arguments or a result for editing; writing the buffer approves what it then holds.
---@param prompt jp.Prompt
---@param decide fun(answer: jp.Answer)
function M.edit(prompt, decide)
  local is_result = prompt.kind == 'result'
  local content = editable(prompt)
  if content == nil then
    vim.notify('JP: this is too large to be edited here, or holds a number that is', vim.log.levels.ERROR)
    return
  end
  local buffer = scratch(prompt, 'edit', vim.split(content, '\n'), is_result and '' or 'json')
  vim.bo[buffer].modifiable = true
  vim.bo[buffer].buftype = 'acwrite'
  vim.bo[buffer].modified = false
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buffer,
    callback = function()
      local written = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
      if not is_result and not is_object(written) then
        vim.notify('JP: the arguments must be a JSON object, such as {"path": "src"}', vim.log.levels.ERROR)
        return
      end
      vim.bo[buffer].modified = false
      -- Arguments go as the text that was written: numbers of Lua are narrower than those of JSON.
      decide({ action = 'edit', [is_result and 'value' or 'arguments'] = written })
    end,
  })
  vim.cmd.split()
  vim.api.nvim_win_set_buf(0, buffer)
  vim.wo[0].winbar = 'JP: :write approves with these changes'
end

--- Closes what shows a prompt.
---@param prompt jp.Prompt
function M.close(prompt)
  for _, buffer in ipairs(buffers[prompt.id] or {}) do
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.bo[buffer].modified = false
      pcall(vim.api.nvim_buf_delete, buffer, { force = true })
    end
  end
  buffers[prompt.id], overviews[prompt.id] = nil, nil
end

return M
