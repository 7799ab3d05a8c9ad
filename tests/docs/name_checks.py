"""Checks of names that any document may have: links, files, commands, flags, programs."""

import fnmatch
import posixpath
import re

from document import anchors_of, check, code_in, documents, lines_of, spans_of, tables_of

# --- Links and files


@check(bad=[{"a.md": "[x](b.md)\n"}, {"a.md": "![x](docs/b.svg)\n"},
            {"a.md": "[x](b.md#two)\n", "b.md": "# One\n"}, {"a.md": "# One\n[x](#two)\n"}],
       good={"a.md": "[x](d/b.md#one-thing) [y](d/) `[z](none.md)` [w](https://example.com/x)\n"
                     "\n    [code](none.md)\n",
             "d/b.md": "## One thing!\n[up](../a.md)\n"})
def check_links(tree):
    """A link leads to a file of the tree, and to a heading of it."""
    for path in tree.documents():
        for number, line, code in lines_of(tree, path):
            if code:
                continue
            for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "``", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                file, _, anchor = target.partition("#")
                goal = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
                if goal not in tree.files and goal not in tree.folders:
                    yield path, number, f"{target} is not there"
                elif anchor and anchor not in anchors_of(tree, goal):
                    yield path, number, f"{file or path} has no heading #{anchor}"


FILE_NAME = re.compile(r"[\w.*<>-]+\.(?:h|cc|md|tsv|yaml|txt|py|toml|cmake|go|svg)")


def projects_files(tree):
    """What `flyball new` writes, which is in no tree."""
    return set(re.findall(r'Template\{\s*"([^"]+)"', tree.text("flyball/cli/project_templates.cc")))


@check(bad=[{"a.md": "`flyball/x/y.cc`\n", "flyball/x/z.cc": ""}, {"a.md": "`plan.h`\n"},
            {"a.md": "`flyball/x/y/`\n", "flyball/x/z.cc": ""}, {"a.md": "`attic/`\n"},
            {"a.md": "`x/y.h`\n", "flyball/x/z.h": ""}, {"t/a.md": "`parts/b.yaml`\n", "t/parts/c": ""},
            {"a.md": "`y_*.cc`\n", "flyball/x/z.cc": ""}],
       good={"a.md": "`flyball/x/y.cc` `x/y.cc` `y.cc` `x/` `x_test.cc` `*_test.cc` `x/<name>.cc`\n"
                     "`pods/status` `crd.yaml` `build/x/y.cc` `apps/v1` `a/b.h` `/x.cc` `_test.cc` `a.dev/`\n",
             "flyball/x/y.cc": "", "flyball/x/y_test.cc": "",
             "flyball/cli/project_templates.cc": 'Template{"crd.yaml", R"~("}\n'})
def check_files(tree):
    """A file or folder that a document names is there."""
    top = {path.split("/")[0] for path in tree.files if "/" in path}
    ours = {path.split("/")[1] for path in tree.files if path.startswith("flyball/")}
    new = projects_files(tree)

    def is_there(pattern):
        pattern = posixpath.normpath(re.sub(r"(?<![\w])x(?=[_.])|<\w+>", "*", pattern))
        if "*" not in pattern:
            return pattern in tree.files or pattern in tree.folders
        return any(fnmatch.fnmatch(file, pattern) for file in tree.files)

    for path in documents(tree):
        here = posixpath.dirname(path)
        beside = {name[len(here) + 1:].split("/")[0] for name in tree.files | tree.folders
                  if here and name.startswith(here + "/")}
        for number, span in spans_of(tree, path):
            if not re.fullmatch(r"[\w.*<>/-]+", span) or span.startswith(("/", "-", "build/")):
                continue
            first = span.split("/")[0]
            if "/" not in span:
                if FILE_NAME.fullmatch(span) and span not in new:
                    pattern = re.sub(r"^x(?=[_.])|^(?=_)|<\w+>", "*", span)
                    if not any(fnmatch.fnmatch(name, pattern) for name in tree.names):
                        yield path, number, f"no file is called {span}"
            elif re.fullmatch(r"[\w-]+/", span):
                if not any(posixpath.basename(folder) == first for folder in tree.folders):
                    yield path, number, f"no folder is called {span}"
            elif first in top | ours | beside | {".."} and not FILE_NAME.fullmatch(first):
                if not any(is_there(posixpath.join(base, span)) for base in ("", "flyball", here)):
                    yield path, number, f"{span} is not there"


@check(bad=[{"flyball/x/README.md": "| file | what |\n|---|---|\n| `a`, `b` | text |\n",
             "flyball/x/a.h": ""}],
       good={"flyball/x/README.md": "| file | what |\n|---|---|\n| `a`, `c`, `d/` | `text` |\n",
             "flyball/x/a.h": "", "flyball/x/c/e.cc": "", "flyball/x/d/e.cc": ""})
