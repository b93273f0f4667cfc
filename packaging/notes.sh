#!/usr/bin/env bash
# Prints what CHANGELOG.md says of a version: `packaging/notes.sh 0.1.0`. A version without a word fails.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: packaging/notes.sh VERSION" >&2; exit 2; }
version=${1#v}
cd "$(dirname "$0")/.."
notes=$(awk -v heading="## [$version]" -v bare="## $version" '
    /^## / { inside = (index($0, heading) == 1 || $0 == bare || index($0, bare " ") == 1); next }
    inside { print }
' CHANGELOG.md | sed -e '/./,$!d')
[ -n "$notes" ] || { echo "CHANGELOG.md says nothing of $version: name its section \`## $version\`" >&2; exit 1; }
printf '%s\n' "$notes"
