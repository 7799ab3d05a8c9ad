"""The rules that are read off the text of the tree.

A rule is a function from a Tree to Findings; its docstring says why it exists. Beside it stand the
examples that `tools/lint --self-test` holds it to: every tree in `bad` must be found, `good` must
not. A line that has a reason to break a rule says so on the spot:

    std::thread worker(Loop);  // lint: allow std::thread: the embedder's own loop, outside base/

where the name is that of the rule, or of the thing it bans.
"""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ORDER = ["base", "api", "gen", "crd", "transport", "client", "serving", "sandbox", "cache", "queue",
         "runtime", "endpoints", "simulation", "operator", "controllers", "testkit", "manager",
         "ctl", "up", "cli"]
# The two ends of a connection have streams and sessions in common, which are nobody else's matter.
SHARED_INTERNALS = [("serving", "transport")]
CLANG_FORMAT = "clang-format-19"
LONG_FILE = 700


@dataclass(frozen=True)
class Finding:
    path: str
    line: int  # 0 where the finding is about the whole file
    name: str  # what `lint: allow` may call it besides the rule's own name
    text: str


class Tree:
    """The files of a checkout that are tracked, or would be with `git add .`."""

    def __init__(self, root, files=None):
        self.root = Path(root)
        self.files = sorted(files if files is not None else self._list())
        self._lines = {}

    def _list(self):
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"],
            cwd=self.root, capture_output=True, text=True)
        if listed.returncode == 0:
            paths = [p for p in listed.stdout.split("\0") if p]
        else:  # a tarball
            paths = [os.path.relpath(os.path.join(folder, name), self.root)
                     for folder, _, names in os.walk(self.root) for name in names]
            paths = [p for p in paths if not p.startswith(("build/", ".git/", ".cache/"))]
        return [p for p in paths if (self.root / p).is_file()]

    def sources(self, prefix="", suffixes=(".h", ".cc")):
        return [p for p in self.files if p.startswith(prefix) and p.endswith(suffixes)]

    def lines(self, path):
        if path not in self._lines:
            text = (self.root / path).read_bytes().decode("utf-8", errors="replace")
            self._lines[path] = text.split("\n")
        return self._lines[path]

    def code(self, path):
        """The lines with comments and literals blanked out."""
        blank = lambda match: re.sub(r"[^\n]", " ", match.group())
        return COMMENT_OR_LITERAL.sub(blank, "\n".join(self.lines(path))).split("\n")

    def includes(self, path):
        """(line number, "<x>" or "\"x\"") of each include, in order."""
        for number, line in enumerate(self.lines(path), 1):
            if match := re.match(r'\s*#\s*include\s*([<"][^>"]+[>"])', line):
                yield number, match.group(1)


COMMENT_OR_LITERAL = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)'(?:\\.|[^'\\\n])+'""",
    re.S)

RULES = {}


def rule(name, bad, good):
    def register(function):
        function.bad, function.good = bad, good
        RULES[name] = function
        return function
    return register


def findings(tree, name):
    """What the rule finds, less what the lines themselves allow."""
    for found in RULES[name](tree):
        line = tree.lines(found.path)[found.line - 1] if found.line else ""
        allowed = re.search(r"// lint: allow (\S+): \S", line)
        if not (allowed and allowed.group(1) in (name, found.name)):
            yield found


@rule("format",
      bad=[{".clang-format": "BasedOnStyle: Google\n", "flyball/api/x.cc": "int  f( ) ;\n"}],
      good={".clang-format": "BasedOnStyle: Google\n", "flyball/api/x.cc": "int f();\n"})
def check_format(tree):
    """One format for all, so that a diff shows only what changed."""
    sources = tree.sources()
    if not sources:
        return
    run = subprocess.run([CLANG_FORMAT, "--dry-run", *sources], cwd=tree.root,
                         capture_output=True, text=True)
    seen = set()
    for match in re.finditer(r"^(\S+?):(\d+):\d+: warning", run.stderr, re.M):
        if match.group(1) not in seen:
            seen.add(match.group(1))
            yield Finding(match.group(1), int(match.group(2)), "format", "`make format` mends it")
    if run.returncode != 0 and not seen:
        raise RuntimeError(f"{CLANG_FORMAT} failed: {run.stderr}")


