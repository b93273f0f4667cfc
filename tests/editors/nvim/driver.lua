--- Drives Neovim as its user would: scenarios answer what the plugin asks through `vim.ui` and look at buffers.
---
--- ```lua
--- local t = dofile(vim.env.JP_NVIM_DRIVER)
--- t.scenario({ { 'a check', function() t.equal(1, 1) end } })
--- ```
local M = { selected = {}, entered = {}, notices = {} }

vim.opt.runtimepath:prepend(vim.env.JP_NVIM_PLUGIN)
vim.cmd.runtime('plugin/jp.lua')
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

--- A workspace with the given files.
function M.workspace(files)
  local root = vim.env.JP_LSP_OUT .. '/workspace'
  for path, content in pairs(files) do
    vim.fn.mkdir(vim.fs.dirname(root .. '/' .. path), 'p')
    vim.fn.writefile(vim.split(content, '\n'), root .. '/' .. path)
  end
  return root
end

--- What the stand-in server received, one table a message.
function M.received()
  local file = io.open(vim.env.JP_FAKE_LOG)
  if file == nil then
    return {}
  end
  local messages = {}
  for line in file:lines() do
    table.insert(messages, vim.json.decode(line))
  end
  file:close()
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