def check_modules(tree):
    """The table of files in a folder's README names files of the folder, without their endings."""
    for path in documents(tree):
        folder = posixpath.dirname(path)
        if not path.startswith("flyball/"):
            continue
        stems = {name[len(folder) + 1:].split(".")[0].split("/")[0] for name in tree.files
                 if name.startswith(folder + "/")}
        for number, head, cells in tables_of(tree, path):
            if head[0] != "file":
                continue
            for name in code_in(cells[0]):
                if name.rstrip("/") not in stems:
                    yield path, number, f"{folder} has no {name}"


# --- Commands


def makefile(tree):
    text = tree.text("Makefile")
    return (set(re.findall(r"^([a-z][a-z-]*):", text, re.M)),
            set(re.findall(r"^([A-Z]+)\s*\?=", text, re.M)))


def commands_in(span):
    """Without the comment behind them."""
    return re.split(r"&&|\|(?=\s)", re.split(r"\s#\s", span)[0])


@check(bad=[{"a.md": "`make nothing`\n", "Makefile": "test: x\n"},
            {"a.md": "    make test  SIZES=1\n", "Makefile": "test: x\n"},
            {"a.md": "\n    make test  # or make test-all\n", "Makefile": "test: x\n"}],
       good={"a.md": "`make test LABEL=unit` `make sure` make haste\n\n"
                     "    FLYBALL_X=1 make test # to make tea, or make test-all\n",
             "Makefile": "LABEL ?=\ntest: x\nsure:\ntest-all:\n"})
def check_make(tree):
    """A target of make, and a variable that it takes, are in the Makefile."""
    targets, variables = makefile(tree)
    for path in documents(tree):
        for number, span in spans_of(tree, path):
            for command in commands_in(span):
                match = re.match(r"(?:\S+=\S* )*make ([a-z][a-z-]*)(.*)", command.strip())
                if not match:
                    continue
                if match.group(1) not in targets:
                    yield path, number, f"make has no target {match.group(1)}"
                for name in re.findall(r"\b([A-Z]+)=", match.group(2)):
                    if name not in variables:
                        yield path, number, f"make takes no {name}="
        for number, line, _ in lines_of(tree, path):  # in comments too
            for target in re.findall(r"\bmake ([a-z]+-[a-z-]+)", line):
                if target not in targets:
                    yield path, number, f"make has no target {target}"


OTHERS = {"kubectl", "cmake", "ctest", "apt", "g++", "pkg-config", "git", "systemctl", "lintian"}
PROGRAMS = ("flyball/cli/", "flyball/up/", "flyball/operator/", "tests/", "tools/", "benchmarks/",
            "examples/", "packaging/", "Makefile")


def known_flags(tree):
    known = {row.split("\t")[1] for row in tree.text("tests/contract/flags.tsv").splitlines()[1:]}
    for path in tree.sources(*PROGRAMS):
        text = tree.text(path)
        quoted = r'"(?:-\w,)?--([a-z][\w-]*)' if path.endswith((".cc", ".h")) else r"--([a-z][\w-]*)"
        known.update(re.findall(quoted, text))
    return known


FLAGS = "section\tflag\ttype\ngeneric\tleader-elect\tbool\n"


@check(bad=[{"a.md": "`--leader-elects`\n", "tests/contract/flags.tsv": FLAGS},
            {"a.md": "    flyball up --node 3\n", "tests/contract/flags.tsv": FLAGS,
             "flyball/cli/main.cc": '"--nodes"'}],
       good={"a.md": "`--leader-elect=true` `-v` `kubectl get --show-labels` `up --nodes 3`\n"
                     "`ctest --test-dir x` text--like-this\n", "tests/contract/flags.tsv": FLAGS,
             "flyball/cli/main.cc": '"--nodes"'})
def check_flags(tree):
    """A flag that a document names is the manager's (tests/contract/flags.tsv), or one of our tools'."""
    known = known_flags(tree)
    for path in documents(tree):
        for number, span in spans_of(tree, path):
            for command in commands_in(span):
                words = [word for word in command.strip().removeprefix("$ ").split()
                         if not re.match(r"\w+=", word)]
                if not words or words[0] in OTHERS or posixpath.basename(words[0]) in OTHERS:
                    continue
                for flag in re.findall(r"(?<![\w-])--([a-z][\w-]*)", command):
                    if flag not in known and not flag.startswith("gtest_"):
                        yield path, number, f"no program of ours takes --{flag}"


