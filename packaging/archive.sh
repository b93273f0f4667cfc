#!/usr/bin/env bash
# Packs a release: `packaging/archive.sh TARGET FOLDER OUT` takes the programs in FOLDER and writes
# OUT/jp-lsp-TARGET.tar.gz (.zip for Windows) with its checksum beside it.
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: packaging/archive.sh TARGET FOLDER OUT" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
target=$1
programs=$(cd "$2" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
name="jp-lsp-$target"
suffix=
[[ $target == *windows* ]] && suffix=.exe

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
for program in jp-lsp jp-fs-tools; do
    cp "$programs/$program$suffix" "$work/$name/"
done
cp "$root/README.md" "$root/CHANGELOG.md" "$root/LICENSE" "$work/$name/"

cd "$work"
if [ -n "$suffix" ]; then
    archive="$name.zip"
    if command -v 7z >/dev/null; then 7z a -bso0 "$out/$archive" "$name"; else zip -qr "$out/$archive" "$name"; fi
else
    archive="$name.tar.gz"
    # The same programs make the same archive.
    if tar --version | grep -q GNU; then
        tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - "$name" | gzip -n >"$out/$archive"
    else
        tar -cf - "$name" | gzip -n >"$out/$archive"
    fi
fi
cd "$out"
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi >"$archive.sha256"
echo "$out/$archive"
