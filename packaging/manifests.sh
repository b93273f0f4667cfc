#!/usr/bin/env bash
# Fills the templates of the package managers: `packaging/manifests.sh VERSION ARCHIVES OUT`.
# ARCHIVES holds the archives of a release with their checksums; `@VERSION@` and `@SHA256:NAME@` in the templates are replaced.
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: packaging/manifests.sh VERSION ARCHIVES OUT" >&2; exit 2; }
version=${1#v}
archives=$(cd "$2" && pwd)
mkdir -p "$3"
out=$(cd "$3" && pwd)
cd "$(dirname "$0")"
for template in homebrew/jp-lsp.rb winget/*.yaml mason/package.yaml; do
    text=$(sed "s/@VERSION@/$version/g" "$template")
    while [[ $text =~ @SHA256:([A-Za-z0-9._-]+)@ ]]; do
        name=${BASH_REMATCH[1]}
        [ -f "$archives/$name.sha256" ] || { echo "$archives/$name.sha256 is missing, which $template names" >&2; exit 1; }
        text=${text//"@SHA256:$name@"/$(cut -d ' ' -f 1 <"$archives/$name.sha256")}
    done
    mkdir -p "$out/$(dirname "$template")"
    printf '%s\n' "$text" >"$out/$template"
done