def may_include(folder):
    before = ORDER[:ORDER.index(folder)]
    if folder == "cli":
        return before
    if folder == "gen":
        return ["base", "api"]
    if folder == "crd":
        return ["base", "api", "gen"]
    if folder == "sandbox":
        return ["base", "api", "crd", "transport", "client", "serving"]
    if folder == "ctl":  # a client like any other; its tests bring a server
        return ["base", "api", "transport", "client", "serving", "sandbox"]
    return [f for f in before if f not in ("gen", "crd")]


@rule("layering",
      bad=[{"flyball/base/x.cc": '#include "flyball/api/quantity.h"\n'},
           {"flyball/api/x.h": '#include "flyball/gen/schema.h"\n'},
           {"flyball/manager/x.cc": '#include "flyball/gen/schema.h"\n'},
           {"flyball/client/x.cc": '#include "flyball/crd/generate_crds.h"\n'},
           {"flyball/gen/x.cc": '#include "flyball/client/client.h"\n'},
           {"flyball/sandbox/x.cc": '#include "flyball/cache/store.h"\n'},
           {"flyball/sandbox/x.cc": '#include "flyball/gen/schema.h"\n'},
           {"flyball/cache/x_test.cc": '#include "flyball/runtime/context.h"\n'},
           {"flyball/controllers/job/x.cc": '#include "flyball/controllers/cronjob/plan.h"\n'},
           {"flyball/controllers/common/x.cc": '#include "flyball/controllers/job/plan.h"\n'},
           {"flyball/client/x.cc": '#include "flyball/api/internal/field_access.h"\n'},
           {"flyball/client/x.cc": '#include "flyball/transport/internal/dial.h"\n'},
           {"flyball/serving/x.h": '#include "flyball/transport/internal/dial.h"\n'},
           {"flyball/api/x.h": '#include "flyball/api/internal/field_access.h"\n'},
           {"flyball/attic/x.cc": "int x;\n"}],
      good={"flyball/api/x.cc": '#include "flyball/api/internal/field_access.h"\n',
            "flyball/api/internal/x.h": '#include "flyball/api/internal/field_access.h"\n',
            "flyball/base/x.cc": '#include "flyball/base/x.h"\n',
            "flyball/serving/x.cc": '#include "flyball/transport/internal/tls_stream.h"\n',
            "flyball/gen/x.cc": '#include "flyball/api/schema.h"\n',
            "flyball/crd/x.cc": '#include "flyball/gen/schema.h"\n',
            "flyball/cli/x.cc": '#include "flyball/gen/schema.h"\n',
            "flyball/sandbox/x.cc": '#include "flyball/client/client.h"\n'
                                    '#include "flyball/crd/schema_place.h"\n',
            "flyball/controllers/registry.cc": '#include "flyball/controllers/job/job.h"\n',
            "flyball/controllers/job/x.cc": '#include "flyball/controllers/common/claim.h"\n'
                                            '#include "flyball/runtime/context.h"\n'})
def check_layering(tree):
    """The folders are the data flow; an include against the stream makes a knot of it."""
    for path in tree.sources("flyball/"):
        parts = path.split("/")[1:]
        if parts[0] not in ORDER:
            yield Finding(path, 0, parts[0], f"folder {parts[0]}/ has no place in the order")
            continue
        for number, target in tree.includes(path):
            to = target.strip('"<>').split("/")
            if to[0] != "flyball" or len(to) < 3:
                continue
            to = to[1:]
            if to[0] != parts[0] and to[0] not in may_include(parts[0]):
                yield Finding(path, number, to[0], f"{parts[0]}/ may not include {to[0]}/")
            elif (to[1] == "internal" and to[0] != parts[0]
                  and (parts[0], to[0]) not in SHARED_INTERNALS):
                yield Finding(path, number, to[0], f"{to[0]}/internal/ belongs to {to[0]}/ alone")
            elif to[1] == "internal" and path.endswith(".h") and parts[1] != "internal":
                yield Finding(path, number, to[0], "a header that is installed, of one that is not")
            elif (to[0] == parts[0] == "controllers" and len(parts) > 2 and len(to) > 2
                  and to[1] not in (parts[1], "common")):
                yield Finding(path, number, to[1],
                              f"controllers/{parts[1]} may not include controllers/{to[1]}")


