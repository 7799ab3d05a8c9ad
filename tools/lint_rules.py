"""The rules that are read off the text of the tree.

A rule is a function from a Tree to Findings; its docstring says why it exists. Beside it stand the
examples that `tools/lint --self-test` holds it to: every tree in `bad` must be found, `good` must
not. A line that has a reason to break a rule says so on the spot:

    std::thread worker(Loop);  // lint: allow std::thread: the embedder's own loop, outside base/

where the name is that of the rule, or of the thing it bans.
"""

import datetime
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import help_texts
import old_words

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

    def __init__(self, root, files=None, subjects=None):
        self.root = Path(root)
        self._subjects = subjects
        self.files = sorted(set(files if files is not None else self._list()))
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

    def subjects(self, since):
        """(commit, subject) of the commits after `since`; none where its commit is not in the
        history, as in a shallow clone."""
        if self._subjects is not None:
            return [("0000000", subject) for subject in self._subjects]
        git = ["git", "-c", "safe.directory=*"]
        known = subprocess.run([*git, "merge-base", "--is-ancestor", since, "HEAD"], cwd=self.root,
                               capture_output=True)
        if known.returncode != 0:
            return []
        log = subprocess.run([*git, "log", "--no-merges", "--format=%h%x09%s", f"{since}..HEAD"],
                             cwd=self.root, capture_output=True, text=True, check=True)
        return [tuple(line.split("\t", 1)) for line in log.stdout.splitlines()]

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
        if not is_allowed(line, name, found.name):
            yield found


def is_allowed(line, *names):
    allowed = re.search(r"// lint: allow (\S+): \S", line)
    return allowed and allowed.group(1) in names


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
          "CLI/CLI.hpp", "spdlog/spdlog.h", "sqlite3.h", "re2/re2.h")],
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
                           "sqlite3.h", "re2"):
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


@rule("ctest-kind",
      bad=[{"tests/x/CMakeLists.txt": "add_test(NAME x COMMAND x)\n"},
           {"cmake/FlyballFolder.cmake": "  gtest_discover_tests(x DISCOVERY_MODE PRE_TEST)\n"}],
      good={"cmake/FlyballTests.cmake": "add_test(NAME x COMMAND x)\ngtest_discover_tests(x)\n",
            "tests/x/CMakeLists.txt": "# add_test(NAME x)\nflyball_test(x KIND virtual)\n",
            "tests/install/consumer/CMakeLists.txt": "add_test(NAME x COMMAND x)\n"})
def check_ctest_kind(tree):
    """Whether a test may be run twice, or beside others, is known by its kind: each has one."""
    for path in tree.files:
        if not path.endswith(("CMakeLists.txt", ".cmake")) or path == "cmake/FlyballTests.cmake":
            continue
        if path.startswith("tests/install/consumer/"):
            continue  # somebody else's project
        for number, line in enumerate(tree.lines(path), 1):
            if match := re.match(r"\s*(add_test|gtest_discover_tests)\s*\(", line):
                yield Finding(path, number, match.group(1),
                              "flyball_test() and flyball_gtest() give a test its kind")


LOG_CALL = re.compile(r"(?:\.|->)(?:Info|Error)\(")
LOG_START = re.compile(r"(?:An?|The|Some|Nothing|Nobody|Somebody|What|Who)\b")
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
KEY_TEXT = re.compile(r'\{\s*"(\w+)",[^"{}]*?'
                      r"(?:\b\w*key_?(?:\(\))?|\bObjectKey::Of\([^()]*\)|\bObjectKey\{[^{}]*\})"
                      r"\.ToString\(\)\s*\}")


def arguments_at(code, text, at):
    """The arguments of the call whose parenthesis ends before `at`: pairs of code and text."""
    depth, start, arguments = 0, at, []
    for here in range(at, len(code)):
        char = code[here]
        if depth == 0 and char in ",)":
            arguments.append((code[start:here], text[start:here]))
            start = here + 1
            if char == ")":
                break
        depth += (char in "([{") - (char in ")]}")
    return arguments


