"""Reads the help texts of flags and metrics from the sources: `tools/words` prints them, and the
rule `help` of lint_rules.py checks them.

A flag is a call with the flag's name and, after it, a literal with its help. A metric is a literal
with its full name, followed by a literal with its help, in a call that names its type:

    section.Add("concurrent-gc-syncs", concurrent_syncs, "Number of objects that ...");
    verb.add_option("-l,--selector", selector, "Label selector ...");
    registry->Gauges({.name = "pv_collector_bound_pv_count", .help = "[ALPHA] Number of ..."})

A name that is put together from parts is not found. Write it in full, so that a search for the name
on a dashboard finds its declaration.
"""

import re
from dataclasses import dataclass

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|(?<!\w)'(?:\\.|[^'\\\n])+'|(?P<word>[A-Za-z_]\w*)|(?P<mark>[^\s\w])", re.S)
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}
OPEN, CLOSE = "([{", ")]}"

METRIC_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")
METRIC_CALL = re.compile(r"(?i)(counter|gauge|histogram)s?$")
METRIC_HELP = re.compile(r"(?:\[(ALPHA|BETA|STABLE)\] )?(.*)", re.S)
LONG_FLAG = re.compile(r"(?:-\w,)?--([a-z][a-z0-9-]*)|-(\w)")
FLAG_NAME = re.compile(r"[a-z][a-z0-9-]*|[A-Z]+")


@dataclass(frozen=True)
class Help:
    path: str
    line: int
    owner: str  # the folder below flyball/ that it is declared in
    kind: str  # flag, counter, gauge, histogram
    name: str  # of a flag without its dashes
    stability: str  # ALPHA, BETA, STABLE; - where nothing is said
    text: str  # with "..." for parts that are not literals


@dataclass(frozen=True)
class Token:
    kind: str  # text, word, mark
    text: str
    line: int


def tokens_of(source):
    tokens, line, at = [], 1, 0
    for match in TOKEN.finditer(source):
        line += source.count("\n", at, match.start())
        at = match.start()
        if match.group("text") is not None:
            unescape = lambda m: ESCAPES.get(m.group(1), m.group(0))
            tokens.append(Token("text", re.sub(r"\\(.)", unescape, match.group("text")), line))
        elif match.group("raw") is not None:
            tokens.append(Token("text", match.group("raw"), line))
        elif match.group("word"):
            tokens.append(Token("word", match.group("word"), line))
        elif match.group("mark"):
            tokens.append(Token("mark", match.group("mark"), line))
    return tokens


def is_mark(token, text):
    return token.kind == "mark" and token.text == text


def arguments_after(tokens, at):
    """The arguments of the token's call from the token on, each as a list of tokens."""
    arguments, current, depth = [], [], 0
    for token in tokens[at:]:
        if token.kind == "mark":
            if token.text in OPEN:
                depth += 1
            elif token.text in CLOSE:
                depth -= 1
                if depth < 0:
                    break
            elif token.text == "," and depth == 0:
                arguments.append(current)
                current = []
                continue
            elif token.text == ";" and depth == 0:
                break
        current.append(token)
    return arguments + [current]


def spoken(argument):
    """The text of an argument that begins with a literal, or None."""
    if argument and argument[0].kind == "mark" and argument[0].text == ".":  # .help = "..."
        argument = argument[3:]
    if not argument or argument[0].kind != "text":
        return None
    said, literal = "", True
    for token in argument:
        if token.kind == "text":
            said, literal = said + token.text, True
        elif literal and not is_mark(token, "+"):
            said, literal = said + "...", False
    return said


def opening(tokens, at):
    """The index of the innermost bracket that is open at the token; 0 if there is none."""
    depth = 0
    for i in range(at - 1, 0, -1):
        token = tokens[i]
        if token.kind != "mark":
            continue
        if token.text in CLOSE:
            depth += 1
        elif token.text in OPEN:
            if depth == 0:
                return i
            depth -= 1
        elif token.text == ";" and depth == 0:
            break
    return 0


def calls_around(tokens, at):
    """The names of the calls that have the token in their arguments, innermost first."""
    while at := opening(tokens, at):
        if is_mark(tokens[at], "("):
            yield next((t.text for t in reversed(tokens[max(0, at - 4):at])
                        if t.kind == "word" and t.text not in ("std", "string")), "")


def names_metric(tokens, at):
    """Whether the literal can be the name of a metric, and not of a label."""
    if not METRIC_NAME.fullmatch(tokens[at].text):
        return False
    before = tokens[at - 1]
    if is_mark(before, "{"):
        return is_mark(tokens[at - 2], "(")
    if is_mark(before, "="):
        return tokens[at - 2].text == "name"
    if is_mark(before, ","):
        return is_mark(tokens[opening(tokens, at)], "(")
    return is_mark(before, "(")


def metric_at(tokens, at):
    """(type, help) if the literal is a metric's name."""
    if not names_metric(tokens, at):
        return None
    kind = next((m.group(1).lower() for call in calls_around(tokens, at)
                 if (m := METRIC_CALL.search(call))), None)
    rest = arguments_after(tokens, at)
    if kind is None or len(rest) < 2 or len(rest[0]) != 1:
        return None
    text = spoken(rest[1])
    return (kind, text) if text is not None and not METRIC_NAME.fullmatch(text) else None


def flag_at(path, tokens, at):
    """(name, help) if the literal is a flag's name."""
    call = next(calls_around(tokens, at), "")
    text = tokens[at].text
    rest = arguments_after(tokens, at)
    if len(rest) < 3 or len(rest[0]) != 1:
        return None
    if match := LONG_FLAG.fullmatch(text):
        name = match.group(1) or match.group(2)
    elif FLAG_NAME.fullmatch(text) and (call == "add_option"
                                        or call == "Add" and path.startswith("flyball/manager/")):
        name = text
    else:
        return None
    said = next((s for argument in rest[2:] if (s := spoken(argument)) is not None), None)
    return (name, said) if said is not None else None


def helps_of(path, source):
    """Every help in a source file, in order."""
    parts = path.split("/")
    owner = parts[1] if len(parts) > 2 else parts[0]
    tokens = tokens_of(source)
    for at, token in enumerate(tokens):
        if token.kind != "text":
            continue
        if metric := metric_at(tokens, at):
            stability, text = METRIC_HELP.fullmatch(metric[1]).groups()
            yield Help(path, token.line, owner, metric[0], token.text, stability or "-", text)
        elif flag := flag_at(path, tokens, at):
            yield Help(path, token.line, owner, "flag", flag[0], "-", flag[1])


def all_helps(tree):
    """The helps in all sources that are shipped, file by file; `tree` is a lint_rules.Tree."""
    for path in tree.sources("flyball/"):
        if not path.endswith(("_test.cc", "_bench.cc", "_fuzz.cc")):
            yield from helps_of(path, "\n".join(tree.lines(path)))