BANNED = {
    "steady_clock::now": r"\bsteady_clock\s*::\s*now\b",
    "system_clock::now": r"\bsystem_clock\s*::\s*now\b",
    "high_resolution_clock::now": r"\bhigh_resolution_clock\s*::\s*now\b",
    "sleep_for": r"\bsleep_for\b",
    "sleep_until": r"\bsleep_until\b",
    "usleep": r"\b(?:u|nano)sleep\s*\(",
    "std::thread": r"\bstd\s*::\s*thread\b",
    "std::jthread": r"\bstd\s*::\s*jthread\b",
    "rand": r"(?<![\w.>])(?:std\s*::\s*)?s?rand\s*\(",
    "random_device": r"\brandom_device\b",
}


@rule("banned-call",
      bad=[{"flyball/api/x.cc": f"void f() {{ {call}; }}\n"} for call in (
          "auto t = std::chrono::steady_clock::now()", "auto t = std::chrono::system_clock::now()",
          "auto t = std::chrono::high_resolution_clock::now()",
          "std::this_thread::sleep_for(1s)", "std::this_thread::sleep_until(t)", "usleep(3)",
          "std::thread t(g)", "std::jthread t(g)", "int r = rand()", "int r = std::rand()",
          "std::random_device d", "usleep(3)  /* lint: allow usleep */")]
          + [{"flyball/api/x.cc": "std::thread t(g);  // lint: allow std::thread:\n"}],
      good={"flyball/base/x.cc": "void f() { std::this_thread::sleep_for(1s); }\n",
            "flyball/api/x.cc": "// Never sleep_for: rand() is no better.\n"
                                'auto s = "usleep(3)"; auto t = R"(std::thread)";\n'
                                "auto id = std::this_thread::get_id(); int n = operand(1'000);\n"
                                "std::thread t(g);  // lint: allow std::thread: a reason\n"
                                "usleep(3);  // lint: allow banned-call: a reason\n"})
def check_banned_calls(tree):
    """Time, threads and chance come in through base/, or tests could not hold them still."""
    for path in tree.sources(("flyball/", "examples/")):
        if path.startswith("flyball/base/"):
            continue
        for number, line in enumerate(tree.code(path), 1):
            for name, pattern in BANNED.items():
                if re.search(pattern, line):
                    yield Finding(path, number, name, f"{name} belongs to flyball/base")


@rule("foreign-header",
      bad=[{"flyball/api/x.h": f"#include <{header}>\n"} for header in (
          "boost/json.hpp", "nghttp2/nghttp2.h", "protozero/pbf_reader.hpp", "yaml-cpp/yaml.h",
          "CLI/CLI.hpp", "spdlog/spdlog.h", "sqlite3.h")],
      good={"flyball/api/x.cc": "#include <boost/json.hpp>\n",
            "flyball/api/internal/x.h": "#include <boost/json.hpp>\n",
            "flyball/api/y.h": "#include <boost/json.hpp>  // lint: allow boost: a reason\n"
                               "#include <string>\n"})
def check_foreign_headers(tree):
    """Our headers show our types only, so that a dependency can be replaced."""
    for path in tree.sources("flyball/", (".h",)):
        if path.split("/")[2] == "internal":
            continue  # not installed
        for number, target in tree.includes(path):
            library = target.strip('"<>').split("/")[0]
            if library in ("boost", "nghttp2", "protozero", "yaml-cpp", "CLI", "spdlog",
                           "sqlite3.h"):
                yield Finding(path, number, library, f"a header of ours includes {target}")


@rule("folder-table",
      bad=[{"ARCHITECTURE.md": "| `base/` | x |\n", "flyball/base/x.h": "", "flyball/api/x.h": ""},
           {"ARCHITECTURE.md": "| `base/` | x |\n| `api/` | x |\n", "flyball/base/x.h": ""}],
      good={"ARCHITECTURE.md": "| `base/` | x |\n| `api/` | x |\n",
            "flyball/base/x.h": "", "flyball/api/x.h": ""})
