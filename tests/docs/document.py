"""Documents as the checks read them: their lines, code spans, tables and headings."""

import os
import posixpath
import re
from pathlib import Path

CHECKS = {}
CHANGELOG = "CHANGELOG.md"
TEXT = (".h", ".cc", ".cmake", ".txt", ".tsv", ".go", ".yaml", ".toml", ".py", "")  # and scripts
LEFT_OUT = ("build", ".git", "__pycache__")


class Tree:
    """Files by path, read when they are asked for."""

    def __init__(self, root=None, files=None):
        self._root, self._texts = root, dict(files or {})
        self.files = set(self._texts) if root is None else set(self._list())
        self.folders = {posixpath.dirname(path) for path in self.files}
        for folder in list(self.folders):
            while folder:
                folder = posixpath.dirname(folder)
                self.folders.add(folder)
        self.names = {posixpath.basename(path) for path in self.files}

    def _list(self):
        for folder, below, names in os.walk(self._root):
            below[:] = [name for name in below if name not in LEFT_OUT]
            for name in names:
                yield os.path.relpath(os.path.join(folder, name), self._root).replace(os.sep, "/")

    def text(self, path):
        if path not in self._texts:
            found = path in self.files
            raw = (Path(self._root) / path).read_bytes() if found else b""
            self._texts[path] = raw.decode("utf-8", errors="replace")
        return self._texts[path]

    def documents(self):
        return sorted(path for path in self.files if path.endswith(".md"))

    def sources(self, *prefixes):
        """Without the examples of these checks, which name what is nowhere."""
        return sorted(path for path in self.files if path.startswith(prefixes)
                      and not path.startswith("tests/docs/")
                      and posixpath.splitext(path)[1] in TEXT)


def check(bad, good):
    def register(function):
        function.bad, function.good = bad, good
        CHECKS[function.__name__.removeprefix("check_")] = function
        return function
    return register


def lines_of(tree, path):
    """(number, line, whether it is code) of each line."""
    fenced = False
    blank = True
    for number, line in enumerate(tree.text(path).splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            yield number, "", False
            continue
        # Indented after an empty line, or after code: not the next line of a list's item.
        indented = line.startswith("    ") and blank
        blank = not line.strip() or indented
        yield number, line, fenced or indented


def spans_of(tree, path):
    """(number, text) of each code span, and of each line of code."""
    for number, line, code in lines_of(tree, path):
        if code:
            yield number, line.strip()
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span.replace("\\|", "|")


def documents(tree):
    return [path for path in tree.documents() if path != CHANGELOG]


def tables_of(tree, path):
    """(number, head, cells) of each row of each table."""
    head = None
    for number, line, code in lines_of(tree, path):
        if code or not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if head is None:
            head = cells
        elif not set("".join(cells)) <= set("-: "):
            yield number, head, cells


def code_in(text):
    return [span.replace("\\|", "|") for span in re.findall(r"`([^`]+)`", text)]


def slug(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def anchors_of(tree, path):
    return {slug(match.group(1)) for _, line, code in lines_of(tree, path)
            if not code and (match := re.match(r"#+ (.*)", line))}
