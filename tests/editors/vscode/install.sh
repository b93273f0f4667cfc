#!/usr/bin/env bash
# Installs the real VS Code 1.100.3 (its server, as code-server packs it), the Chromium that shows it
# and the driver's dependencies into the cache, and prints the folder of VS Code's server.
#
# Nothing is compiled: the native modules left unbuilt are the terminal's and the log files'.
# JP_LSP_CHROMIUM names another Chromium to use.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cache.sh"

quiet_npm() { npm --no-audit --no-fund --loglevel=error --ignore-scripts "$@" >&2; }

chromium=${JP_LSP_CHROMIUM:-/usr/bin/chromium}
if [ ! -x "$chromium" ]; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "no Chromium at $chromium, and none can be installed without apt-get and root: name one in JP_LSP_CHROMIUM" >&2
        exit 2
    fi
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >&2
fi

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
if ! cmp -s "$here/package-lock.json" "$driver/package-lock.json"; then
    mkdir -p "$driver"
    cp "$here/package.json" "$here/package-lock.json" "$driver/"
    (cd "$driver" && quiet_npm ci)
fi
echo "$server"
