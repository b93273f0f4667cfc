#!/usr/bin/env bash
# Runs scenarios in the real VS Code: `run.sh [SCENARIO.mjs ..]`, by default all.
#
# Those in page/ run against the page of a conversation alone, as it is packed; those in real/ against the server that
# JP_LSP_BIN names, by default the one that is built here; those in fake/ against the stand-in in ../fake-server.
# Screenshots, logs and profiles stay in the folder that is printed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cache.sh"
. "$here/../scenarios.sh"

root=$(cd "$here/../../.." && pwd)
if [ -z "${JP_LSP_BIN:-}" ]; then
    cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --bin jp-lsp
    JP_LSP_BIN=${CARGO_TARGET_DIR:-$root/target}/debug/jp-lsp
fi
JP_LSP_BIN=$(realpath -e "$JP_LSP_BIN")
VSCODE_SERVER=$("$here/install.sh" | tail -1)
out=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}/editors/vscode")
rm -rf "$out"
mkdir -p "$out"
export VSCODE_SERVER JP_LSP_VSIX=$out/jp-lsp.vsix

extension=$root/vscode-extension
if ! cmp -s "$extension/package-lock.json" "$extension/node_modules/.installed"; then
    (cd "$extension" && npm ci --no-audit --no-fund --loglevel=error >&2)
    cp "$extension/package-lock.json" "$extension/node_modules/.installed"
fi
# Without its debugging symbols the server is packed in no time.
strip -o "$out/jp-lsp" "$JP_LSP_BIN" 2>/dev/null || cp "$JP_LSP_BIN" "$out/jp-lsp"
(cd "$extension" && node scripts/package.mjs --server "$out/jp-lsp" --out "$JP_LSP_VSIX")

scenarios=("$@")
if [ ${#scenarios[@]} -eq 0 ]; then
    scenarios=("$here"/page/conversation.mjs "$here"/real/{first,journey,conversation,talks,untrusted,commands,writing,beside,below,examples,record,colours,since_head}.mjs "$here"/fake/*.mjs)
fi

# Runs one scenario, in a folder of its own; what its first run left stands beside.
scenario() {
    local folder=$out/$(basename "$(dirname "$1")")-$(basename "$1" .mjs)
    if [ -e "$folder.first" ]; then rm -rf "$folder"; fi
    if [ -e "$folder" ]; then mv "$folder" "$folder.first"; fi
    mkdir -p "$folder"
    JP_LSP_OUT=$folder node "$1"
}

echo "screenshots and logs: $out"
run_scenarios "$out/logs" scenario "${scenarios[@]}"
