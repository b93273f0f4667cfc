"""Checks of tool access grants, as a tool in Python makes them.

The rules are RFD 076 (files, network, environment) and RFD 078 (config); the vectors in schemas/vectors hold this
module to them.
It needs nothing but the standard library.

A check returns (allowed, rule, target): the position of the deciding rule or None, and the target in the form that was
compared with the rules.
It raises Rejected for a target that has no such form; such a target is never allowed.
"""

import errno
import ipaddress
import json
import os
import re
import stat
import urllib.parse

MAX_SYMLINKS = 40
SENSITIVE = ["conversation.tools.*.access"]
CAPABILITIES = ["read", "write", "create", "update", "delete", "execute"]
PROTECTED_NAMES = [".jp", ".jp.toml", ".jp.json", ".jp.yaml", ".jp.yml", ".git", ".vscode", ".idea", ".envrc"]
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}


class Rejected(Exception):
    """A target that no rule can be compared with: outside, escape, io or invalid; or rules that mean nothing: policy."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def most_specific(rules, specificity):
    """The position of the last rule among those with the greatest specificity; None if no rule has one."""
    best = None
    for index, rule in enumerate(rules):
        value = specificity(rule)
        if value is not None and (best is None or value >= best[0]):
            best = (value, index)
    return None if best is None else best[1]


def granted(context, resource, is_rule):
    """The rules of one list, empty where nothing was declared.

    Rules that cannot be understood are never taken for none: one of them may have been a denial.
    """
    access = context.get("access")
    if access is None:
        return []
    rules = access.get(resource, []) if isinstance(access, dict) else None
    if not isinstance(rules, list) or not all(isinstance(rule, dict) and is_rule(rule) for rule in rules):
        raise Rejected("policy", f"invalid access policy: access.{resource}")
    return rules


def is_optional(value, kind):
    # To Python a boolean is an integer as well.
    return value is None or type(value) is kind


# Files ---------------------------------------------------------------------------------------------------------------


def names(path):
    return [name for name in path.split("/") if name not in ("", ".")]


def normalized(parts, path):
    parts = list(parts)
    for name in names(path):
        if name != "..":
            parts.append(name)
        elif parts:
            parts.pop()
    return parts


def below_root(root, real_root, path):
    """Steps 1 and 2: the names from the root to the path, `..` resolved lexically."""
    base, rest = root, path
    if path.startswith("/"):
        for base in (root, real_root):
            depth = len(names(base))
            if names(path)[:depth] == names(base):
                rest = "/".join(names(path)[depth:])
                break
        else:
            raise Rejected("outside", f"path is outside the workspace: {path}")
    base = normalized([], base)
    joined = normalized(base, rest)
    if joined[: len(base)] != base:
        raise Rejected("escape", f"path escapes the workspace: {path}")
    return joined[len(base) :]


def follow(start, parts, keeps_last):
    """Step 3: follows every link that exists, dangling ones too; what is missing is appended as it is.

    With `keeps_last`, a link that the last name itself stands for is left alone.
    """
    pending = list(reversed(parts))
    is_target = False
    current, missing, links = start, False, 0
    while pending:
        name = pending.pop()
        if name == "..":
            if missing:
                raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
            if not os.path.isdir(current):
                raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            current = os.path.dirname(current)
            continue
        candidate = os.path.join(current, name)
        if missing:
            current = candidate
            continue
        try:
            mode = os.lstat(candidate).st_mode
        except (FileNotFoundError, NotADirectoryError):
            current, missing = candidate, True
            continue
        is_last = keeps_last and not pending and not is_target
        if is_last or not stat.S_ISLNK(mode):
            current = candidate
            continue
        is_target = is_target or not pending
        links += 1
        if links > MAX_SYMLINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        target = os.readlink(candidate)
        if target.startswith("/"):
            current = "/"
        pending.extend(reversed(names(target)))
    return current


def strip_prefix(path, prefix):
    """The part of a resolved path below a resolved prefix, `.` if they are equal; None if it lies elsewhere."""
    if path == prefix:
        return "."
    prefix = prefix.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) else None


def canonicalize(root, rules, path, keeps_last=False):
    """The path to open, and its form relative to the workspace."""
    if "\0" in path:
        raise Rejected("io", "a path cannot hold NUL")
    try:
        real_root = os.path.realpath(root, strict=True)
        absolute = follow(real_root, below_root(root, real_root, path), keeps_last)
    except OSError as error:
        raise Rejected("io", f"failed to resolve path {path}: {error.strerror}") from error
    relative = strip_prefix(absolute, real_root)
    if relative is not None:
        return absolute, relative
    # Out of the workspace only into the approved target of an external rule, under the path of that rule.
    mount = None
    for rule in rules:
        target = rule.get("approved_target")
        below = strip_prefix(absolute, target) if rule.get("external") and target else None
        if below is not None and (mount is None or len(names(target)) >= mount[0]):
            relative = "/".join(names(rule_path(rule)) + names(below))
            mount = (len(names(target)), relative)
    if mount is None:
        raise Rejected("escape", f"path escapes the workspace: {path}")
    return absolute, mount[1]


def rule_path(rule):
    """RFD 076 calls it `path`, the released `jp` `lexical_path`."""
    return rule["lexical_path"] if rule.get("path") is None else rule["path"]


def is_fs_rule(rule):
    paths = [rule[key] for key in ("path", "lexical_path") if rule.get(key) is not None]
    return (
        len(paths) > 0
        and all(isinstance(path, str) and not path.startswith("/") for path in paths)
        and all(".." not in names(path) and names(path) == names(paths[0]) for path in paths)
        and all(is_optional(rule.get(capability), bool) for capability in CAPABILITIES)
        and is_optional(rule.get("external"), bool)
        and is_optional(rule.get("approved_target"), str)
    )


def grants_fs(rule, capability):
    granted = rule.get(capability)
    if granted is None and capability in ("create", "update", "delete"):
        granted = rule.get("write")
    return granted is True


def protected_place(context, absolute, parts):
    """The names that lead to the outermost protected place on a path; None if there is none."""
    for depth, name in enumerate(parts, 1):
        if name.lower() in PROTECTED_NAMES:
            return parts[:depth]
    listed = [file.lower() for file in context.get("protected", [])]
    return parts if absolute.lower() in listed else None


def resolve_fs(context, capability, path):
    """The path to open, and the decision.

    Removing acts on the entry itself, also where that is a link; everything else acts on what it leads to.
    Config and hooks change only under a rule at or below the protected place.
    """
    rules = granted(context, "fs", is_fs_rule)
    absolute, target = canonicalize(context["root"], rules, path, keeps_last=capability == "delete")
    parts = names(target)
    changes = capability in ("create", "update", "delete")
    place = protected_place(context, absolute, parts) if changes else None
    if not rules:
        return absolute, (place is None, None, target)

    def specificity(rule):
        prefix = names(rule_path(rule))
        return len(prefix) if parts[: len(prefix)] == prefix else None

    rule = most_specific(rules, specificity)
    allowed = rule is not None and grants_fs(rules[rule], capability)
    if allowed and place is not None:
        allowed = names(rule_path(rules[rule]))[: len(place)] == place
    return absolute, (allowed, rule, target)


def check_fs(context, capability, path):
    return resolve_fs(context, capability, path)[1]


# Network -------------------------------------------------------------------------------------------------------------


def normalized_ipv4(host):
    """The address if the last label is a number, as the URL standard has it; None for a name."""
    labels = host.removesuffix(".").split(".")
    if not re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", labels[-1]):
        return None
    if len(labels) > 4:
        raise Rejected("invalid", f"`{host}` is not an IPv4 address")
    numbers = []
    for label in labels:
        if re.fullmatch(r"0[xX][0-9a-fA-F]*", label):
            numbers.append(int(label[2:] or "0", 16))
        elif re.fullmatch(r"0[0-7]*", label):
            numbers.append(int(label, 8))
        elif re.fullmatch(r"[1-9][0-9]*", label):
            numbers.append(int(label))
        else:
            raise Rejected("invalid", f"`{host}` is not an IPv4 address")
    *leading, last = numbers
    if any(number > 255 for number in leading) or last >= 256 ** (5 - len(numbers)):
        raise Rejected("invalid", f"`{host}` is not an IPv4 address")
    value = last
    for index, number in enumerate(leading):
        value += number * 256 ** (3 - index)
    return str(ipaddress.IPv4Address(value))


def normalized_ipv6(host):
    address = ipaddress.IPv6Address(host)
    if address.scope_id is not None:
        raise Rejected("invalid", f"`{host}` names a zone")
    mapped = address.ipv4_mapped
    if mapped is not None:
        # Versions of the standard library differ on how they write it.
        return f"[::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xffff:x}]"
    return f"[{address}]"


def normalized_host(host):
    """ASCII, lower case, no trailing dot; addresses in one spelling, IPv6 in brackets."""
    try:
        if host.startswith("[") and host.endswith("]"):
            return normalized_ipv6(host[1:-1])
        if host.count(":") > 1:
            return normalized_ipv6(host)
        host = urllib.parse.unquote(host, errors="strict")
        # The standard library knows IDNA 2003, which maps these four characters to another name than browsers do.
        if any(character in host for character in "ßς\u200c\u200d"):
            raise Rejected("invalid", f"`{host}` holds a character that this tool cannot encode")
        host = host.encode("idna").decode("ascii").lower()
    except ValueError as error:
        raise Rejected("invalid", f"`{host}` is not a host: {error}") from error
    if re.search(r"[\x00-\x20#%/:<>?@\[\\\]^|*\x7f]", host):
        raise Rejected("invalid", f"`{host}` is not a host")
    address = normalized_ipv4(host) if host else None
    if address is not None:
        return address
    host = host.removesuffix(".")
    if "" in host.split("."):
        raise Rejected("invalid", f"`{host}` has an empty label")
    return host


def parse_url(text):
    """Scheme, host, port (None for the scheme's own) and decoded segments, as the URL standard parses them."""
    text = re.sub(r"[\t\n\r]", "", text.strip("".join(map(chr, range(0x21)))))
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", text)
    if match is None:
        raise Rejected("invalid", f"`{text}` is not an absolute URL")
    scheme, rest = match[1].lower(), text[match.end() :]
    rest, _, _ = rest.partition("#")
    rest, _, _ = rest.partition("?")
    if scheme in DEFAULT_PORTS:
        rest = rest.replace("\\", "/").lstrip("/")
    elif scheme != "file" and rest.startswith("//"):
        rest = rest[2:]
    else:
        raise Rejected("invalid", f"`{text}` names no host")
    authority, slash, path = rest.partition("/")
    authority = authority.rpartition("@")[2]
    match = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]*))?", authority)
    if match is None or not match[1]:
        raise Rejected("invalid", f"`{text}` names no host")
    port = int(match[2]) if match[2] else None
    if port is not None and port > 65535:
        raise Rejected("invalid", f"`{text}` has no valid port")
    if port == DEFAULT_PORTS.get(scheme):
        port = None
    segments = []
    for segment in path.split("/"):
        dots = re.sub("%2e", ".", segment, flags=re.IGNORECASE)
        if dots == "..":
            if segments:
                segments.pop()
        elif dots != ".":
            segments.append(segment)
    return scheme, normalized_host(match[1]), port, decoded("/".join(segments))


