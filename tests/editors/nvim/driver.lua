--- Drives Neovim as its user would: scenarios answer what the plugin asks through `vim.ui` and look at buffers.
---
--- ```lua
--- local t = dofile(vim.env.JP_NVIM_DRIVER)
--- t.scenario({ { 'a check', function() t.equal(1, 1) end } })
--- ```
local M = { selected = {}, entered = {}, notices = {} }

--- The root of this repository.
M.repository = vim.fs.normalize(vim.fs.dirname(vim.env.JP_NVIM_DRIVER) .. '/../../..')

-- Scenarios in `plain/` do without the plugin.
if vim.env.JP_NVIM_PLUGIN then
  vim.opt.runtimepath:prepend(vim.env.JP_NVIM_PLUGIN)
  vim.cmd.runtime('plugin/jp.lua')
end
-- Neovim started as a script interpreter leaves these off.
vim.cmd('filetype on')

--- Waits until `condition` holds, and returns what it returned.
function M.wait(what, condition, limit)
  local found
  local ok = vim.wait(limit or 10000, function()
    found = condition()
    return found
  end, 5)
  if not ok then
    error('in vain: ' .. what .. '\n' .. vim.inspect(M.notices), 2)
  end
  return found
end

--- Fails unless both are equal, and shows them.
function M.equal(got, expected)
  if not vim.deep_equal(got, expected) then
    error(('got %s\nexpected %s'):format(vim.inspect(got), vim.inspect(expected)), 2)
  end
end

-- Everything that the plugin asks is kept until the scenario answers it.
vim.ui.select = function(items, options, callback)
  local labels = vim.tbl_map(options.format_item or tostring, items)
  table.insert(M.selected, { prompt = options.prompt, labels = labels, items = items, callback = callback })
end
vim.ui.input = function(options, callback)
  table.insert(M.entered, { prompt = options.prompt, default = options.default, callback = callback })
end
vim.notify = function(message)
  table.insert(M.notices, message)
end

--- The list that is open; chosen by label, dismissed without one.
function M.choose(label)
  local list = M.wait('a list', function()
    return M.selected[1]
  end)
  table.remove(M.selected, 1)
  for index, it in ipairs(list.labels) do
    if it == label then
      list.callback(list.items[index], index)
      return list
    end
  end
  if label ~= nil then
    error(('no `%s` among %s'):format(label, vim.inspect(list.labels)), 2)
  end
  list.callback(nil, nil)
  return list
end

--- The text that is asked for; dismissed without one.
function M.enter(given)
  local asked = M.wait('a question', function()
    return M.entered[1]
  end)
  table.remove(M.entered, 1)
  asked.callback(given)
  return asked
end

--- Writes a file, and the folders around it.
function M.write(path, content)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'wb'))
  file:write(content)
  file:close()
end

--- A workspace with the given files; `name` tells several apart.
function M.workspace(files, name)
  local root = vim.env.JP_LSP_OUT .. '/' .. (name or 'workspace')
  for path, content in pairs(files) do
    M.write(root .. '/' .. path, content)
  end
  return root
end

--- A workspace that is a copy of a folder, named from the root of this repository.
function M.copy(folder, name)
  local source = M.repository .. '/' .. folder
  local files = {}
  for path, kind in vim.fs.dir(source, { depth = 9 }) do
    if kind == 'file' then
      files[path] = M.read(source .. '/' .. path)
    end
  end
  return M.workspace(files, name)
end

--- The text of a file, or nil.
function M.read(path)
  local file = io.open(path, 'rb')
  if file == nil then
    return nil
  end
  -- A folder can be opened, and not read.
  local content = file:read('a')
  file:close()
  return content
end

--- The lines of a buffer, the current one by default.
function M.lines(buffer)
  return vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false)
end

--- The line, counted from 0, that holds a text.
function M.line(buffer, text)
  for number, line in ipairs(M.lines(buffer)) do
    if line:find(text, 1, true) then
      return number - 1
    end
  end
  error('no line with ' .. text, 2)
end

