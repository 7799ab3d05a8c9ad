"""The second compiler and the static analyser, over the compile commands of a build folder.

A file that was clean stays clean until it, its flags, one of the headers it read, the tool or the
tool's configuration changes; so a clean result is kept under a hash of all of those, and a warm run
only hashes files. Results are kept by paths within the tree, so that a fresh clone is warm too.
"""

import hashlib
import json
import re
import shlex
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

CLANG, TIDY = "clang++-19", "clang-tidy-19"
JOBS = 2
KNOWN, RAN, LEFT = "known to be clean", "ran", "left"
NOT_SHIPPED = ("_test", "_bench", "_fuzz")
# g++ has warnings that clang has no name for; all else that we ask of g++ is asked of clang too.
WARNINGS = ["-Werror", "-Wno-unknown-warning-option", "-Wthread-safety",
            "-Wreserved-identifier"]

@cache
def digest(path):
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return "absent"


@cache
def tool_version(tool):
    return subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout


class Unit:
    """One entry of compile_commands.json, its g++ command turned into flags for clang."""

    def __init__(self, entry):
        self.folder = Path(entry["directory"])
        self.file = self.folder / entry["file"]
        words = iter(shlex.split(entry["command"]))
        for word in words:  # ccache and whatever else stands before the compiler
            if Path(word).name.startswith(("g++", "c++", "clang++")):
                break
        self.flags = []
        for word in words:
            if word == "-o":
                next(words)
            elif word != "-c" and self.folder / word != self.file:
                self.flags.append(word)


def entries_of(root, build):
    """What compile_commands.json says, of each file by itself where several are compiled together:
    whether one includes what it uses is not seen beside others that do."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = Path(entry["directory"]) / entry["file"]
        if file.parent.name not in ("together", "together_tests"):
            yield entry
            continue
        for included in re.findall(r'^#include "(.*)"$', file.read_text(), re.MULTILINE):
            if (root / included).exists():  # and not generated
                yield entry | {"file": str(root / included),
                               "command": entry["command"].replace(str(file), str(root / included))}


class Linter:
    def __init__(self, root, build, kept):
        self.root, self.build, self.kept = Path(root), Path(build), Path(kept)
        self.kept.mkdir(parents=True, exist_ok=True)

    def units(self):
        by_file = {}
        for unit in map(Unit, entries_of(self.root, self.build)):
            by_file.setdefault(unit.file, unit)
        # What the build generates is compiled by clang, warnings and all, for the fuzz programs.
        own = (unit for unit in by_file.values() if not self.is_generated(unit))
        return sorted(own, key=lambda unit: unit.file)

    def is_generated(self, unit):
        return unit.file.is_relative_to(self.build)

    def is_shipped(self, unit):
        """The analyser takes three times as long as the compiler: tests have the compiler alone."""
        within = unit.file.relative_to(self.root)
        return within.parts[0] == "flyball" and not within.stem.endswith(NOT_SHIPPED)

    def run(self, units, seconds=None):
        """Checks what is not known to be clean, in this order, for as long as there is time: (how
        many that were, how many were left, the outputs of the failed)."""
        end = None if seconds is None else time.monotonic() + seconds
        with ThreadPoolExecutor(JOBS) as pool:
            outcomes = list(pool.map(lambda unit: self._check(unit, end), units))
        done = [done for done, _ in outcomes]
        return (done.count(RAN), done.count(LEFT), [output for _, output in outcomes if output])

    def _check(self, unit, end):
        # The analyser begins with what the compiler does, and tells of its warnings.
        if self.is_shipped(unit):
            return self._step(unit, "tidy", TIDY, self._tidy, end)
        return self._step(unit, "syntax", CLANG, self._syntax, end)

    def _step(self, unit, name, tool, work, end):
        record = self._record(unit, name)
        saved = json.loads(record.read_text()) if record.exists() else None
        if saved and saved["hash"] == self._hash(unit, tool, self._here(saved["read"])):
            return KNOWN, ""
        if end is not None and time.monotonic() > end:
            return LEFT, ""
        read, output = work(unit)
        if not output:
            record.write_text(json.dumps({"hash": self._hash(unit, tool, read),
                                          "read": [self._anywhere(path) for path in read]}))
        return RAN, output

    def _anywhere(self, text):
        return text.replace(str(self.root), "<root>")

    def _here(self, paths):
        return [path.replace("<root>", str(self.root)) for path in paths]

    def _record(self, unit, name):
        where = hashlib.sha256(f"{name} {self._anywhere(str(unit.file))}".encode()).hexdigest()[:16]
        return self.kept / f"{unit.file.stem}-{name}-{where}.json"

    def _hash(self, unit, tool, read):
        config = digest(self.root / ".clang-tidy") if tool == TIDY else ""
        parts = [tool_version(tool), config, *WARNINGS, *map(self._anywhere, unit.flags),
                 *map(digest, sorted(read, key=self._anywhere))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _syntax(self, unit):
        return self._read(unit), self._output(
            unit, [CLANG, *unit.flags, *WARNINGS, "-fsyntax-only", str(unit.file)])

    def _tidy(self, unit):
        return self._read(unit), self._output(
            unit, [TIDY, "--quiet", f"--config-file={self.root / '.clang-tidy'}", str(unit.file),
                   "--", *unit.flags, *WARNINGS])

    def _read(self, unit):
        """The files that a compilation reads."""
        with tempfile.NamedTemporaryFile(suffix=".d") as depfile:
            subprocess.run([CLANG, *unit.flags, "-M", "-MF", depfile.name, str(unit.file)],
                           cwd=unit.folder, capture_output=True)
            rule = Path(depfile.name).read_text().replace("\\\n", " ")
        return [str(unit.folder / path) for path in rule.partition(":")[2].split()]

    def _output(self, unit, command):
        """What the tool had to say, or nothing if it was content."""
        done = subprocess.run(command, cwd=unit.folder, capture_output=True, text=True)
        if done.returncode == 0:
            return ""
        # clang-tidy writes findings to stdout and a count of what it did not show to stderr.
        return (done.stdout.strip() or done.stderr.strip()
                or f"{command[0]} failed on {unit.file}")


def generate_sources(build):
    """Builds the sources that the build itself writes, since the others include them."""
    listed = subprocess.run(["ninja", "-C", str(build), "-t", "targets", "rule", "CUSTOM_COMMAND"],
                            capture_output=True, text=True, check=True).stdout
    wanted = [line for line in listed.splitlines() if line.endswith((".h", ".cc", ".inc"))]
    if wanted:
        subprocess.run(["cmake", "--build", str(build), "--target", *wanted], check=True,
                       stdout=subprocess.DEVNULL)