def decoded(path):
    return [urllib.parse.unquote_to_bytes(segment) for segment in path.split("/") if segment]


def split_again(segments):
    """The segments as a server sees them that decodes the whole path before it splits it."""
    parts = []
    for part in re.split(rb"[/\\]", b"/".join(segments)):
        if part == b"..":
            if parts:
                parts.pop()
        elif part not in (b"", b"."):
            parts.append(part)
    return parts


def decide_net(rules, scheme, host, port, segments, reading):
    default = DEFAULT_PORTS.get(scheme)

    def specificity(rule):
        prefix = reading(decoded(rule.get("path_prefix") or ""))
        expected_scheme, expected_port = rule.get("scheme"), rule.get("port")
        if (
            normalized_host(rule["host"]) != host
            or (expected_scheme is not None and expected_scheme.lower() != scheme)
            or (port is not None if expected_port is None else (default if port is None else port) != expected_port)
            or segments[: len(prefix)] != prefix
        ):
            return None
        return (expected_scheme is not None) + (expected_port is not None) + len(prefix)

    rule = most_specific(rules, specificity)
    return rule is not None and rules[rule].get("allow") is True, rule


def is_net_rule(rule):
    host, scheme, prefix = rule.get("host"), rule.get("scheme"), rule.get("path_prefix")
    if not isinstance(host, str) or "%" in host or not all(is_optional(text, str) for text in (scheme, prefix)):
        return False
    normalized_host(host)
    return (
        (scheme is None or re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme) is not None)
        and not re.search(r"[?#]", prefix or "")
        and not any(segment in (b".", b"..") for segment in decoded(prefix or ""))
        and is_optional(rule.get("port"), int)
        and isinstance(rule.get("allow", False), bool)
    )


