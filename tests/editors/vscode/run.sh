#!/usr/bin/env bash
# Runs scenarios in the real VS Code: `run.sh [SCENARIO.mjs ..]`, by default those for the stand-in server.
#
# JP_LSP_BIN names the server that is packed into the extension; default: the stand-in in ../fake-server.
# Screenshots, logs and profiles stay in the folder that is printed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cache.sh"

JP_LSP_BIN=$(realpath -m "${JP_LSP_BIN:-$here/../fake-server/jp-lsp}")
VSCODE_SERVER=$("$here/install.sh" | tail -1)
out=$JP_LSP_EDITORS_CACHE/runs/vscode
rm -rf "$out"
mkdir -p "$out"
export VSCODE_SERVER JP_LSP_VSIX=$out/jp-lsp.vsix JP_LSP_OUT=$out

extension=$here/../../../vscode-extension
if [ ! -d "$extension/node_modules" ]; then
    (cd "$extension" && npm ci --no-audit --no-fund --loglevel=error >&2)
fi
(cd "$extension" && node scripts/package.mjs --server "$JP_LSP_BIN" --out "$JP_LSP_VSIX")

scenarios=("$@")
if [ ${#scenarios[@]} -eq 0 ]; then
    scenarios=("$here"/fake/*.mjs)
fi
failed=0
for scenario in "${scenarios[@]}"; do
    echo "== $scenario"
    node "$scenario" || failed=1
done
echo "screenshots and logs: $out"
exit $failed
