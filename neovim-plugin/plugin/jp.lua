--- The commands; nothing is loaded before one is used.
if vim.g.loaded_jp then
  return
end
vim.g.loaded_jp = true

local function command(name, run, options)
  vim.api.nvim_create_user_command(name, function(given)
    require('jp.commands')[run](given)
  end, options)
end

command('JpQuery', 'query', { nargs = '*', range = true, bang = true, desc = 'Ask the assistant; ! continues' })
command('JpInit', 'init', { desc = 'Write a first config' })
command('JpStop', 'stop', { desc = 'End the running turn' })
command('JpInterrupt', 'interrupt', { desc = 'Change the course of the running turn' })
command('JpKeep', 'keep', { nargs = '?', complete = 'file', desc = 'Write an applied config change into a file' })
command('JpConversation', 'conversation', { nargs = '?', desc = 'Open a conversation' })
command('JpRename', 'rename', { nargs = '*', desc = 'Give the conversation another title' })
command('JpUndoTurn', 'undo_turn', { desc = 'Go on from before the last turn' })
command('JpTrust', 'trust', { desc = 'Let the assistant run in this workspace' })
command('JpExplain', 'explain', { nargs = '+', desc = 'Explain a config path, or what would be decided about a call' })
command('JpSaveExample', 'save_example', { nargs = '*', desc = 'Save a call or an access as an example of what is decided now' })
command('JpEffectiveConfig', 'effective_config', { desc = 'Show what all config files make together' })
command('JpChanges', 'changes', { nargs = '?', desc = 'Show what tools lost or gained since the last commit' })
command('JpTests', 'tests', { desc = 'List the examples of the rules that do not hold' })
command('JpRestart', 'restart', { desc = 'Restart the server' })
vim.api.nvim_create_user_command('JpPrompts', function()
  require('jp.prompts').open()
end, { desc = 'Decide pending prompts' })