def check_net(context, target):
    rules = granted(context, "net", is_net_rule)
    scheme, host, port, segments = parse_url(target)
    canonical = f"{scheme}://{host}" + (f":{port}" if port is not None else "")
    canonical += "/" + "/".join(urllib.parse.quote(s, safe="!$&'()*+,;=:@") for s in segments)
    if not rules:
        return True, None, canonical
    allowed, rule = decide_net(rules, scheme, host, port, segments, lambda prefix: prefix)
    # Servers disagree on encoded separators: both readings must be allowed.
    if allowed and any(b"/" in segment or b"\\" in segment for segment in segments):
        split = decide_net(rules, scheme, host, port, split_again(segments), split_again)
        allowed, rule = (allowed, rule) if split[0] else split
    # Programs disagree on a backslash before the path: it ends the host for some, and for others does not.
    before_path = re.match(r"[^:]*:([/\\]*[^/?#]*)", target)
    if before_path is not None and "\\" in before_path[1]:
        allowed = False
    return allowed, rule, canonical


# Environment ---------------------------------------------------------------------------------------------------------


def is_env_rule(rule):
    name = rule.get("name")
    is_name = isinstance(name, str) and re.fullmatch(r"[^*=\s\x00-\x1f\x7f]*(\*|[^*=\s\x00-\x1f\x7f])", name)
    return bool(is_name) and isinstance(rule.get("read", False), bool)


