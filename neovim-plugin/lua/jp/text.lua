--- Text that tools and models wrote, made safe to show: `a\u{202e}b`, `␛` for an escape character.
local M = {}

--- What hides or moves other text, as ranges of code points; the same as in the server.
--- In UTF-8 they begin with the bytes that `visible` looks for.
local HIDDEN = {
  { 0x0, 0x8 },
  { 0xb, 0x1f },
  { 0x7f, 0x9f },
  { 0xad, 0xad },
  { 0x61c, 0x61c },
  { 0x180e, 0x180e },
  { 0x200b, 0x200b },
  { 0x200e, 0x200f },
  { 0x2028, 0x202e },
  { 0x2060, 0x206f },
  { 0xfeff, 0xfeff },
  { 0xfff9, 0xfffb },
  { 0xe0000, 0xe007f },
}

local function picture(character)
  local code = vim.fn.char2nr(character, true)
  for _, range in ipairs(HIDDEN) do
    if code >= range[1] and code <= range[2] then
      if code <= 0x1f then
        return vim.fn.nr2char(0x2400 + code, true)
      end
      return code == 0x7f and '␡' or ('\\u{%x}'):format(code)
    end
  end
  return character
end

--- The text with control, bidirectional and invisible characters spelled out; line feeds and tabs stay.
---@param text string
---@return string
function M.visible(text)
  text = tostring(text):gsub('\r\n', '\n')
  -- A null byte ends a string in Vim's functions, so it goes first.
  text = text:gsub('%z', '␀')
  -- Only what can be hidden is looked at: most of a long text needs no look.
  text = text:gsub('[\1-\8\11-\31\127]', picture)
  return (text:gsub('[\194\216\225\226\239\243][\128-\191]+', picture))
end

--- The text on one line of at most `limit` characters.
---@param text string?
---@param limit integer?
---@return string
function M.one_line(text, limit)
  limit = limit or 300
  local line = M.visible(text or ''):gsub('\n', '␊'):gsub('\t', ' ')
  if vim.fn.strchars(line) > limit then
    line = vim.fn.strcharpart(line, 0, limit - 1) .. '…'
  end
  return line
end

--- The text as it stands in a `winbar` or a `statusline`, where a percent sign is an instruction.
---@param line string
---@return string
function M.for_bar(line)
  return (line:gsub('%%', '%%%%'))
end

--- The text as lines of a buffer.
---@param text string?
---@return string[]
function M.lines(text)
  return vim.split(M.visible(text or ''), '\n')
end

--- A value as a person reads it: strings as they are, everything else as JSON.
---@param value any
---@return string
function M.plain(value)
  return type(value) == 'string' and value or vim.json.encode(value)
end

--- A number in the fewest digits that name it.
---@param number number
---@return string
local function digits(number)
  for precision = 14, 17 do
    local written = ('%%.%dg'):format(precision):format(number)
    if tonumber(written) == number then
      return written
    end
  end
  return vim.json.encode(number)
end

--- A value as JSON over several lines, with the keys of objects in order. Nil when Lua cannot hold a number of it.
---@param value any
---@param indent string?
---@return string?
function M.json(value, indent)
  indent = indent or ''
  if type(value) == 'number' then
    return math.abs(value) < 2 ^ 53 and digits(value) or nil
  elseif type(value) ~= 'table' or next(value) == nil then
    return vim.json.encode(value)
  end
  local inner = indent .. '  '
  local is_list = vim.islist(value)
  local keys = vim.tbl_keys(value)
  table.sort(keys)
  local lines = {}
  for _, key in ipairs(keys) do
    local written = M.json(value[key], inner)
    if written == nil then
      return nil
    end
    table.insert(lines, inner .. (is_list and '' or vim.json.encode(key) .. ': ') .. written)
  end
  local open, close = unpack(is_list and { '[', ']' } or { '{', '}' })
  return table.concat({ open, table.concat(lines, ',\n'), indent .. close }, '\n')
end

return M
