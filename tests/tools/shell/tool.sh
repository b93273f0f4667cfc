#!/bin/sh
# A small tool in POSIX shell that obeys its grants. It needs jq.
#
#     [conversation.tools.read_file]
#     source = "local"
#     command = { program = "sh", args = ["tests/tools/shell/tool.sh", "{{context}}", "{{tool}}"] }
#
# `read_file` reads one file. `access_check` answers what its grants allow, without touching anything:
#
#     {"checks": [{"fs": {"capability": "read", "path": "src"}}, {"env": "HOME"}]}
#
# Without arguments, the call is one JSON document {"tool": .., "context": ..} on standard input.

directory=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 1
. "$directory/access.sh"

# error MESSAGE TRANSIENT
error_outcome() {
    jq -cn --arg message "$1" --argjson transient "$2" \
        '{type: "error", message: $message, trace: [], transient: $transient}'
}

success_outcome() {
    jq -cRs '{type: "success", content: .}'
}

# One line for each check: its kind, its capability, its input.
checks_of() {
    printf '%s' "$1" | jq -r '
        .arguments.checks[] |
        if .fs then ["fs", .fs.capability, .fs.path]
        elif .config then ["config", .config.capability, .config.path]
        elif has("env") then ["env", "read", .env]
        else ["net", "connect", .net] end |
        if any(.[]; test("[\n\u001f]")) then "refused" else join("\u001f") end'
}

# One line for the answer: an error, or whether it is allowed, the rule, the target.
answer() {
    error=
    case $1 in
    fs) check_fs "$2" "$3" ;;
    env) check_env "$3" ;;
    net) check_net "$3" ;;
    config) check_config "$2" "$3" ;;
    *) error=unsupported ;;
    esac
    if [ -n "$error" ]; then
        printf '%s\n' "$error"
    else
        printf '%s\n' "$allowed$separator$rule$separator$target"
    fi
}

access_check() {
    checks_of "$tool" | while IFS=$separator read -r kind capability input; do
        answer "$kind" "$capability" "$input"
    done | jq -cRn '
        [inputs | split("\u001f") |
            if length == 1 then {error: .[0]}
            else {allowed: (.[0] == "true"), rule: (.[1] | fromjson), target: .[2]} end] |
        {type: "success", content: tojson}'
}

read_file() {
    path=$(printf '%s' "$tool" | jq -er '.arguments.path | strings') || {
        error_outcome '`read_file` needs `path`, a string' true
        return
    }
    error=
    check_fs read "$path"
    if [ -n "$error" ]; then
        error_outcome "cannot read '$path': $error" false
    elif [ "$allowed" != true ]; then
        grants=$(printf '%s' "$context" |
            jq -r '[.access.fs[] | select(.read == true) | .path // .lexical_path] | join(", ")')
        error_outcome "Access denied: cannot read '$target'. Paths granting read: [$grants]. If required, ask the user for explicit access." false
    elif content=$(cat -- "$resolved" 2>/dev/null && printf x); then
        printf '%s' "${content%x}" | success_outcome
    else
        error_outcome "cannot read '$target'" true
    fi
}

if [ $# -eq 2 ]; then
    context=$1
    tool=$2
else
    document=$(cat)
    context=$(printf '%s' "$document" | jq -c .context)
    tool=$(printf '%s' "$document" | jq -c .tool)
fi

action=$(printf '%s' "$context" | jq -er .action) && name=$(printf '%s' "$tool" | jq -er .name) || {
    error_outcome 'cannot read the call' false
    exit 0
}

load_context "$context"

case $action:$name in
format_arguments:*) printf '%s' "$tool" | jq -r '"\(.name)(\(.arguments | tojson))"' | success_outcome ;;
*:access_check) access_check ;;
*:read_file) read_file ;;
*) error_outcome "there is no tool \`$name\` here; it is \`read_file\` or \`access_check\`" false ;;
esac