def log_trouble(arguments):
    """What is wrong with a call's message, if anything is."""
    for code, text in arguments[:2]:  # an Error may come first
        if code.lstrip().startswith("{") or not LITERAL.search(text):
            continue
        if re.search(r"[+%]|\bstd::", code.split("?")[-1]):
            return "the message is put together: values go into fields"
        # Literals that stand side by side are one message; others are the branches of a `?:`.
        for run in re.findall(r'(?:"(?:\\.|[^"\\])*"\s*)+', text.split("?", 1)[-1]):
            message = "".join(LITERAL.findall(run))
            if match := LOG_START.match(message):
                return f"the message begins with {match.group()!r}: verb and object"
            if re.search(r"%|\w=|\{\}", message):
                return "the message has a value in it: values go into fields"
        return None
    return "the message is no literal"


@rule("log-message",
      bad=[{"flyball/runtime/x.cc": f"void f() {{ {call}; }}\n"} for call in (
          'log.Info("A node has got its ranges")', 'log.V(2).Info("Nothing is heard of a node")',
          'log.Error(error, "Some pods are lost", {{"pod", pod}})', 'log_.Info(message)',
          'log.Info("Bound " + name)', 'deps_->log.Info("Bound pod name=x")',
          'log.Info("%d pods", {{"n", 1}})', 'log.Error(error, text)',
          'log.Info(gone ? "Watch expired" : "The watch broke")',
          'log.Info("Bound pod", {{"pod", key.ToString()}})',
          'log.Info("Bound pod", {{"node", n}, {"pod", ObjectKey::Of(*pod).ToString()}})',
          'log.Info("Bound pod", {{"pod", api::ObjectKey{a, b}.ToString()}})')],
      good={"flyball/runtime/x.cc":
            'log.V(2).Info("Failed to bind pod", {{"pod", key}, {"plan", plan.ToString()}});\n'
            'log.Error(error, gone ? "Watch expired, relisting" : "Watch closed");\n'
            'log.Info("Job has been deleted", {{"key", key.ToString()}});  // upstream\'s is a text\n'
            'log.Error({ErrorCode::kMalformed, why + "x"}, "Unable to decode object");\n'
            "log.Info(text);  // lint: allow log-message: a reason\n"
            '// log.Info("A comment");\n',
            "flyball/runtime/x_test.cc": 'log.Info("A node");\n'})
def check_log_messages(tree):
    """Messages are what people search logs for, so they are constant, verb and object; what varies is
    in fields, and objects there are objects: {"name","namespace"} in JSON."""
    for path in tree.sources("flyball/"):
        if path.endswith(("_test.cc", "_bench.cc")) or path.startswith("flyball/base/logging."):
            continue
        code, text = "\n".join(tree.code(path)), "\n".join(tree.lines(path))
        for call in LOG_CALL.finditer(code):
            number = code.count("\n", 0, call.start()) + 1
            arguments = arguments_at(code, text, call.end())
            if trouble := log_trouble(arguments):
                yield Finding(path, number, "log-message", trouble)
            for _, argument in arguments:
                for match in KEY_TEXT.finditer(argument):
                    if not match.group(1).lower().endswith("key"):
                        yield Finding(path, number, match.group(1),
                                      f"{match.group(1)} is an object: log the key itself")


SHORT_SLEEP = re.compile(
    r"SleepFor\(\s*(?:(?:std::chrono::)?(?:micro|nano)seconds\(|"
    r"(?:\d{1,2}|100)ms\s*[,)]|(?:std::chrono::)?milliseconds\((?:\d{1,2}|100)\)\s*[,)])")
DURATION = re.compile(
    r"(?:EXPECT|ASSERT)_(?:LT|LE|GT|GE|NEAR)\(.*"
    r"(?:\b\d+(?:ns|us|ms|s|min|h)\b|seconds|\btook\b|\belapsed\b|SteadyNow)")


