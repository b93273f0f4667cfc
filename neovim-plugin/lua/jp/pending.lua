--- The prompts that wait for a decision.
---
--- Dismissing a view of a prompt decides nothing: it stays here until it is answered here, answered elsewhere or dropped.
local M = {}

---@type { prompt: table, settle: fun(answer: table?) }[]
local waiting = {}
---@type fun(prompt: table, how: 'answered'|'elsewhere'|'dropped'|'superseded')[]
local gone = {}

local function remove(id, answer, how)
  for index, entry in ipairs(waiting) do
    if entry.prompt.id == id then
      table.remove(waiting, index)
      entry.settle(answer)
      for _, listener in ipairs(gone) do
        listener(entry.prompt, how)
      end
      vim.schedule(function()
        vim.cmd.redrawstatus({ bang = true })
      end)
      return true
    end
  end
  return false
end

--- Adds a prompt; `settle` is called once, with the answer or with nil when nothing was decided here.
---@param prompt table
---@param settle fun(answer: table?)
function M.add(prompt, settle)
  remove(prompt.id, nil, 'superseded')
  table.insert(waiting, { prompt = prompt, settle = settle })
end

--- The prompts in the order in which they came.
---@return table[]
function M.list()
  return vim.tbl_map(function(entry)
    return entry.prompt
  end, waiting)
end

--- Whether this very prompt waits.
---@param prompt table
---@return boolean
function M.waits(prompt)
  return vim.tbl_contains(M.list(), prompt)
end

--- Answers a prompt. False when it waits no more, or when the digest is another prompt's: then nothing happens.
---@param prompt table
---@param answer table
---@return boolean
function M.answer(prompt, answer)
  for _, waits in ipairs(M.list()) do
    if waits.id == prompt.id and waits.digest == prompt.digest then
      return remove(prompt.id, answer, 'answered')
    end
  end
  return false
end

--- Takes away a prompt that was decided or withdrawn elsewhere.
---@param id string
---@return boolean
function M.resolved(id)
  return remove(id, nil, 'elsewhere')
end

--- Takes away every prompt, and says how many there were.
---@return integer
function M.drop()
  local prompts = M.list()
  for _, prompt in ipairs(prompts) do
    remove(prompt.id, nil, 'dropped')
  end
  return #prompts
end

--- Calls `listener` whenever a prompt goes.
function M.on_gone(listener)
  table.insert(gone, listener)
end

return M
