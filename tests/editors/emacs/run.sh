#!/usr/bin/env bash
# Runs the setup that docs/EDITORS.md shows for Emacs, in a batch Emacs with Eglot, against JP_LSP_BIN
# (default: target/debug/jp-lsp).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cache.sh"

root=$(cd "$here/../../.." && pwd)
real=$(realpath -m "${JP_LSP_BIN:-$root/target/debug/jp-lsp}")
out=$JP_LSP_EDITORS_CACHE/runs/emacs
if [ ! -x "$real" ]; then
    echo "no server at $real: run \`cargo build -p jp_lsp\`, or name one in JP_LSP_BIN" >&2
    exit 2
fi
if ! command -v emacs >/dev/null; then
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends emacs-nox elpa-eglot >&2
fi
rm -rf "$out"
mkdir -p "$out/bin" "$out/home"
ln -s "$real" "$out/bin/jp-lsp"

# `-q` and not `-Q`, which would hide the Eglot of the distribution.
env HOME="$out/home" PATH="$out/bin:$PATH" JP_GLOBAL_CONFIG_DIR="$out/global" JP_LSP_DATA_DIR="$out/conversations" \
    JP_LSP_OUT="$out" JP_LSP_REPOSITORY="$root" \
    timeout 120 emacs -q --batch -l "$here/scenario.el" </dev/null 2>"$out/messages.log" || {
    cat "$out/messages.log" >&2
    exit 1
}