@rule("real-time",
      bad=[{"tests/cluster/x_test.cc": f"void f() {{ {line} }}\n"} for line in (
          "EXPECT_LT(took, limit);", "ASSERT_GE(waited, 3s);", "EXPECT_NEAR(a.seconds, b, 3);",
          "EXPECT_GT(clock().SteadyNow() - start, x);", "clock().SleepFor(2s);",
          "clock().SleepFor(500ms);", "clock().SleepFor(std::chrono::milliseconds(200));",
          "clock().SleepFor(Between(a, b));", "clock().SleepUntil(start + 5s);")]
          + [{"flyball/transport/x_test.cc": "RealClock clock_;\nvoid f() { clock_.SleepFor(1s); }\n"},
             {"tests/cluster/x_test.cc": "clock().SleepFor(2s);  // lint: allow sleep:\n"}],
      good={"tests/cluster/x_timed_test.cc": "EXPECT_LT(took, 3s);\nclock().SleepFor(2s);\n",
            "tests/cluster/x_test.cc": "while (!so()) clock().SleepFor(50ms);\n"
                                       "clock().SleepFor(std::chrono::milliseconds(100));\n"
                                       "EXPECT_LT(names.size(), 3U);\n"
                                       "EXPECT_TRUE(Eventually(so, 120s));\n"
                                       "clock().SleepFor(2s);  // lint: allow sleep: a reason\n"
                                       "EXPECT_GE(at, b + 2s);  // lint: allow duration: a reason\n",
            "flyball/runtime/x_test.cc": "RealClock real;\nexecutor_.clock().SleepFor(1h);\n",
            "flyball/runtime/y_test.cc": "EXPECT_LT(took, 3s);\nclock_.SleepFor(1h);\n"})
def check_real_time(tree):
    """On a busy machine everything takes longer: who asserts seconds is of the kind `timed`, which has
    the machine for itself, and a sleep before "nothing happens" shows nothing. Real time is in
    tests/cluster, and where somebody says RealClock; a sleep of up to 100 ms is polling."""
    for path in tree.sources(("tests/", "flyball/")):
        if path.endswith("_timed_test.cc") or path.startswith("flyball/base/"):
            continue
        if path.startswith("flyball/") and not path.endswith("_test.cc"):
            continue
        code = tree.code(path)
        if not path.startswith("tests/cluster/") and not any("RealClock" in line for line in code):
            continue
        for number, line in enumerate(code, 1):
            if DURATION.search(line):
                yield Finding(path, number, "duration", "asserts real time: tests/cluster/README.md")
            if (re.search(r"\bSleep(For|Until)\(", line) and not SHORT_SLEEP.search(line)
                    and not re.search(r"executor_?(\(\))?\.clock\(\)", line)):
                yield Finding(path, number, "sleep", "sleeps in real time: tests/cluster/README.md")


# Parts of names that are units, verbs or prefixes: a help needs a word that says more.
HOLLOW = {"after", "allow", "bytes", "controller", "controllers", "count", "disable", "duration",
          "enable", "file", "flyball", "from", "name", "period", "ratio", "seconds", "size",
          "total", "with"}
# Short forms in names, and what a help says for them.
WRITTEN_OUT = {"as": "impersonate", "authn": "authentication", "authz": "authorization",
               "ca": "certificate", "cidr": "cidr", "cpu": "cpu", "fds": "descriptor",
               "filename": "file", "gc": "garbage", "hpa": "autoscaler", "ipam": "cidr",
               "master": "api server", "pv": "persistentvolume", "pvc": "persistentvolumeclaim",
               "qps": "requests per second", "rc": "replicationcontroller", "tls": "tls",
               "ttl": "ttl", "v": "verbosity", "vmodule": "verbosity"}
FLAGS = "tests/contract/flags.tsv"
NO_BEGINNING = {"How", "It", "Nobody", "Nothing", "One", "Others", "Some", "Somebody", "Something",
                "Such", "That", "These", "They", "This", "Those", "What", "Which", "Who", "Whom",
                "Whose"}


def stem(word):
    short = re.sub(r"(ies|ations?|ions?|ings?|ers?|ed|es|s|e)$", "", word)
    return word if word.endswith("ss") or len(short) < 3 else short


