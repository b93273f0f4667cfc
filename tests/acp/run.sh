#!/usr/bin/env bash
# Drives `jp-lsp acp` with the official client libraries of ACP, which the first run installs from npm and PyPI.
# JP_LSP_BIN names the binary.
set -euo pipefail
cd "$(dirname "$0")"
cache=$(realpath -m "${JP_LSP_ACP_CACHE:-$HOME/.cache/jp-lsp-acp}")
status=0

if [ ! -d typescript/node_modules ] || [ typescript/package-lock.json -nt typescript/node_modules/.package-lock.json ]; then
    (cd typescript && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
fi
(cd typescript && node --test turns.mjs together.mjs) || status=1

if [ ! -f "$cache/requirements.txt" ] || ! cmp -s python/requirements.txt "$cache/requirements.txt"; then
    python3 -m venv "$cache"
    "$cache/bin/pip" install --quiet --disable-pip-version-check -r python/requirements.txt
    cp python/requirements.txt "$cache/requirements.txt"
fi
"$cache/bin/python" python/turns.py || status=1
exit $status
