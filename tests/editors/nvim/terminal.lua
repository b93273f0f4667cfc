--- A Neovim with a screen and a keyboard, within the one that runs the scenario.
---
--- ```lua
--- local terminal = dofile(vim.fs.dirname(vim.env.JP_NVIM_DRIVER) .. '/terminal.lua')
--- local screen = terminal.start(t, { '-u', 'init.lua' })
--- screen.keys('ihello<Esc>')
--- screen.sees('hello')
--- ```
local M = {}

--- How many columns and lines the screen has.
M.WIDTH, M.HEIGHT = 100, 30

--- Starts Neovim with these arguments; `t` is the driver of the scenario.
---@param t table
---@param arguments string[]
function M.start(t, arguments)
  vim.o.columns, vim.o.lines = M.WIDTH, M.HEIGHT + 2
  vim.cmd.redraw()
  local buffer = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_win_set_buf(0, buffer)
  local job = vim.fn.jobstart(vim.list_extend({ vim.v.progpath, '--clean' }, arguments), { term = true })
  local screen = { buffer = buffer, job = job }

  --- What the screen shows.
  function screen.text()
    return table.concat(t.lines(buffer), '\n')
  end

  --- Presses keys, written as in mappings.
  function screen.keys(keys)
    vim.api.nvim_chan_send(job, vim.keycode(keys))
  end

  --- Waits until the screen shows a text; the text is unbroken on one line.
  function screen.sees(text)
    local ok = pcall(t.wait, text, function()
      return screen.text():find(text, 1, true) ~= nil
    end)
    if not ok then
      error(('the screen does not show `%s`:\n%s'):format(text, screen.text()), 2)
    end
  end

  --- Waits until the screen shows a text no more.
  function screen.sees_no_more(text)
    local ok = pcall(t.wait, text, function()
      return screen.text():find(text, 1, true) == nil
    end)
    if not ok then
      error(('the screen still shows `%s`:\n%s'):format(text, screen.text()), 2)
    end
  end

  return screen
end

return M