def tells_of(name, text):
    """Whether the help contains a noun of the name, in any form."""
    parts = re.split("[-_]", name.lower())
    nouns = [stem(part) for part in parts if len(part) >= 4 and part not in HOLLOW]
    nouns += [WRITTEN_OUT[part] for part in parts if part in WRITTEN_OUT]
    squash = lambda words: re.sub("[^a-z0-9]", "", words.lower())
    return any(squash(noun) in squash(text) for noun in nouns or parts)


def faults_of_help(found):
    words = found.text.split()
    if len(words) < 4:
        yield "has fewer than four words"
    if not re.match("[A-Z]", found.text):
        yield "does not begin with a capital letter"
    if words and words[0] in NO_BEGINNING:
        yield f"begins with '{words[0]}', not with what it is about"
    if not found.text.rstrip().endswith((".", "...", ":")):
        yield "does not end with a full stop"
    if not tells_of(found.name, found.text):
        yield "contains no noun of the name"


def flag_with(text, name="concurrent-gc-syncs"):
    return {"flyball/manager/x.h": f'void F() {{ section.Add("{name}", member, "{text}"); }}\n'}


def gauge_with(text, name="pv_collector_bound_pv_count"):
    return {"flyball/queue/x.cc": f'auto g = r.Gauges({{.name = "{name}", .help = "{text}"}});\n'}


@rule("help",
      bad=[flag_with("How many objects the garbage collector syncs."),
           flag_with("Number of syncs."),
           flag_with("number of objects that the garbage collector syncs."),
           flag_with("Number of objects that the garbage collector syncs"),
           flag_with("Number of objects that are worked on."),
           gauge_with("[ALPHA] Number of volumes that have a claim."),
           gauge_with("[ALPHA] Those that are not bound PersistentVolumes."),
           gauge_with("[ALPHA] Bound PersistentVolumes."),
           {"flyball/queue/x.cc": 'auto c = r.Counters(Info("queue_adds_total", "Keys put."));\n'},
           {FLAGS: "section\tflag\tmisc\nmisc\tconcurrent-gc-syncs\tint32\n",
            "flyball/manager/x.cc": 'void F() { section.Add(gc + "-syncs", member, "Syncs."); }\n'},
           {"flyball/cli/x.cc": 'void F() { up->add_option("--port", port, "of the server"); }\n'},
           {"flyball/cli/x.cc": 'void F() { AddList(up, "-l,--labels", all, "That they have"); }\n'}],
      good={**flag_with("Number of objects that the garbage collector \"\n\"syncs at a time."),
            **gauge_with("[STABLE] Number of PersistentVolumes that are bound to a claim."),
            "flyball/queue/x_test.cc": 'auto g = r.Gauges({.name = "a_b", .help = "h"});\n',
            "flyball/cli/x.cc": '// up->add_option("--port", port, "of it");\n'
                                'void F() { up->add_flag("--now", now, "Delete the objects now."); }\n'
                                'void G() { config.Add("concurrent-gc-syncs", member); }\n'})
def check_help(tree):
    """A help is read alone, on a dashboard or behind a flag, without its neighbours: it has to be a
    sentence that names its object. CONTRIBUTING.md says what a good one is."""
    known = set()
    for found in help_texts.all_helps(tree):
        if found.owner == "manager":
            known.add(found.name)
        for fault in faults_of_help(found):
            yield Finding(found.path, found.line, found.name, f"the help of {found.name} {fault}")
    rows = tree.lines(FLAGS)[1:] if FLAGS in tree.files else []
    for number, row in enumerate(rows, 2):
        if row and row.split("\t")[1] not in known:
            yield Finding(FLAGS, number, "flag", "its help is not found: write its name in full")


# Not `How long` and `Whether`: these can stand where a duration and a truth value are meant.
DOC_START = re.compile(
    r"(?:What|Who|Whom|Whose|Whoever|Which|Those|These|It|They|Them|Of|That|Nobody|Somebody)\b"
    r"|How (?:many|much)\b|One (?:that|who|whose|which|is|was)\b|One\."
    r"|This (?:is|was|has|may|must|can|does|means)\b")
DOC_LINE = re.compile(r"\s*///(?!<)\s?(.*)")


