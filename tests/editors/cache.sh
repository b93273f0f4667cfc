# Where the editors that the tests drive are installed: outside the tree, shared by all checkouts.
# Sourced by the scripts beside it.
JP_LSP_EDITORS_CACHE=$(realpath -m "${JP_LSP_EDITORS_CACHE:-$HOME/.cache/jp-lsp-editors}")
export JP_LSP_EDITORS_CACHE
mkdir -p "$JP_LSP_EDITORS_CACHE"
