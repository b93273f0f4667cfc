# Checks of tool access grants, as a tool in POSIX shell makes them; to be sourced. JSON is read with jq.
#
# The rules are RFD 076 (files, network, environment) and RFD 078 (config); the vectors in schemas/vectors hold this file
# to them.
# What a shell cannot do faithfully is refused, never guessed: hosts beyond ASCII (`unsupported`), names with a newline or
# a unit separator, config keys in quotes.
#
# `directory` is the folder of this file, and `load_context CONTEXT` comes first. Each check sets `allowed` (true or false), `rule` (the position of the deciding rule, or null) and `target`, the form
# that was compared with the rules. It fails with `error` set for a target that has no such form.

LC_ALL=C
export LC_ALL
set -f

newline='
'
separator=$(printf '\037')
max_symlinks=40

reject() {
    error=$1
    return 1
}

# 0 if a rule of specificity $1 beats the best so far: of equally specific rules the last one decides.
beats() {
    [ -z "$best" ] || [ "$1" -ge "$best" ]
}

# Reads the context $1: the root, and the rules of each list, a line each with its fields separated.
# If any of it cannot be read, `broken` is set and every check fails.
load_context() {
    context=$1
    root= mounts= fs_rules= env_rules= config_rules= broken=
    context_lines=$(printf '%s' "$1" | jq -r '
        def fail: error("rules that cannot be understood");
        # Absent is empty; anything but a list is not.
        def list($name): if has($name) then .[$name] | if type == "array" then .[] else fail end else empty end;
        def flag($name): .[$name] | if . == null then false elif type == "boolean" then . else fail end;
        def capability($name): if .[$name] != null then flag($name) else flag("write") end;
        def names: split("/") - ["", "."];
        def path:
            [.path, .lexical_path] - [null] |
            if length == 0 or any(.[]; type != "string" or startswith("/"))
                or any(.[] | names; index("..")) or (map(names) | unique | length) > 1 then fail else .[0] end;
        def variable: .name | if type == "string" and test("^[^*=[:space:][:cntrl:]]*(\\*|[^*=[:space:][:cntrl:]])$") then . else fail end;
        def grant: .write | if . == "insecure_allow" or . == true then . elif . == null or . == false then false else fail end;
        def line: map(tostring) |
            if any(.[]; test("[\n\u001f]")) then error("a control character") else join("\u001f") end;
        (["root", (.root | strings)] | line),
        (.access | if . == null then empty elif type == "object" then . else fail end |
            (list("fs") |
                (["mount", flag("external"), path, (.approved_target // "" | strings)] | line),
                (["fs", path, flag("read"), capability("create"), capability("update"), capability("delete"), flag("execute")] | line)),
            (list("env") | ["env", variable, flag("read")] | line),
            (list("config") | ["config", (.path | strings // fail), flag("read"), grant, flag("delete")] | line))'
    ) || broken=yes
    while IFS=$separator read -r list fields; do
        case $list in
        root) root=$fields ;;
        mount) mounts=$mounts$fields$newline ;;
        fs) fs_rules=$fs_rules$fields$newline ;;
        env) env_rules=$env_rules$fields$newline ;;
        config) config_rules=$config_rules$fields$newline ;;
        esac
    done <<LINES
$context_lines
LINES
    mounts=${mounts%"$newline"}
    fs_rules=${fs_rules%"$newline"}
    env_rules=${env_rules%"$newline"}
    config_rules=${config_rules%"$newline"}
    [ -n "$root" ] || broken=yes
}

# Files --------------------------------------------------------------------------------------------------------------

# Sets `clean` to the names of $2 below the normalized path $1, `..` resolved lexically. The file system root is empty.
lexical() {
    clean=$1
    saved_ifs=$IFS
    IFS=/
    for part in $2; do
        case $part in
        '' | .) ;;
        ..) clean=${clean%/*} ;;
        *) clean=$clean/$part ;;
        esac
    done
    IFS=$saved_ifs
}

# Sets `squeezed` to $1 without `.` and doubled separators, `..` kept.
squeeze() {
    squeezed=
    saved_ifs=$IFS
    IFS=/
    for part in $1; do
        case $part in
        '' | .) ;;
        *) squeezed=$squeezed/$part ;;
        esac
    done
    IFS=$saved_ifs
}

# Sets `depth` to the number of names in $1, a path as `lexical` makes it.
count() {
    depth=0
    counted=$1
    while [ -n "$counted" ]; do
        counted=${counted%/*}
        depth=$((depth + 1))
    done
}

# Steps 1 and 2: sets `pending` to the names from the root $1, really $2, to the path $3.
below_root() {
    squeeze "$1"
    base=$squeezed
    rest=$3
    case $3 in
    /*)
        squeeze "$3"
        case $squeezed/ in
        "$base"/*) rest=${squeezed#"$base"} ;;
        "$2"/*)
            base=$2
            rest=${squeezed#"$2"}
            ;;
        *) reject outside || return ;;
        esac
        ;;
    esac
    lexical '' "$base"
    base=$clean
    lexical "$base" "$rest"
    case $clean/ in
    "$base"/*) pending=${clean#"$base"} ;;
    *) reject escape || return ;;
    esac
}

# Step 3: walks `pending` from `current`, following every link that exists, dangling ones too.
# With `keeps_last`, a link that the last name itself stands for is left alone.
follow() {
    is_target=
    pending=${pending%/}
    missing=
    links=0
    while [ -n "$pending" ]; do
        pending=${pending#/}
        name=${pending%%/*}
        case $pending in
        */*) pending=${pending#*/} ;;
        *) pending= ;;
        esac
        case $name in
        '' | .) continue ;;
        ..)
            [ -z "$missing" ] && [ -d "$current/" ] || reject io || return
            current=${current%/*}
            continue
            ;;
        esac
        is_last=
        [ -z "$pending" ] && [ -z "$is_target" ] && is_last=yes
        if [ -z "$missing" ] && [ -L "$current/$name" ] && [ "$keeps_last$is_last" != yesyes ]; then
            [ -n "$pending" ] || is_target=yes
            links=$((links + 1))
            [ "$links" -le "$max_symlinks" ] || reject io || return
            link=$(readlink "$current/$name" && printf x) || reject io || return
            link=${link%"$newline"x}
            case $link in
            *"$newline"*) reject io || return ;;
            /*) current= ;;
            esac
            pending=$link/$pending
            continue
        fi
        if [ -z "$missing" ] && ! [ -e "$current/$name" ]; then
            # Without the right to search a directory, nothing in it can be told to be missing.
            if [ -d "$current/" ] && ! [ -x "$current/" ]; then
                reject io || return
            fi
            missing=yes
        fi
        current=$current/$name
    done
}

# Sets `resolved` to the path to open, and `target` to its form relative to the workspace: canonicalize PATH
canonicalize() {
    case $1 in
    *"$newline"* | *"$separator"*) reject io || return ;;
    esac
    current=$(CDPATH= cd -P -- "$root" && pwd -P) || reject io || return
    current=${current%/}
    real_root=$current
    below_root "$root" "$real_root" "$1" || return
    follow || return
    resolved=${current:-/}
    case $current/ in
    "$real_root"/*)
        target=${current#"$real_root"}
        return 0
        ;;
    esac
    # Out of the workspace only into the approved target of an external rule, under the path of that rule.
    target=
    best=
    while IFS=$separator read -r external path approved; do
        lexical '' "$approved"
        case $external:$approved:$current/ in
        true:?*:"$clean"/*)
            count "$clean"
            if beats "$depth"; then
                best=$depth
                below=${current#"$clean"}
                lexical '' "$path"
                target=$clean$below
            fi
            ;;
        esac
    done <<RULES
$mounts
RULES
    [ -n "$best" ] || reject escape || return
}

# Sets `place` to the outermost protected place on `target`, or to nothing.
protected_place() {
    place=
    walked=
    left=${target#/}
    while [ -n "$left" ]; do
        walked=$walked/${left%%/*}
        case $(printf '%s' "${left%%/*}" | tr '[:upper:]' '[:lower:]') in
        .jp | .jp.toml | .jp.json | .jp.yaml | .jp.yml | .git | .vscode | .idea | .envrc)
            place=$walked
            return 0
            ;;
        esac
        case $left in
        */*) left=${left#*/} ;;
        *) left= ;;
        esac
    done
    printf '%s' "$context" | jq -e --arg path "$resolved" \
        'any(.protected[]?; ascii_downcase == ($path | ascii_downcase))' >/dev/null && place=$target
    return 0
}