@check(bad=[{"a.md": "`FLYBALL_NOTHING=1 make test`\n", "Makefile": "test:\n"}],
       good={"a.md": "`FLYBALL_X=1 make test` FLYBALL_Y\n", "tests/x.cc": "FLYBALL_X",
             "flyball/base/x.h": "FLYBALL_Y"})
def check_environment(tree):
    """An environment variable, or a macro, of ours is in a source."""
    known = set()
    for path in tree.sources(""):
        known.update(re.findall(r"FLYBALL_[A-Z_]+", tree.text(path)))
    for path in documents(tree):
        for number, line, _ in lines_of(tree, path):
            for name in re.findall(r"FLYBALL_[A-Z_]+", line):
                if name not in known:
                    yield path, number, f"{name} is in no source"


VERBS = 'app.add_subcommand("up", "x"); add(app, "get", "x");'


@check(bad=[{"a.md": "`flyball fly`\n", "flyball/cli/main.cc": VERBS},
            {"a.md": "    KUBECONFIG=x flyball downs y\n", "flyball/cli/main.cc": VERBS}],
       good={"a.md": "`flyball up` `flyball get pods` `flyball VERB` `flyball --namespace x get y`\n"
                     "flyball flies\n", "flyball/cli/main.cc": VERBS})
def check_verbs(tree):
    """`flyball VERB` is a verb of the command."""
    text = "".join(tree.text(path) for path in tree.sources("flyball/cli/"))
    for path in documents(tree):
        for number, span in spans_of(tree, path):
            for command in commands_in(span):
                match = re.match(r"(?:\$ )?(?:\w+=\S* )*flyball(?: --\w+ \S+)* ([a-z]+)\b", command.strip())
                if match and f'"{match.group(1)}"' not in text:
                    yield path, number, f"flyball has no verb {match.group(1)}"


PEER = ".name = \"jobs\","


@check(bad=[{"a.md": "`build/release/tests/cluster/cluster_y_test`\n",
             "tests/cluster/CMakeLists.txt": "flyball_cluster_test(x)"},
            {"a.md": "`build/release/tests/x/y`\n", "tests/x/CMakeLists.txt": "add_executable(x"},
            {"a.md": "`make bench-peer PHASES=job`\n", "benchmarks/managers/loads.cc": PEER},
            {"a.md": "`cluster.y`\n", "tests/cluster/CMakeLists.txt": "flyball_cluster_test(x)"}],
       good={"a.md": "`build/release/tests/cluster/cluster_x_test --y` `build/release/flyball/cli/flyball`\n"
                     "`make bench-peer PHASES=jobs:2x3` `cluster.x` `cluster.Eventually()`\n"
                     "`PHASES=\"jobs jobs:1x1\"` `build/release/packages/x.deb` `sandbox.md` `sandbox.x`\n",
             "sandbox.md": "", "benchmarks/managers/loads.cc": PEER,
             "tests/cluster/CMakeLists.txt": "flyball_cluster_test(x EMBEDDED)",
             "flyball/cli/CMakeLists.txt": "PROGRAM flyball"})
def check_programs(tree):
    """Programs in the build folder, tests by name, and phases of bench-peer are in their lists."""
    phases = set(re.findall(r'\.name = "(\w+)"', tree.text("benchmarks/managers/loads.cc")))
    tests = set()
    for path in tree.files:
        if posixpath.basename(path) == "CMakeLists.txt" and path.startswith("tests/"):
            text = tree.text(path)
            for name in re.findall(r"flyball_(?:cluster|binary)_test\((\w+)", text):
                tests |= {f"cluster.{name}", f"sandbox.{name}"}
            tests.update(re.findall(r"\b(?:cluster|sandbox)\.\w+", text))
    for path in documents(tree):
        for number, span in spans_of(tree, path):
            for folder, program in re.findall(r"build/release/((?:flyball|tests)/[\w/]*?)/?(\w+)(?![\w/])", span):
                name = re.sub(r"^cluster_(\w+)_test$", r"\1", program)
                if folder + "/" + program in tree.folders or program == "logs":
                    continue
                if not re.search(rf"\b{name}\b", tree.text(f"{folder}/CMakeLists.txt")):
                    yield path, number, f"{folder}/CMakeLists.txt makes no {program}"
            if match := re.search(r'PHASES=(?:"([^"]*)"|(\S+))', span):
                for phase in (match.group(1) or match.group(2)).split():
                    if phase.split(":")[0] not in phases:
                        yield path, number, f"bench-peer has no phase {phase}"
            for test in re.findall(r"(?<![\w/.])((?:cluster|sandbox)\.[a-z]\w*)(?![\w(.])", span):
                if test not in tests and test not in tree.names and test.split(".")[1] not in ("x", "h", "cc"):
                    yield path, number, f"no test is called {test}"
