"""The lists in tools/old_words/: how many old names and comments a file may still have that a newer
rule of lint_rules.py would find. A line is PATH<tab>NUMBER. A number may only become smaller.
"""

import re

FOLDER = "tools/old_words/"
DOC_COMMENTS = FOLDER + "doc_comments.txt"
TEST_NAMES = FOLDER + "test_names.txt"
LINE = re.compile(r"(\S+)\t([1-9]\d*)")


def read(tree, listing):
    """Path to (number, line of the list), and the numbers of the lines that are malformed."""
    allowed, malformed = {}, []
    for number, line in enumerate(tree.lines(listing) if listing in tree.files else [], 1):
        match = LINE.fullmatch(line)
        if match and match.group(1) not in allowed:
            allowed[match.group(1)] = (int(match.group(2)), number)
        elif line:
            malformed.append(number)
    return allowed, malformed


def total(tree, listing):
    return sum(number for number, _ in read(tree, listing)[0].values())


def renew(tree, listing, found):
    """Lowers the list's numbers to what is found: a dictionary from path to number. What was allowed
    to a file that is gone passes to new files of the same name, so that files can be moved."""
    allowed = {path: number for path, (number, _) in read(tree, listing)[0].items()}
    name = lambda path: path.rsplit("/", 1)[-1]
    left = {}
    for path, number in allowed.items():
        if path not in tree.files:
            left[name(path)] = left.get(name(path), 0) + number
    lines = []
    for path in sorted(found):
        number = min(found[path], allowed.get(path) or left.get(name(path), 0))
        if path not in allowed:
            left[name(path)] = left.get(name(path), 0) - number
        if number:
            lines.append(f"{path}\t{number}\n")
    (tree.root / listing).parent.mkdir(parents=True, exist_ok=True)
    (tree.root / listing).write_text("".join(lines))
