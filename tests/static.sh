#!/usr/bin/env bash
# The static binaries as a release has them: `tests/static.sh [FOLDER]` takes them from FOLDER, and builds them without it.
# They run in an empty root first, where there is no libc, no shell and no certificate; then the wire tests run against them.
# `--empty` leaves the wire tests out.
set -euo pipefail
cd "$(dirname "$0")/.."

wire=true
if [ "${1:-}" = --empty ]; then
    wire=false
    shift
fi
target="$(uname -m)-unknown-linux-musl"
folder=${1:-}
if [ -z "$folder" ]; then
    cargo zigbuild --release --locked --target "$target" --bin jp-lsp --bin jp-fs-tools
    folder=${CARGO_TARGET_DIR:-target}/$target/release
fi
folder=$(realpath "$folder")

failed() {
    echo "tests/static.sh: $1" >&2
    exit 1
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/tmp" "$root/home" "$root/work/.jp"
cp "$folder/jp-lsp" "$folder/jp-fs-tools" "$root/"
printf '[conversation.tools.edit]\nsource = "local"\ncommand = "edit"\nrun = "aks"\n' >"$root/work/.jp/config.toml"

# Runs something in the root that has nothing else, as root or as a person who is root only there.
alone() {
    if [ "$(id -u)" = 0 ]; then
        env -i PATH="$PATH" HOME=/home chroot "$root" "$@"
    else
        env -i PATH="$PATH" HOME=/home unshare -r chroot "$root" "$@"
    fi
}

frame() {
    printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"
}

for program in jp-lsp jp-fs-tools; do
    ! readelf --program-headers "$root/$program" | grep -q INTERP || failed "$program asks for a loader"
done

alone /jp-lsp --version

status=0
found=$(alone /jp-lsp check /work) || status=$?
[ "$status" = 1 ] || failed "check ends with $status and not with 1: $found"
case $found in
    *'error[invalid-value]'*) ;;
    *) failed "check does not find what is wrong: $found" ;;
esac

answers=$({
    frame '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":"file:///work","capabilities":{}}}'
    frame '{"jsonrpc":"2.0","method":"initialized","params":{}}'
    frame '{"jsonrpc":"2.0","id":2,"method":"shutdown"}'
    frame '{"jsonrpc":"2.0","method":"exit"}'
} | alone /jp-lsp) || failed "the language server does not end well"
case $answers in
    *'"capabilities"'*'"id":2'*) ;;
    *) failed "the language server answers: $answers" ;;
esac

asked='{"tool":{"name":"fs_read_file","arguments":{"path":"a"}},"context":{"action":"run","root":"/work"}}'
alone /jp-fs-tools "$asked" >"$root/said" 2>&1 </dev/null || true
[ -s "$root/said" ] || failed "jp-fs-tools says nothing"
echo "the binaries run where there is nothing else"

if $wire; then
    JP_LSP_BIN=$folder/jp-lsp cargo nextest run --locked --package jp_lsp --test wire --test terminal --test check
fi
