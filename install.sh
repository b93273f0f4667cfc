#!/bin/sh
# Installs jp-lsp and the bundled file tools: `curl -LsSf .../install.sh | sh`.
#
#   JP_LSP_VERSION       a version such as 0.1.0; the latest one by default
#   JP_LSP_INSTALL_DIR   where the programs go; ~/.local/bin by default
#   JP_LSP_RELEASES      where the releases lie; the project's own page by default
#
# Nothing is written before the archive has the checksum that stands beside it, and nothing needs root.
set -eu

releases=${JP_LSP_RELEASES:-https://github.com/dcdpr/jp-lsp/releases}
folder=${JP_LSP_INSTALL_DIR:-${HOME:?set HOME or JP_LSP_INSTALL_DIR}/.local/bin}

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

target() {
    case "$(uname -m)" in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
        *) fail "there is no binary for $(uname -m): build one with \`cargo install --locked --git ${releases%/releases} jp_lsp\`" ;;
    esac
    case "$(uname -s)" in
        Linux) echo "$machine-unknown-linux-musl" ;;
        Darwin) echo "$machine-apple-darwin" ;;
        *) fail "this script knows Linux and macOS, and not $(uname -s): on Windows run install.ps1" ;;
    esac
}

# What begins with https stays with it, whatever it is redirected to.
fetch() {
    secure=
    case "$1" in https://*) secure="--proto =https --tlsv1.2" ;; esac
    if has curl; then
        # shellcheck disable=SC2086 # nothing, or two words
        curl $secure --fail --silent --show-error --location --retry 3 --output "$2" "$1"
    elif has wget; then
        wget --quiet --tries=3 --output-document="$2" "$1"
    else
        fail "neither curl nor wget is installed"
    fi || fail "$1 cannot be downloaded"
}

checksum() {
    if has sha256sum; then
        sha256sum "$1"
    elif has shasum; then
        shasum -a 256 "$1"
    else
        fail "neither sha256sum nor shasum is installed, and an archive without a checksum is not installed"
    fi | cut -d ' ' -f 1
}

# All of it is read before any of it runs: a download that breaks off does nothing.
main() {
    name="jp-lsp-$(target)"
    if [ -n "${JP_LSP_VERSION:-}" ]; then
        address="$releases/download/v${JP_LSP_VERSION#v}"
    else
        address="$releases/latest/download"
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work" "$folder/.jp-lsp.new" "$folder/.jp-fs-tools.new"' EXIT
    fetch "$address/$name.tar.gz" "$work/archive.tar.gz"
    fetch "$address/$name.tar.gz.sha256" "$work/archive.sha256"
    wanted=$(cut -d ' ' -f 1 <"$work/archive.sha256")
    found=$(checksum "$work/archive.tar.gz")
    if [ -z "$wanted" ] || [ "$wanted" != "$found" ]; then
        fail "the archive's checksum is $found and should be $wanted: nothing was installed"
    fi
    tar -xzf "$work/archive.tar.gz" -C "$work"
    mkdir -p "$folder"
    for program in jp-lsp jp-fs-tools; do
        cp "$work/$name/$program" "$folder/.$program.new"
        chmod 755 "$folder/.$program.new"
    done
    "$folder/.jp-lsp.new" --version || fail "the program does not run on this machine: what was installed before stays"
    for program in jp-lsp jp-fs-tools; do
        # A program that runs is replaced, not overwritten.
        mv -f "$folder/.$program.new" "$folder/$program"
    done
    echo "installed in $folder"
    case ":$PATH:" in
        *":$folder:"*) ;;
        *) echo "put it on your PATH: export PATH=\"$folder:\$PATH\"" ;;
    esac
}

main
