#!/usr/bin/env bash
# Installs the real VS Code 1.100.3 (its server, as code-server packs it), the Chromium that shows it
# and the driver's dependencies into the cache, and prints the folder of VS Code's server.
#
# All of it comes from npm, and nothing is compiled: the native modules left unbuilt are the terminal's and the log files'.
# A Chromium of the system is used where npm's does not start; JP_LSP_CHROMIUM names one that is used instead of both.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cache.sh"

quiet_npm() { npm --no-audit --no-fund --loglevel=error --ignore-scripts "$@" >&2; }

# Whoever comes second finds it installed.
exec 9> "$JP_LSP_EDITORS_CACHE/vscode.lock"
flock 9

dest=$JP_LSP_EDITORS_CACHE/vscode-1.100.3
server=$dest/node_modules/code-server/lib/vscode
if [ ! -f "$dest/complete" ]; then
    rm -rf "$dest"
    mkdir -p "$dest"
    cd "$dest"
    echo '{"private":true}' > package.json
    quiet_npm install code-server@4.100.3
    cd "$server"
    quiet_npm install --omit=dev
    # Quick Open looks for ripgrep here; its own installer would fetch it from elsewhere.
    if command -v rg >/dev/null; then
        mkdir -p node_modules/@vscode/ripgrep/bin
        ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
    fi
    ln -s node_modules node_modules.asar
    (cd extensions && quiet_npm install --omit=dev)
    touch "$dest/complete"
fi

driver=$JP_LSP_EDITORS_CACHE/vscode-driver
if ! cmp -s "$here/package-lock.json" "$driver/node_modules/.installed"; then
    mkdir -p "$driver"
    cp "$here/package.json" "$here/package-lock.json" "$driver/"
    (cd "$driver" && quiet_npm ci)
    cp "$here/package-lock.json" "$driver/node_modules/.installed"
fi
node "$here/browser.mjs" >&2
echo "$server"
