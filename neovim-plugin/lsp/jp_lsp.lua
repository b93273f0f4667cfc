--- The server's configuration for `vim.lsp.enable('jp_lsp')`.
local text = require('jp.text')

return {
  cmd = { 'jp-lsp' },
  filetypes = { 'toml' },
  -- Other TOML files of the workspace are not config of `jp`.
  root_dir = function(buffer, found)
    local path = vim.api.nvim_buf_get_name(buffer)
    if require('jp').is_config(path) then
      -- A config that is not saved yet may have no folder on the disk.
      local around = vim.fs.normalize(path):match('^(.+)/%.jp/')
      found(around or vim.fs.root(path, '.jp') or vim.fs.dirname(path))
    end
  end,
  capabilities = { experimental = { jp = { prompts = true, turnDetails = true } } },
  before_init = function(params, config)
    local jp = require('jp')
    params.initializationOptions = {
      trusted = jp.trusts(config.root_dir or ''),
      dialect = jp.options.dialect,
    }
  end,
  handlers = {
    ['jp/prompt'] = function(...)
      return require('jp.prompts').handle(...)
    end,
    ['jp/promptResolved'] = function(_, params, context)
      require('jp.pending').resolved(context.client_id, params.id, params.action)
    end,
    ['jp/conversation/event'] = function(...)
      require('jp.conversation').handle(...)
    end,
    ['jp/notice'] = function(_, params)
      vim.notify('JP: ' .. text.one_line(params.text, 600))
    end,
  },
  on_exit = function(...)
    require('jp.server').exited(...)
  end,
}
