# Decides about one network target, for access.sh: jq -r --arg target URL -f net.jq with the context as input.
# Prints an error, or `allowed`, the position of the deciding rule and the canonical target, separated by U+001F.
#
# The rules are RFD 076, "Network rules". URLs are parsed as the URL standard says.
# Hosts beyond ASCII need tables that jq does not have: they are `unsupported`, in targets and in rules.

def reject($kind): error({rejected: $kind});

def default_port: {http: 80, https: 443, ws: 80, wss: 443, ftp: 21}[.];

# A hexadecimal, octal or decimal number as URLs write them; null if it is none.
def number($base):
    ascii_downcase | explode | reduce .[] as $digit (0;
        if . == null then null
        else ($digit - (if $digit >= 97 then 87 else 48 end)) as $value |
            if $value < 0 or $value >= $base then null else . * $base + $value end
        end);

def url_number:
    if test("^0[xX][0-9a-fA-F]*$") then .[2:] | number(16)
    elif test("^0[0-7]*$") then number(8)
    elif test("^[1-9][0-9]*$") then number(10)
    else null end;

# The address if the last label is a number; null for a name.
def ipv4:
    (rtrimstr(".") | split(".")) as $labels |
    if ($labels | last // "" | test("^([0-9]+|0[xX][0-9a-fA-F]*)$") | not) then null
    else
        ($labels | map(url_number)) as $numbers |
        ($numbers | length) as $count |
        if $count > 4 or any($numbers[]; . == null) then reject("invalid") else . end |
        if any($numbers[:-1][]; . > 255) or $numbers[-1] >= ([range(5 - $count) | 256] | reduce .[] as $n (1; . * $n))
        then reject("invalid") else . end |
        (reduce range($count - 1) as $i ($numbers[-1];
            . + ($numbers[$i] * ([range(3 - $i) | 256] | reduce .[] as $n (1; . * $n))))) as $value |
        [16777216, 65536, 256, 1] | map(($value / . | floor) % 256 | tostring) | join(".")
    end;

def hex: [range(4) as $i | (. / ([4096, 256, 16, 1][$i]) | floor) % 16] |
    map("0123456789abcdef"[.:. + 1]) | join("") | sub("^0{1,3}"; "");

# The 16-bit groups of one side of `::`, an IPv4 address at the end included.
def groups:
    if . == "" then []
    else split(":") | . as $parts | [range(length) as $i | $parts[$i] |
        if test("^[0-9a-fA-F]{1,4}$") then number(16)
        elif $i == ($parts | length) - 1 and test("^([0-9]{1,3}\\.){3}[0-9]{1,3}$") then
            split(".") | if any(.[]; test("^0[0-9]") or tonumber > 255) then reject("invalid") else map(tonumber) end |
            (.[0] * 256 + .[1], .[2] * 256 + .[3])
        else reject("invalid") end]
    end;

def ipv6:
    if test("^[0-9a-fA-F:.]+$") then . else reject("invalid") end |
    split("::") as $sides |
    (if ($sides | length) == 1 then $sides[0] | groups
     elif ($sides | length) == 2 then
        ($sides[0] | groups) as $left | ($sides[1] | groups) as $right |
        (8 - ($left | length) - ($right | length)) as $gap |
        if $gap < 1 or ($sides[0] | test("\\.")) then reject("invalid") else $left + [range($gap) | 0] + $right end
     else reject("invalid") end) as $groups |
    if ($groups | length) != 8 then reject("invalid") else . end |
    # The first of the longest runs of two or more zeros is left out.
    ([range(8) as $start | range($start + 2; 9) as $stop |
        select(all($groups[$start:$stop][]; . == 0)) | {$start, length: ($stop - $start)}] |
        if length == 0 then null else max_by(.length * 10 - .start) end) as $run |
    if $run == null then $groups | map(hex) | join(":")
    else
        ($groups[:$run.start] | map(hex) | join(":")) + "::" + ($groups[$run.start + $run.length:] | map(hex) | join(":"))
    end | "[\(.)]";

# The text with its escapes as bytes in one spelling: what needs none stands for itself, everything else is `%XX`.
def respelled:
    [match("%[0-9A-Fa-f]{2}|[\\s\\S]"; "g").string |
        if length == 3 then
            (.[1:] | number(16)) as $byte |
            ([$byte] | if $byte < 128 then implode else "" end) as $character |
            if $character != "" and ($character | test("[A-Za-z0-9._~!$&'()*+,;=:@-]")) then $character
            else ascii_upcase end
        elif test("[!$&'()*+,;=:@]") then .
        else @uri end] | join("");

def normalized_host:
    if test("^\\[.*\\]$") then .[1:-1] | ipv6
    elif test(":.*:") then ipv6
    else
        respelled |
        if test("%[89A-F]") then reject("unsupported") else . end |
        if . == "" or test("[%:@*]") then reject("invalid") else ascii_downcase end |
        . as $host | ipv4 //
        ($host | rtrimstr(".") | if any(split(".")[]; . == "") or . == "" then reject("invalid") else . end)
    end;

def decoded: split("/") | map(select(. != "") | respelled);

# Scheme, host, port (null for the scheme's own) and segments.
def parsed:
    sub("^[\u0000-\u0020]+"; "") | sub("[\u0000-\u0020]+$"; "") | gsub("[\t\n\r]"; "") |
    (capture("^(?<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?<rest>.*)$") // reject("invalid")) |
    (.scheme | ascii_downcase) as $scheme | .rest |
    sub("#.*$"; "") | sub("\\?.*$"; "") |
    if $scheme | default_port then gsub("\\\\"; "/") | sub("^/+"; "")
    elif $scheme != "file" and startswith("//") then .[2:]
    else reject("invalid") end |
    (capture("^(?<authority>[^/]*)/?(?<path>.*)$")) as {$authority, $path} |
    ($authority | sub("^.*@"; "") | capture("^(?<host>\\[[^\\]]*\\]|[^:\\[\\]]*)(:(?<port>[0-9]*))?$") // reject("invalid")) |
    (if (.port // "") == "" then null else .port | tonumber end) as $port |
    if $port != null and $port > 65535 then reject("invalid") else . end |
    {
        scheme: $scheme,
        host: (.host | normalized_host),
        port: (if $port == ($scheme | default_port) then null else $port end),
        segments: (reduce ($path | split("/")[]) as $segment ([];
            ($segment | gsub("%2[eE]"; ".")) as $dots |
            if $dots == ".." then .[:-1] elif $dots == "." then . else . + [$segment] end) | join("/") | decoded)
    };

# The segments as a server sees them that decodes the whole path before it splits it.
def split_again:
    reduce (join("/") | gsub("%2F|%5C"; "/") | split("/")[]) as $part ([];
        if $part == ".." then .[:-1] elif $part == "" or $part == "." then . else . + [$part] end);

# The deciding rule: the last of the most specific ones.
def decide($target; reading):
    . as $rules | ($target.segments | reading) as $segments |
    reduce range($rules | length) as $index ({best: -1, rule: null, allowed: false};
        $rules[$index] as $rule |
        ($rule.path_prefix // "" | decoded | reading) as $prefix |
        ($prefix | length) as $length |
        (($rule.scheme != null | if . then 1 else 0 end) + ($rule.port != null | if . then 1 else 0 end) + $length) as $specificity |
        if ($rule.host | rtrimstr(".") | normalized_host) == $target.host
            and ($rule.scheme == null or ($rule.scheme | ascii_downcase) == $target.scheme)
            and (if $rule.port == null then $target.port == null
                 else ($target.port // ($target.scheme | default_port)) == $rule.port end)
            and $segments[:$length] == $prefix
            and $specificity >= .best
        then {best: $specificity, rule: $index, allowed: ($rule.allow == true)}
        else . end);

# A rule that could never match what it says may have been a denial: nothing is granted beside it.
def checked:
    if type == "object" and (.host | type) == "string" and (.host | test("%") | not) and (.scheme | . == null or type == "string")
        and (.path_prefix | . == null or type == "string") and (.port | . == null or type == "number")
        and (.allow | . == null or type == "boolean")
        and (.scheme // "x" | test("^[A-Za-z][A-Za-z0-9+.-]*$")) and (.path_prefix // "" | test("[?#]") | not)
        and (.path_prefix // "" | decoded | all(.[]; . != "." and . != ".."))
    then (.host | rtrimstr(".") | normalized_host) as $host | . else reject("policy") end;

def answer:
    (.access | if . == null then [] elif type != "object" then reject("policy")
        elif has("net") | not then [] elif (.net | type) == "array" then .net | map(checked) else reject("policy") end) as $rules |
    # Programs disagree on a backslash before the path: it ends the host for some, and for others does not.
    ([$target | capture("^[^:]*:(?<head>[/\\\\]*[^/?#]*)").head | test("\\\\")] | any) as $ambiguous |
    ($target | parsed) as $target |
    ("\($target.scheme)://\($target.host)" + (if $target.port then ":\($target.port)" else "" end)
        + "/" + ($target.segments | join("/"))) as $canonical |
    if $rules == [] then {rule: null, allowed: true}
    else
        ($rules | decide($target; .)) as $first |
        if $first.allowed and any($target.segments[]; test("%2F|%5C")) then
            # Servers disagree on encoded separators: both readings must be allowed.
            ($rules | decide($target; split_again)) | if .allowed then $first else . end
        else $first end |
        if $ambiguous then .allowed = false else . end
    end | "\(.allowed)\u001f\(.rule)\u001f\($canonical)";

try answer catch (if type == "object" then .rejected else "invalid" end)