def beyond_old_words(tree, listing, what, found):
    """The findings, by path, that are more than the list allows to a file; and where the list allows
    more than there are."""
    allowed, malformed = old_words.read(tree, listing)
    for number in malformed:
        yield Finding(listing, number, "format", "not PATH<tab>NUMBER, or a path that is there twice")
    for path, of_file in found.items():
        limit = allowed.get(path, (0, 0))[0]
        if not limit:
            yield from of_file
        elif len(of_file) > limit:
            lines = ", ".join(str(one.line) for one in of_file)
            yield Finding(path, 0, "old-words", f"{len(of_file)} {what}, {limit} are allowed by "
                          f"{listing}: lines {lines}")
    for path, (limit, number) in allowed.items():
        now = len(found.get(path, []))
        if now < limit:
            yield Finding(listing, number, "old-words", f"{path} has {now} {what}: lower the number "
                          f"to {now}; `tools/lint --renew-old-words` does it")


def pronoun_comments(tree):
    found = {}
    for path in tree.sources(suffixes=(".h",)):
        before = None
        for number, line in enumerate(tree.lines(path), 1):
            block = DOC_LINE.match(line)
            if block and not before and (start := DOC_START.match(block.group(1))):
                if not is_allowed(line, "doc-comment"):
                    found.setdefault(path, []).append(Finding(
                        path, number, "doc-comment",
                        f"a doc comment begins with {start.group()!r}: begin with a noun or a verb"))
            before = block
    return found


def doc_comment(text):
    return {"flyball/api/x.h": f"#pragma once\n\n/// {text}\nint F();\n"}


@rule("doc-comment",
      bad=[doc_comment(text) for text in (
          "What is kept for a member.", "Who looks after a slice.", "Which pods are removed.",
          "Those that are bound.", "One that is ready.", "One.", "Of a set that has another size.",
          "It has been told to end.", "They are never stored.", "This is secret.",
          "That of the first certificate.", "How many pods are in which state.",
          "Nobody is told of anything after this.")]
          + [{old_words.DOC_COMMENTS: "flyball/api/x.h\t1\n",
              "flyball/api/x.h": "/// Those.\nint F();\n/// It is.\nint G();\n"},
             {old_words.DOC_COMMENTS: "flyball/api/x.h\t2\n", **doc_comment("Those.")},
             {old_words.DOC_COMMENTS: "flyball/api/x.h\t1\n", **doc_comment("Pods.")},
             {old_words.DOC_COMMENTS: "flyball/api/gone.h\t1\n"},
             {old_words.DOC_COMMENTS: "flyball/api/x.h 1\n"},
             {old_words.DOC_COMMENTS: "flyball/api/x.h\t1\n" * 2, **doc_comment("Those.")}],
      good={"flyball/api/x.h": "/// Number of pods.\n/// It is never negative.\nint F();\n"
                               "/// Whether the pod is ready.\nbool G();\n"
                               "/// One of the conditions of an object.\nstruct C {};\n"
                               "/// One sync of a CronJob.\nstruct S {};\n"
                               "/// This machine's time zone.\nint Z();\n"
                               "/// Its limit is 3. Ofttimes less.\n/// How long a lease lasts.\n"
                               "int H();  ///< What H is.\n// What is no doc comment.\n"
                               "/// Of two matches, the first.  // lint: allow doc-comment: a reason\n"
                               "int I();\n",
            "flyball/api/y.h": "/// Those.\nint F();\n",
            old_words.DOC_COMMENTS: "flyball/api/y.h\t1\n",
            "flyball/api/x.cc": "/// What is in no header.\n"})
def check_doc_comments(tree):
    """A declaration's comment is read in a list of search results, without its neighbours: a pronoun
    in its beginning stands for a noun that is not there. Old ones may only become fewer."""
    yield from beyond_old_words(tree, old_words.DOC_COMMENTS, "doc comments that begin with a pronoun",
                                pronoun_comments(tree))