def check_env(context, name):
    rules = granted(context, "env", is_env_rule)
    if not name or "=" in name or "\0" in name:
        raise Rejected("invalid", f"`{name}` is not the name of a variable")
    if not rules:
        return True, None, name

    def specificity(rule):
        literal = rule["name"]
        if literal.endswith("*"):
            literal = literal[:-1]
            return (len(literal.encode()), 0) if name.startswith(literal) else None
        return (len(literal.encode()), 1) if name == literal else None

    rule = most_specific(rules, specificity)
    return rule is not None and rules[rule].get("read") is True, rule, name


# Config --------------------------------------------------------------------------------------------------------------


def config_keys(path):
    """The keys of a dotted path; one that holds a dot or a star stands in double quotes."""
    keys, rest = [], path
    while True:
        if rest.startswith('"'):
            try:
                key, end = json.JSONDecoder().raw_decode(rest)
            except ValueError as error:
                raise Rejected("invalid", f"`{path}` does not close its quotes") from error
        else:
            key = re.match(r"[^.\[]*", rest)[0]
            end = len(key)
            if not key or (key != "*" and re.search(r"[\s*\"'\]]", key)):
                raise Rejected("invalid", f"`{path}` is not a config path")
        keys.append(key)
        if end == len(rest):
            return keys
        if rest[end] != ".":
            raise Rejected("invalid", f"`{path}` is not a config path")
        rest = rest[end + 1 :]


def overlaps(keys, pattern):
    return all(p == "*" or k == "*" or p == k for k, p in zip(keys, pattern.split(".")))


def is_config_rule(rule):
    if not isinstance(rule.get("path"), str):
        return False
    config_keys(rule["path"])
    flags = (rule.get("read", False), rule.get("delete", False))
    return all(isinstance(flag, bool) for flag in flags) and rule.get("write", False) in (True, False, "insecure_allow")


def check_config(context, capability, path):
    rules = granted(context, "config", is_config_rule)
    keys = config_keys(path)

    def specificity(rule):
        pattern = config_keys(rule["path"])
        matches = len(pattern) <= len(keys) and all(p in ("*", k) for p, k in zip(pattern, keys))
        return len(pattern) if matches else None

    rule = most_specific(rules, specificity)
    if rule is None:
        return False, None, path
    write = rules[rule].get("write", False)
    allowed = write in (True, "insecure_allow") if capability == "write" else rules[rule].get(capability) is True
    if capability != "read" and any(overlaps(keys, pattern) for pattern in SENSITIVE):
        allowed = allowed and write == "insecure_allow"
    return allowed, rule, path
