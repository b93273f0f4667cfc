--- The prompts that wait for a decision.
---
--- Dismissing a view of a prompt decides nothing: it stays here until it is answered here, answered elsewhere or dropped.
local M = {}

---@alias jp.Gone 'answered'|'elsewhere'|'withdrawn'|'dropped'|'superseded'

---@class jp.Waiting
---@field prompt jp.Prompt
---@field client integer The server that asks.
---@field settle fun(answer: jp.Answer?)

---@type jp.Waiting[]
local waiting = {}
---@type fun(waited: jp.Waiting, how: jp.Gone, answer: jp.Answer?)[]
local gone = {}

--- The place in the list of the first prompt for which this holds.
---@param holds fun(it: jp.Waiting): boolean
---@return integer?
local function find(holds)
  for index, it in ipairs(waiting) do
    if holds(it) then
      return index
    end
  end
end

---@param index integer?
---@param answer jp.Answer?
---@param how jp.Gone
---@return boolean
local function remove(index, answer, how)
  if index == nil then
    return false
  end
  local it = table.remove(waiting, index)
  it.settle(answer)
  for _, listener in ipairs(gone) do
    listener(it, how, answer)
  end
  vim.schedule(function()
    vim.cmd.redrawstatus({ bang = true })
  end)
  return true
end

--- Adds a prompt; `settle` is called once, with the answer or with nil when nothing was decided here.
---@param prompt jp.Prompt
---@param client integer
---@param settle fun(answer: jp.Answer?)
function M.add(prompt, client, settle)
  local same = find(function(it)
    return it.prompt.id == prompt.id and it.client == client
  end)
  remove(same, nil, 'superseded')
  table.insert(waiting, { prompt = prompt, client = client, settle = settle })
end

--- The prompts in the order in which they came.
---@return jp.Prompt[]
function M.list()
  return vim.tbl_map(function(it)
    return it.prompt
  end, waiting)
end

--- Whether this very prompt waits.
---@param prompt jp.Prompt
---@return boolean
function M.waits(prompt)
  return vim.list_contains(M.list(), prompt)
end

--- Answers a prompt. False when this very prompt waits no more: then nothing happens.
---@param prompt jp.Prompt
---@param answer jp.Answer
---@return boolean
function M.answer(prompt, answer)
  local index = find(function(it)
    return it.prompt == prompt
  end)
  return remove(index, answer, 'answered')
end

--- Takes away a prompt that was decided elsewhere or withdrawn.
---@param client integer
---@param id string
---@param action string What came of it.
---@return boolean
function M.resolved(client, id, action)
  local by_nobody = action == 'withdrawn' or action == 'unavailable'
  local index = find(function(it)
    return it.prompt.id == id and it.client == client
  end)
  return remove(index, nil, by_nobody and 'withdrawn' or 'elsewhere')
end

--- Takes away every prompt of a server, and says how many there were.
---@param client integer
---@return integer
function M.drop(client)
  local function of_client(it)
    return it.client == client
  end
  local count = 0
  while remove(find(of_client), nil, 'dropped') do
    count = count + 1
  end
  return count
end

--- Calls `listener` whenever a prompt goes: with it, how it went, and the answer if it was given here.
---@param listener fun(waited: jp.Waiting, how: jp.Gone, answer: jp.Answer?)
function M.on_gone(listener)
  table.insert(gone, listener)
end

return M