TEST_NAME = re.compile(r"^[ \t]*(?:TYPED_)?TEST(?:_F|_P)?\(\s*\w+\s*,\s*(\w+)\s*\)", re.M)
CAMEL_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# `It` and `Whose` inside of a name mostly have their noun there: PodIsDeletedWhenItIsEvicted.
NO_WORD_OF_TEST = {"What", "Who", "Whom", "Whoever", "Nobody", "Somebody", "Those", "Ones"}
NO_START_OF_TEST = {"Nothing", "It", "They", "Whose"}


def pronoun_of(name):
    words = CAMEL_WORD.findall(name)
    for word, following in zip(words, words[1:] + [""]):
        if word in NO_WORD_OF_TEST:
            return word
        if word == "One" and following in ("That", "Who", "Whose"):
            return word + following
    return words[0] if words and words[0] in NO_START_OF_TEST else None


def pronoun_tests(tree):
    found = {}
    for path in tree.sources(suffixes=(".cc",)):
        code = "\n".join(tree.code(path))
        for match in TEST_NAME.finditer(code):
            number = code.count("\n", 0, match.start()) + 1
            if not (word := pronoun_of(match.group(1))):
                continue
            if not is_allowed(tree.lines(path)[number - 1], "test-name"):
                found.setdefault(path, []).append(Finding(
                    path, number, "test-name",
                    f"the test {match.group(1)} has {word} in the place of a noun"))
    return found


@rule("test-name",
      bad=[{"flyball/api/x_test.cc": f"TEST(Plan, {name}) {{}}\n"} for name in (
          "WaitsForWhatIsNot", "NobodyWaits", "DeletesThoseThatFailed", "WhoAsksIsAnswered",
          "KeepsOneThatIsReady", "AnswersTheOnesBefore", "NothingIsLeft", "ItIsRetried",
          "AWhatIsIt", "WhoseClaimIsGoneGoes", "ForWhomItIs")]
          + [{"tests/x_test.cc": "TEST_F(Plan,\n       WaitsForWhatIsNot) {}\n"},
             {"tests/x_test.cc": "TEST_P(Plan, WhatItDoes) {}\n"},
             {old_words.TEST_NAMES: "tests/x_test.cc\t1\n",
              "tests/x_test.cc": "TEST(Plan, What) {}\nTEST(Plan, Who) {}\n"},
             {old_words.TEST_NAMES: "tests/x_test.cc\t1\n", "tests/x_test.cc": "TEST(P, Pod) {}\n"}],
      good={"flyball/api/x_test.cc": "TEST(Plan, WaitsForVolumeThatDoesNotExist) {}\n"
                                     "TEST(Plan, APodWhoseNodeIsGoneIsDeletedWhenItIsEvicted) {}\n"
                                     "TEST(Plan, WritesNothing) {}\nTEST(Whatever, OneReplica) {}\n"
                                     "// TEST(Plan, What) {}\n"
                                     "TEST(Plan, What) {}  // lint: allow test-name: a reason\n",
            "tests/x_test.cc": "TEST(Plan, What) {}\nTEST(Plan, Who) {}\n",
            old_words.TEST_NAMES: "tests/x_test.cc\t2\n"})
def check_test_names(tree):
    """The name of a test that failed is the first that is read of a diagnosis: it says which object
    did what. Old ones may only become fewer."""
    yield from beyond_old_words(tree, old_words.TEST_NAMES, "test names with a pronoun",
                                pronoun_tests(tree))


def renew_old_words(tree):
    for listing, found in ((old_words.DOC_COMMENTS, pronoun_comments(tree)),
                           (old_words.TEST_NAMES, pronoun_tests(tree))):
        old_words.renew(tree, listing, {path: len(of_file) for path, of_file in found.items()})


def count_old_words(tree):
    """A note: how much is left to be mended."""
    return (f"old words: {old_words.total(tree, old_words.DOC_COMMENTS)} doc comments, "
            f"{old_words.total(tree, old_words.TEST_NAMES)} test names")


# The newest commit whose subject is as it is. When a bad subject was pushed: that commit.
SUBJECTS_SINCE = "92d9bcc249c526a8bd3903eaf457dc9703bf9071"
SUBJECT_LENGTH = 72
NO_VERB = {"a", "an", "the", "what", "who", "nobody", "that"}