def check_folder_table(tree):
    """A reader finds every folder explained in ARCHITECTURE.md, and none that is not there."""
    real = {p.split("/")[1] for p in tree.files if p.startswith("flyball/") and p.count("/") > 1}
    named = {}
    if "ARCHITECTURE.md" in tree.files:
        for number, line in enumerate(tree.lines("ARCHITECTURE.md"), 1):
            if match := re.match(r"\|\s*`(\w+)/`\s*\|", line):
                named[match.group(1)] = number
    for folder in sorted(real - set(named)):
        yield Finding(f"flyball/{folder}", 0, folder, "not in the folder table of ARCHITECTURE.md")
    for folder in sorted(set(named) - real):
        yield Finding("ARCHITECTURE.md", named[folder], folder, f"flyball/{folder}/ is not there")


@rule("generated",
      bad=[{"build/release/x.txt": ""}, {"flyball/api/pod.pb.h": ""},
           {"flyball/api/x.h": "// @" + "generated by gen\n"}],
      good={"flyball/gen/x.cc": 'int x;\nint y;\nint z;\nauto s = "// @' + 'generated";\n'})
def check_generated(tree):
    """What the build writes is never committed: it would go stale, and nobody reviews it."""
    for path in tree.files:
        if path.startswith("build/") or ".pb." in path.rsplit("/", 1)[-1]:
            yield Finding(path, 0, "generated", "a generated file")
        elif any("@" + "generated" in line for line in tree.lines(path)[:3]):
            yield Finding(path, 0, "generated", "says that it is generated")


@rule("own-header",
      bad=[{"flyball/api/x.h": "", "flyball/api/x.cc": '#include <string>\n'
                                                       '#include "flyball/api/x.h"\n'},
           {"flyball/api/x.h": "", "flyball/api/x.cc": "int x;\n"}],
      good={"flyball/api/x.h": "", "flyball/api/x.cc": '#include "flyball/api/x.h"\n#include <a>\n',
            "flyball/cli/main.cc": "#include <string>\n"})
def check_own_header(tree):
    """A header that is included first proves that it stands on its own."""
    for path in tree.sources("flyball/", (".cc",)):
        header = path[:-len(".cc")] + ".h"
        if header in tree.files:
            number, first = next(tree.includes(path), (0, ""))
            if first.strip('"') != header:
                yield Finding(path, number, "own-header", f"the first include must be {header}")


MACHINE_PATH = re.compile(r"(?<![\w.$})-])/(work|root|tmp|home/\w+)/")


@rule("machine-path",
      bad=[{path: f'const char* where = "/{folder}/x";\n'} for path, folder in (
          ("flyball/api/x.cc", "work"), ("CMakeLists.txt", "root"), ("tools/x", "home/me"),
          ("flyball/api/x.cc", "tmp"), ("tests/x_test.cc", "root"))],
      good={"flyball/api/x_test.cc": 'auto scratch = "/' + 'tmp/flyball";\n',
            "flyball/api/x.cc": '#include "flyball/api/tmp/x.h"\nauto s = "a/home/b/c";\n'})
def check_machine_paths(tree):
    """The tree builds anywhere; a path of somebody's machine says that it does not."""
    for path in tree.files:
        if "testdata/" in path or "/schema/" in path:
            continue  # facts from elsewhere, kept as they are
        scratch = path.endswith("_test.cc") or path.startswith("tests/")
        for number, line in enumerate(tree.lines(path), 1):
            for match in MACHINE_PATH.finditer(line):
                if not (scratch and match.group(1) == "tmp"):
                    yield Finding(path, number, match.group(), f"a machine's path {match.group()}")


def long_files(tree):
    """Notes, not findings: a long file is a question to its author, not an error."""
    for path in tree.sources():
        length = len(tree.lines(path)) - 1
        if length > LONG_FILE:
            yield f"{path}: {length} lines; would a reader know which topic it holds?"