# check_fs CAPABILITY PATH
# Removing acts on the entry itself, also where that is a link; everything else acts on what it leads to.
# Config and hooks change only under a rule at or below the protected place.
check_fs() {
    [ -z "$broken" ] || reject io || return
    keeps_last=
    [ "$1" = delete ] && keeps_last=yes
    canonicalize "$2" || return
    place=
    case $1 in
    create | update | delete) protected_place ;;
    esac
    allowed=false
    rule=null
    best=
    index=0
    [ -n "$fs_rules" ] || [ -n "$place" ] || allowed=true
    while [ -n "$fs_rules" ] && IFS=$separator read -r path read create update delete execute; do
        lexical '' "$path"
        case $target/ in
        "$clean"/*)
            count "$clean"
            if beats "$depth"; then
                best=$depth
                rule=$index
                case $1 in
                read) allowed=$read ;;
                create) allowed=$create ;;
                update) allowed=$update ;;
                delete) allowed=$delete ;;
                execute) allowed=$execute ;;
                *) allowed=false ;;
                esac
                case $clean/ in
                "$place"/*) ;;
                *) allowed=false ;;
                esac
            fi
            ;;
        esac
        index=$((index + 1))
    done <<RULES
$fs_rules
RULES
    target=${target#/}
    target=${target:-.}
}

# Network ------------------------------------------------------------------------------------------------------------

# check_net URL
check_net() {
    answered=$(printf '%s' "$context" | jq -r --arg target "$1" -f "$directory/net.jq") || answered=invalid
    case $answered in
    *"$separator"*) ;;
    *) reject "$answered" || return ;;
    esac
    allowed=${answered%%"$separator"*}
    answered=${answered#*"$separator"}
    rule=${answered%%"$separator"*}
    target=${answered#*"$separator"}
}

# Environment --------------------------------------------------------------------------------------------------------

# check_env NAME
check_env() {
    case $1 in
    '' | *=* | *"$newline"* | *"$separator"*) reject invalid || return ;;
    esac
    [ -z "$broken" ] || reject invalid || return
    target=$1
    allowed=false
    rule=null
    best=
    index=0
    [ -n "$env_rules" ] || allowed=true
    while [ -n "$env_rules" ] && IFS=$separator read -r name read; do
        specificity=
        literal=${name%\*}
        if [ "$literal" = "$name" ]; then
            # Twice the length and one more: an exact name beats a prefix of the same length.
            [ "$target" = "$name" ] && specificity=$((${#name} * 2 + 1))
        else
            case $target in
            "$literal"*) specificity=$((${#literal} * 2)) ;;
            esac
        fi
        if [ -n "$specificity" ] && beats "$specificity"; then
            best=$specificity
            rule=$index
            allowed=$read
        fi
        index=$((index + 1))
    done <<RULES
$env_rules
RULES
}

# Config -------------------------------------------------------------------------------------------------------------

# Whether $1 is a dotted path whose keys need no quotes.
is_config_path() {
    case $1 in
    '' | .* | *. | *..* | *[][\"\'[:space:]]* | *"$separator"*) return 1 ;;
    esac
    keys=$1.
    while [ -n "$keys" ]; do
        case ${keys%%.*} in
        '*') ;;
        *'*'*) return 1 ;;
        esac
        keys=${keys#*.}
    done
}

# Sets `depth` to the number of leading keys that $1 and $2 share; a `*` in $1 is any key, and in $2 as well if $3 is `both`.
shared() {
    depth=0
    left=$1.
    right=$2.
    while [ -n "$left" ] && [ -n "$right" ]; do
        key=${left%%.*}
        other=${right%%.*}
        if [ "$key" != '*' ] && [ "$key" != "$other" ]; then
            [ "$3" = both ] && [ "$other" = '*' ] || return 1
        fi
        left=${left#*.}
        right=${right#*.}
        depth=$((depth + 1))
    done
}

# check_config CAPABILITY PATH
check_config() {
    is_config_path "$2" || reject invalid || return
    [ -z "$broken" ] || reject invalid || return
    target=$2
    allowed=false
    rule=null
    best=
    index=0
    acknowledged=
    while [ -n "$config_rules" ] && IFS=$separator read -r path read write delete; do
        is_config_path "$path" || reject unsupported || return
        # A rule matches if nothing of it is left over when the shared keys end.
        if shared "$path" "$target" && [ -z "$left" ] && beats "$depth"; then
            best=$depth
            rule=$index
            acknowledged=$write
            case $1:$read:$write:$delete in
            read:true:* | write:*:true:* | write:*:insecure_allow:* | delete:*:true) allowed=true ;;
            *) allowed=false ;;
            esac
        fi
        index=$((index + 1))
    done <<RULES
$config_rules
RULES
    if [ "$1" != read ] && [ "$acknowledged" != insecure_allow ] &&
        shared 'conversation.tools.*.access' "$target" both; then
        allowed=false
    fi
}