@rule("commit-subject",
      bad=[["Manager: requeue a key after a conflict, and do that for as long as it takes to do it"],
           ["Requeue a key after a conflict."], ["The key is requeued after a conflict"],
           ["Queue: a key is requeued"], ["Queue: what fails is requeued"], ["Nobody waits for it"]],
      good=["Queue: requeue a key after a conflict", "Requeue a key: its cache was stale",
            "fixup! The key is requeued", 'Revert "The key is requeued after a conflict, as ever, '
            'and then again"', "x" * SUBJECT_LENGTH])
def check_commit_subjects(tree):
    """`git log --oneline` is an index of verbs and objects, which pages cut at 72 characters. That the
    first word is an imperative is not checked: that would take a dictionary of verbs."""
    for commit, subject in tree.subjects(SUBJECTS_SINCE):
        if re.match(r'(?:fixup|squash|amend)! |Revert "', subject):
            continue
        place = f"commit {commit}"
        if len(subject) > SUBJECT_LENGTH:
            yield Finding(place, 0, "length",
                          f"the subject has {len(subject)} characters, more than {SUBJECT_LENGTH}")
        if subject.endswith("."):
            yield Finding(place, 0, "stop", "the subject ends with a full stop")
        words = re.sub(r"^[^:]{1,40}: ", "", subject).split()
        if words and words[0].lower() in NO_VERB:
            yield Finding(place, 0, "verb",
                          f"the subject begins with {words[0]!r}: an imperative and its object")


UNSTEADY = "tests/unsteady.txt"
UNSTEADY_DAYS = 14


def unsteady(*rows):
    return {UNSTEADY: "# comment\n" + "".join(f"{row}\n" for row in rows)}


def days_ago(days):
    return (datetime.date.today() - datetime.timedelta(days=days)).isoformat()


@rule("unsteady",
      bad=[unsteady(f"cluster.x\t{days_ago(UNSTEADY_DAYS + 1)}\ttoo old"),
           unsteady(f"cluster.x\t{days_ago(-2)}\tnot yet"),
           unsteady(*(f"cluster.{i}\t{days_ago(1)}\tof six" for i in range(6))),
           unsteady(f"cluster.x\t{days_ago(1)}"), unsteady(f"cluster.x\t{days_ago(1)}\t "),
           unsteady("cluster.x\tyesterday\twhy"), unsteady("cluster.x why"),
           unsteady(f"cluster.x\t{days_ago(1)}\twhy", f"cluster.x\t{days_ago(1)}\ttwice")],
      good=unsteady(f"cluster.x\t{days_ago(UNSTEADY_DAYS)}\tit waits for a port",
                    *(f"cluster.{i}\t{days_ago(0)}\tof five" for i in range(4))))
def check_unsteady(tree):
    """A test that is excused for ever tests nothing."""
    if UNSTEADY not in tree.files:
        return
    names = set()
    for number, line in enumerate(tree.lines(UNSTEADY), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+)\t(\d{4}-\d\d-\d\d)\t(.*\S.*)", line)
        if not match:
            yield Finding(UNSTEADY, number, "format", "not NAME<tab>DATE<tab>WHY")
            continue
        name, since, _ = match.groups()
        age = (datetime.date.today() - datetime.date.fromisoformat(since)).days
        if name in names:
            yield Finding(UNSTEADY, number, name, f"{name} is there twice")
        names.add(name)
        if age > UNSTEADY_DAYS:
            yield Finding(UNSTEADY, number, name, f"{name} is to be mended: {age} days")
        if age < -1:  # west of whoever wrote it
            yield Finding(UNSTEADY, number, name, f"{since} is yet to come")
        if len(names) == 6:
            yield Finding(UNSTEADY, number, name, "more than five")


def long_files(tree):
    """Notes, not findings: a long file is a question to its author, not an error."""
    for path in tree.sources():
        length = len(tree.lines(path)) - 1
        if length > LONG_FILE:
            yield f"{path}: {length} lines; would a reader know which topic it holds?"
