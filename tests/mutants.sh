#!/usr/bin/env bash
# Changes the code in small ways and counts which of the changes a test notices: `tests/mutants.sh [PART [SAMPLE]]`.
# PART is one of those below, and all of them without it; SAMPLE is about how many changes of each are tried, 100 without it.
# They are taken evenly from all changes of the part, and the same ones each time.
# What no test noticed stands in target/mutants/PART/mutants.out/missed.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

# Whether a test fails is told by the first that does.
export NEXTEST_RETRIES=0

PARTS=(jp_policy jp_tool jp_config deltas broker calls)

# Dependencies are built once for all parts and runs; what nobody debugs needs no line tables.
export CARGO_TARGET_DIR=$PWD/target/mutants/build CARGO_PROFILE_DEV_DEBUG=0

# What cargo mutants is to change.
scope() {
    case $1 in
        jp_policy | jp_tool | jp_config) echo --package "$1" ;;
        deltas) modules delta ;;
        broker) modules broker ;;
        calls) modules call turn/calls ;;
        *)
            echo "no part \`$1\`; there are: ${PARTS[*]}" >&2
            return 2
            ;;
    esac
}

# The modules of jp_agent that are named, with what lies below them.
modules() {
    echo --package jp_agent
    local module
    for module; do
        echo --file "server/jp_agent/src/$module.rs" --file "server/jp_agent/src/$module/**/*.rs"
    done
}

# The crate of a part, and after it those that use it, whose tests may notice a change as well.
crates() {
    case $1 in
        jp_policy) echo jp_policy jp_analysis ;;
        jp_tool) echo jp_tool jp_fs_tools ;;
        jp_config) echo jp_config jp_analysis ;;
        *) echo jp_agent ;;
    esac
}

# The tests that are quick to build and notice most: those beside the code, or the turns that calls are made in.
quick() {
    case $1 in
        calls) echo --test=turn --test=approval --test=grants --test=config_change ;;
        *) echo --lib ;;
    esac
}

# A change that was missed (2), or that made the tests hang (3), is a result; anything else is a failure of the run.
result() {
    case $1 in
        0 | 2 | 3) ;;
        *) return "$1" ;;
    esac
}

part() {
    local part=$1 sample=$2 words arguments crates quick all shards status=0 missed tried
    words=$(scope "$part")
    read -ra arguments -d '' <<<"$words" || true
    read -ra crates <<<"$(crates "$part")"
    read -ra quick <<<"$(quick "$part")"
    all=$(cargo mutants --list "${arguments[@]}" | wc -l)
    shards=$(((all + sample - 1) / sample))
    [ "$shards" -gt 0 ] || {
        echo "$part: nothing to change" >&2
        return 1
    }
    echo "$part: $all changes, one of $shards is tried"
    rm -rf "target/mutants/$part"
    mkdir -p "target/mutants/$part"
    arguments+=(--shard "0/$shards" --sharding round-robin --test-tool nextest --output "target/mutants/$part" --colors never)
    # Only what the quick tests miss meets all the others.
    cargo mutants "${arguments[@]}" --test-package "${crates[0]}" "${quick[@]/#/--cargo-arg=}" --minimum-test-timeout 120 || status=$?
    result "$status"
    tried=$(cat "target/mutants/$part/mutants.out/"{caught,missed,timeout}.txt | wc -l)
    missed=$(wc -l <"target/mutants/$part/mutants.out/missed.txt")
    echo "$part: $((tried - missed)) of $tried noticed by the quick tests"
    if [ "$missed" -gt 0 ]; then
        status=0
        cargo mutants "${arguments[@]}" "${crates[@]/#/--test-package=}" --iterate --minimum-test-timeout 600 || status=$?
        result "$status"
        missed=$(wc -l <"target/mutants/$part/mutants.out/missed.txt")
    fi
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