--- Waits until the server of the current buffer has started, and returns it.
function M.server()
  return M.wait('the server', function()
    local client = vim.lsp.get_clients({ name = 'jp_lsp', bufnr = 0 })[1]
    return client and client.initialized and client
  end)
end

--- Waits for a buffer whose name holds a text.
function M.buffer(name)
  return M.wait('buffer ' .. name, function()
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_get_name(buffer):find(name, 1, true) then
        return buffer
      end
    end
  end)
end

--- Waits for a window that floats, closes it, and returns what it says.
function M.floated()
  local window = M.wait('a float', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(window)
      return vim.api.nvim_win_get_config(window).relative ~= ''
    end)
  end)
  local lines = M.lines(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_close(window, true)
  return lines
end

--- Waits until a line of a buffer holds a text.
function M.says(buffer, text)
  local ok, err = pcall(M.wait, ('`%s` in %s'):format(text, vim.api.nvim_buf_get_name(buffer)), function()
    return vim.iter(M.lines(buffer)):any(function(line)
      return line:find(text, 1, true) ~= nil
    end)
  end)
  if not ok then
    error(('%s\n%s'):format(err, table.concat(M.lines(buffer), '\n')), 2)
  end
end

--- What is reported of a buffer: line, first column, code.
function M.reported(buffer)
  return vim.tbl_map(function(it)
    return { it.lnum, it.col, it.code }
  end, vim.diagnostic.get(buffer or 0))
end

--- Waits until exactly this is reported.
function M.reports(buffer, expected)
  local ok, err = pcall(M.wait, 'diagnostics', function()
    return vim.deep_equal(M.reported(buffer), expected)
  end)
  if not ok then
    error(('%s\nreported %s\nexpected %s'):format(err, vim.inspect(M.reported(buffer)), vim.inspect(expected)), 2)
  end
end

--- Waits for a notice that holds a text.
function M.notice(text)
  return M.wait('the notice ' .. text, function()
    return vim.iter(M.notices):find(function(notice)
      return notice:find(text, 1, true) ~= nil
    end)
  end)
end

--- Types in normal mode, as keys.
function M.keys(text)
  vim.api.nvim_feedkeys(vim.keycode(text), 'tx', false)
end

--- The blocks of Lua in a document of this repository, which are to be run as they stand.
function M.blocks(document)
  local blocks = {}
  for block in M.read(M.repository .. '/' .. document):gmatch('\n```lua\n(.-\n)```') do
    table.insert(blocks, block)
  end
  return blocks
end

--- Puts `jp-lsp` on the path, as somebody has it who installed it.
function M.put_on_path()
  local folder = vim.env.JP_LSP_OUT .. '/bin'
  vim.fn.mkdir(folder, 'p')
  vim.uv.fs_symlink(vim.env.JP_LSP_BIN, folder .. '/jp-lsp')
  vim.env.PATH = folder .. ':' .. vim.env.PATH
end

--- What the stand-in server received, one table a message.
function M.received()
  local file = io.open(vim.env.JP_FAKE_LOG)
  if file == nil then
    return {}
  end
  local text = file:read('a')
  file:close()
  local messages = {}
  -- The stand-in may be in the middle of a line.
  for line in text:gmatch('([^\n]*)\n') do
    table.insert(messages, vim.json.decode(line))
  end
  return messages
end

--- Runs the checks one after another, prints each, and ends Neovim.
function M.scenario(checks)
  local passed = 0
  for _, check in ipairs(checks) do
    local began = vim.uv.now()
    local ok, err = xpcall(check[2], debug.traceback)
    vim.uv.update_time()
    if not ok then
      io.stdout:write(('not ok %s: %s\n'):format(check[1], err))
      break
    end
    passed = passed + 1
    io.stdout:write(('ok %s (%d ms)\n'):format(check[1], vim.uv.now() - began))
  end
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  io.stdout:write(('%d passed, %d failed\n'):format(passed, #checks - passed))
  os.exit(passed == #checks and #checks > 0 and 0 or 1)
end

return M
