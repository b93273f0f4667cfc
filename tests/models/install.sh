#!/usr/bin/env bash
# Installs the mock model server that the tests in this folder talk to.
set -euo pipefail
cd "$(dirname "$0")"
if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
fi
