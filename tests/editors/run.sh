#!/usr/bin/env bash
# Runs the editor tests, and installs what they need on first use: `run.sh [unit] [nvim] [vscode] [emacs]`, by default
# all but the last.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

unit() {
    cd "$here/../../vscode-extension"
    if ! cmp -s package-lock.json node_modules/.installed; then
        npm ci --no-audit --no-fund --loglevel=error
        cp package-lock.json node_modules/.installed
    fi
    npm run --silent check
    npm test --silent
}

parts=("$@")
if [ ${#parts[@]} -eq 0 ]; then
    parts=(unit nvim vscode)
fi
for part in "${parts[@]}"; do
    case $part in
        unit) (unit) ;;
        nvim | vscode | emacs) "$here/$part/run.sh" ;;
        *) echo "no part \`$part\`: write unit, nvim, vscode or emacs" >&2; exit 2 ;;
    esac
done
