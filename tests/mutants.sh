#!/usr/bin/env bash
# Changes the code in small ways and counts which of the changes a test notices: `tests/mutants.sh [PART [SAMPLE]]`.
# PART is one of those below, and all of them without it; SAMPLE is about how many changes of each are tried, 100 without it.
# They are taken evenly from all changes of the part, and the same ones each time.
# What no test noticed stands in target/mutants/PART/mutants.out/missed.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

PARTS=(jp_policy jp_tool jp_config deltas broker calls)

# What cargo mutants is to change, and whose tests may notice it: those of the crate and of its users.
scope() {
    case $1 in
        jp_policy) echo --package jp_policy --test-package jp_policy --test-package jp_analysis ;;
        jp_tool) echo --package jp_tool --test-package jp_tool --test-package jp_fs_tools ;;
        jp_config) echo --package jp_config --test-package jp_config --test-package jp_analysis ;;
        deltas) agent delta ;;
        broker) agent broker ;;
        calls) agent call turn/calls ;;
        *)
            echo "no part \`$1\`; there are: ${PARTS[*]}" >&2
            return 2
            ;;
    esac
}

# The modules of jp_agent that are named, with what lies below them.
agent() {
    echo --package jp_agent --test-package jp_agent
    local module
    for module; do
        echo --file "server/jp_agent/src/$module.rs" --file "server/jp_agent/src/$module/**/*.rs"
    done
}

part() {
    local part=$1 sample=$2 words arguments all shards status=0 missed tried
    words=$(scope "$part")
    read -ra arguments -d '' <<<"$words" || true
    all=$(cargo mutants --list "${arguments[@]}" | wc -l)
    shards=$(((all + sample - 1) / sample))
    [ "$shards" -gt 0 ] || {
        echo "$part: nothing to change" >&2
        return 1
    }
    echo "$part: $all changes, one of $shards is tried"
    mkdir -p "target/mutants/$part"
    cargo mutants "${arguments[@]}" --shard "0/$shards" --sharding round-robin --test-tool nextest \
        --output "target/mutants/$part" --colors never || status=$?
    # A change that was missed (2), or that made the tests hang (3), is a result; anything else is a failure of the run.
    case $status in
        0 | 2 | 3) ;;
        *) return "$status" ;;
    esac
    missed=$(wc -l <"target/mutants/$part/mutants.out/missed.txt")
    tried=$(cat "target/mutants/$part/mutants.out/"{caught,missed,timeout}.txt | wc -l)
    echo "$part: $((tried - missed)) of $tried noticed"
    cat "target/mutants/$part/mutants.out/missed.txt"
}

sample=${2:-100}
[[ $sample =~ ^[1-9][0-9]*$ ]] || {
    echo "a sample of \`$sample\` changes: write a number, such as 100" >&2
    exit 2
}
[ -z "${1:-}" ] || scope "$1" >/dev/null
command -v cargo-mutants >/dev/null || cargo install cargo-mutants --locked
command -v cargo-nextest >/dev/null || cargo install cargo-nextest --locked
for name in ${1:-"${PARTS[@]}"}; do
    part "$name" "$sample"
done
