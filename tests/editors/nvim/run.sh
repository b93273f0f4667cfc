#!/usr/bin/env bash
# Runs scenarios in a headless Neovim: `run.sh [SCENARIO.lua ..]`.
#
# Without arguments: fake/*.lua against the stand-in server; real/*.lua, and plain/*.lua without our plugin, against
# JP_LSP_BIN (default: target/debug/jp-lsp, which `cargo build -p jp_lsp` makes).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cache.sh"
. "$here/../scenarios.sh"

root=$(cd "$here/../../.." && pwd)
nvim=$("$here/install.sh" | tail -1)
fake=$here/../fake-server/jp-lsp
real=$(realpath -m "${JP_LSP_BIN:-$root/target/debug/jp-lsp}")
out=$JP_LSP_EDITORS_CACHE/runs/nvim
rm -rf "$out"
mkdir -p "$out"

scenarios=("$@")
if [ ${#scenarios[@]} -eq 0 ]; then
    shopt -s nullglob
    scenarios=("$here"/fake/*.lua "$here"/real/*.lua "$here"/plain/*.lua)
fi

# Runs one scenario.
scenario() {
    local name server=$real plugin=$root/neovim-plugin
    name=$(basename "$(dirname "$1")")-$(basename "$1" .lua)
    case $1 in
        *fake/*) server=$fake ;;
        *plain/*) plugin= ;;
    esac
    if [ ! -x "$server" ]; then
        echo "no server at $server: run \`cargo build -p jp_lsp\`, or name one in JP_LSP_BIN" >&2
        return 2
    fi
    rm -rf "${out:?}/$name"
    mkdir -p "$out/$name"
    # The state of editor and server stays in the folder, so that no run sees another's.
    env XDG_CONFIG_HOME="$out/$name/config" XDG_DATA_HOME="$out/$name/data" XDG_STATE_HOME="$out/$name/state" \
        JP_GLOBAL_CONFIG_DIR="$out/$name/global" JP_LSP_DATA_DIR="$out/$name/conversations" \
        JP_LSP_BIN="$server" JP_LSP_OUT="$out/$name" JP_FAKE_LOG="$out/$name/fake.jsonl" \
        JP_NVIM_PLUGIN="$plugin" JP_NVIM_DRIVER="$here/driver.lua" \
        timeout 120 "$nvim" --headless --clean -l "$1" </dev/null 2>"$out/$name/screen.log" || {
        cat "$out/$name/screen.log" >&2
        return 1
    }
}

echo "logs: $out"
run_scenarios "$out/logs" scenario "${scenarios[@]}"
