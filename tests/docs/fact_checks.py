"""Checks of facts that have one source: controllers, metrics, components, names of our own."""

import posixpath
import re

from document import check, code_in, documents, spans_of, tables_of

# --- Controllers


REGISTRY = "flyball/controllers/registry.cc"
KNOWN = "flyball/manager/known_controllers.cc"
GATES = "tests/contract/feature_gates.tsv"


def controllers_of(tree):
    """Names of ours; and of upstream's, with when upstream runs each."""
    ours = re.findall(r'^\s*\{"([\w-]+)", "', tree.text(REGISTRY), re.M)
    gates = {row.split("\t")[0]: row.split("\t")[2]
             for row in tree.text(GATES).splitlines()[1:] if row.count("\t") > 1}
    text = tree.text(KNOWN)
    token = re.search(r'kTokenController = "([\w-]+)"', tree.text(KNOWN.replace(".cc", ".h")))
    known = {}
    for name, on, first, second in re.findall(
            r'\{(kTokenController|"[\w-]+"),\s*"[\w-]*"(?:,\s*(kOn|kOff))?(?:,\s*"(\w+)")?(?:,\s*"(\w+)")?\}',
            text):
        off = [gate for gate in (first, second) if gate and gates.get(gate) != "on"]
        when = ("if `--controllers` names it" if on == "kOff" else
                f"with the feature gate `{off[0]}` (off)" if off else "by default")
        known[token.group(1) if name == "kTokenController" else name.strip('"')] = when
    return ours, known


WORLD = {REGISTRY: '    {"a-controller", "a", "",\n', GATES: "gate\tstage\tdefault\nG\tBETA\toff\n",
         KNOWN: '{"a-controller", "a"},\n{"b-controller", "", kOn, "G"},\n{"c-controller", "", kOff},\n'}
LISTS = ("## Controllers that are implemented\n\n| controller |\n|---|\n| `a-controller` |\n\n"
         "## Controllers that are missing\n\n| controller | upstream runs it |\n|---|---|\n"
         "| `b-controller` | with the feature gate `G` (off) |\n"
         "| `c-controller` | if `--controllers` names it, as kubeadm does |\n")


@check(bad=[{**WORLD, "docs/controllers.md": LISTS, "README.md": text} for text in (
           "2 of 3 controllers\n", "1 of the 4 controllers\n", "the same 5 controllers\n",
           "[The other 1](x) are missing\n", "the missing 3\n")] +
           [{**WORLD, "docs/controllers.md": text} for text in (
               LISTS.replace("b-", "d-"), LISTS.replace("(off)", "(on)"),
               LISTS.replace("if `--controllers` names it", "by default"), LISTS.replace("`a-", "`b-"))],
       good={**WORLD, "docs/controllers.md": LISTS,
             "README.md": "1 of 3 controllers; the other 2 are missing; the missing 2; 3 controllers\n"})
def check_controllers(tree):
    """Which controllers there are, and how many, is what the registry says."""
    ours, known = controllers_of(tree)
    missing = [name for name in known if name not in ours]
    numbers = {len(ours), len(known), len(missing)}
    for path in documents(tree):
        text = tree.text(path)
        for match in re.finditer(r"(\d+) of (?:the )?(\d+) controllers", text):
            if (int(match[1]), int(match[2])) != (len(ours), len(known)):
                yield path, 0, f"{match[0]}: it is {len(ours)} of {len(known)}"
        for match in re.finditer(r"(?<!\d of )(?<!of the )\b(\d+)\s+controllers\b", text):
            if int(match[1]) not in numbers:
                yield path, 0, f"{match[0]}: there are {sorted(numbers)}"
        for match in re.finditer(r"\b(?:other|missing)\s+(\d+)\b", text):
            if int(match[1]) != len(missing):
                yield path, 0, f"{match[0]}: {len(missing)} are missing"
    path = "docs/controllers.md"
    listed = {"upstream runs it": [], "": []}
    for number, head, cells in tables_of(tree, path):
        if head[0] != "controller":
            continue
        name = cells[0].strip("`")
        is_missing = len(head) > 1 and head[1] == "upstream runs it"
        listed["upstream runs it" if is_missing else ""].append(name)
        if is_missing and name in known and not cells[1].startswith(known[name]):
            yield path, number, f"{name}: upstream runs it {known[name]}"
    for head, expected in (("", ours), ("upstream runs it", missing)):
        if listed[head] != expected and path in tree.files:
            wrong = sorted(set(listed[head]) ^ set(expected)) or "other order"
            yield path, 0, f"not the controllers of the registry: {wrong}"


# --- Metrics


def metrics_of(tree):
    """Upstream's, and ours, each with its labels, None if they are not beside it; ours alone."""
    known = {}
    for row in tree.text("tests/contract/metrics.tsv").splitlines()[1:]:
        name, _, labels = row.split("\t")[:3]
        known[name] = set() if labels == "-" else set(labels.split(","))
    own = {}
    for path in tree.sources("flyball/"):
        if path.endswith("_test.cc") or not path.endswith(".cc"):
            continue
        text = tree.text(path)
        for match in re.finditer(r'"((?:flyball|events_dropped)_[a-z_]*)"', text):
            labels = re.search(r'\{((?:"\w+"(?:,\s*)?)+)\}', text[match.end():])
            labels = set(re.findall(r"\w+", labels.group(1))) if labels else None
            if match.group(1).endswith("_"):  # followed by the rest of several names
                for rest in re.findall(r'\bInfo\(\s*"([a-z_]+)"', text):
                    own[match.group(1) + rest] = labels
            else:
                own[match.group(1)] = labels
    return {**known, **own}, own


PROMQL = {"histogram_quantile", "min_over_time", "max_over_time"}
EVERYWHERE = {"le", "instance", "job"}


def metrics_in(query):
    """(name, labels) of what a query asks for."""
    query = re.sub(r'"[^"]*"', '""', query)
    query = re.sub(r"\b(?:by|without|on) \([^)]*\)", "", query)
    for name, labels in re.findall(r"\b([a-z]+(?:_[a-z0-9]+)+)(?:\{([^}]*)\})?", query):
        if name not in PROMQL:
            yield name, set(re.findall(r"\w+(?=\s*(?:[=!]|,|$))", labels))


METRICS = {"tests/contract/metrics.tsv": "metric\ttype\tlabels\nleader_status\tgauge\tname\n",
           "flyball/x.cc": 'Info(...) { "flyball_" + x, .labels = {"name"} }; Info("runs_total", "x");'}


@check(bad=[{**METRICS, "docs/metrics.md": "| `flyball_runs_total{name}` |\n" + text} for text in (
           "`sum(leader_state)`\n", "`leader_status{lease=\"x\"} > 0`\n", "`flyball_nothing_total`\n")] +
           [{**METRICS, "docs/metrics.md": "none\n"},
            {**METRICS, "docs/metrics.md": "| `flyball_runs_total{names}` |\n"}],
       good={**METRICS, "docs/metrics.md":
             "| `flyball_runs_total{name}` |\n`sum by (le, name) (rate(flyball_runs_total_bucket[5m])) > 1`\n"
             "`leader_status{name=~\"a_b\"}` `leader_*` `flyball_` `given_up`\n"})
def check_metrics(tree):
    """Metrics and labels in documents exist, and each of our own is in docs/metrics.md."""
    known, own = metrics_of(tree)
    prefixes = {name.split("_")[0] for name in known}
    for path in documents(tree):
        if path not in ("docs/metrics.md", "docs/manager.md"):
            continue
        for number, span in spans_of(tree, path):
            if re.fullmatch(r"[a-z_]+[_*]", span):
                continue
            for name, labels in metrics_in(span):
                if name.split("_")[0] not in prefixes:
                    continue  # a value of a label, a test
                base = re.sub(r"_(?:bucket|sum|count)$", "", name)
                found = name if name in known else base
                if found not in known:
                    yield path, number, f"there is no metric {name}"
                elif known[found] is not None and not labels <= known[found] | EVERYWHERE:
                    yield path, number, f"{name} has labels {sorted(known[found])}"
    text = tree.text("docs/metrics.md")
    for name in sorted(own):
        if not re.search(rf"`{name}\b", text):
            yield "docs/metrics.md", 0, f"says nothing of {name}"


# --- Single documents


@check(bad=[{"README.md": "| work | CPU | command |\n|---|---|---|\n| x | 0.5 | |\n"},
            {"README.md": "| work | CPU | command |\n|---|---|---|\n| x | 0.5 | `x` |\n"},
            {"README.md": "x\n", "CMakeLists.txt": "project(Flyball VERSION 0.2.0"},
            {"README.md": "version 0.1 x_0.2.0_amd64.deb\n", "CMakeLists.txt": "project(Flyball VERSION 0.1.0"}],
       good={"README.md": "version 0.1 x_0.1.0_amd64.deb\n\n| work | CPU | command |\n|---|---|---|\n"
                          "| x | 0.5 | `make bench` |\n| y | 0.5 | `FLYBALL_X=1 build/release/x/y` |\n\n"
                          "| part |\n|---|\n| 0.5 |\n", "CMakeLists.txt": "project(Flyball VERSION 0.1.0"})
def check_readme(tree):
    """A measured figure has the command beside it that measures it; the version is the project's."""
    path = "README.md"
    for number, head, cells in tables_of(tree, path):
        figures = [cell for cell in cells[1:] if re.search(r"\d\.\d", re.sub(r"`[^`]*`", "", cell))]
        commands = code_in(cells[head.index("command")]) if "command" in head else []
        if figures and "command" in head and not any(
                re.search(r"\bmake [a-z]|build/release/", command) for command in commands):
            yield path, number, "figures without the command that measures them"
    version = re.search(r"project\(Flyball VERSION ((\d+\.\d+)\.\d+)", tree.text("CMakeLists.txt"))
    if not version:
        return
    if f"version {version[2]}" not in tree.text(path).lower():
        yield path, 0, f"does not say version {version[2]}"
    for document in documents(tree):
        for found in re.findall(r"_(\d+\.\d+\.\d+)_amd64", tree.text(document)):
            if found != version[1]:
                yield document, 0, f"packages have version {version[1]}, not {found}"


PARTS = ("flyball_component(api FOLDERS base api NEEDS x)\n"
         "flyball_component(client FOLDERS client USES api NEEDS y)\n")
COMPONENTS = "cmake/FlyballComponents.cmake"


@check(bad=[{COMPONENTS: PARTS, "docs/library.md": "| component | uses |\n|---|---|\n" + rows} for rows in (
           "| `api` | |\n", "| `api` | |\n| `client` | |\n", "| `api` | |\n| `x` | `api` |\n")],
       good={COMPONENTS: PARTS,
             "docs/library.md": "| component | uses |\n|---|---|\n| `api` | |\n| `client` | `api` |\n"})
def check_components(tree):
    """The components of the library, and what each uses, are those of cmake/FlyballComponents.cmake."""
    expected = {}
    for name, rest in re.findall(r"^flyball_component\((\w+) ([^)]*)\)", tree.text(COMPONENTS), re.M):
        uses = re.search(r"USES ((?:[a-z]+\s*)+)", rest)
        expected[name] = uses.group(1).split() if uses else []
    path = "docs/library.md"
    said = {cells[0].strip("`"): code_in(cells[1]) for _, head, cells in tables_of(tree, path)
            if head[0] == "component"}
    if path in tree.files and said != expected:
        yield path, 0, f"components are {expected}"


@check(bad=[{"ARCHITECTURE.md": "| hop | file | function |\n|---|---|---|\n| 1 | `x/a.cc` | `G`, `F` |\n",
             "flyball/x/a.cc": "void F();"}],
       good={"ARCHITECTURE.md": "| hop | file | function |\n|---|---|---|\n"
                                "| 1 | `x/a.cc`, `x/b.cc` | `F`, `operator()` |\n",
             "flyball/x/a.cc": "void F();", "flyball/x/b.cc": "int operator()(int);"})
def check_hops(tree):
    """The functions that an event passes are in the files beside them."""
    path = "ARCHITECTURE.md"
    for number, head, cells in tables_of(tree, path):
        if head[0] != "hop":
            continue
        text = "".join(tree.text(f"flyball/{file}") for file in code_in(cells[1]))
        for name in code_in(cells[2]):
            if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                yield path, number, f"{cells[1]} has no {name}"


GLOSSARY = "| word here | word there | where |\n|---|---|---|\n"


@check(bad=[{"docs/glossary.md": GLOSSARY + row, "flyball/x/a.h": "class Word;"} for row in (
           "| `Term` | x | `x/a.h` |\n", "| `Word` | x | `x/b.h` |\n", "| folder `y/` | x | `x/a.h` |\n",
           "| `Word` | x | |\n")],
       good={"docs/glossary.md": GLOSSARY + "| `Word`, `a` | x | `x/a.h` |\n| *word* | x | `x/a.h` |\n"
                                 "| folder `x/` | x | `x/a.h` |\n| `Word::Of()` | x | `x/a.h` |\n",
             "flyball/x/a.h": "class Word; Of();"})
def check_glossary(tree):
    """The names of the glossary are in the files beside them."""
    path = "docs/glossary.md"
    for number, head, cells in tables_of(tree, path):
        files = [posixpath.normpath(posixpath.join("flyball", file)) for file in code_in(cells[2])]
        if not files:
            yield path, number, "does not say where"
        for file in files:
            if file not in tree.files:
                yield path, number, f"{file} is not there"
        text = "".join(tree.text(file) for file in files)
        stems = {posixpath.basename(file).split(".")[0] for file in files}
        for name in code_in(cells[0]):
            if name.endswith("/"):
                if not any(f"/{name}" in f"/{file}" for file in files):
                    yield path, number, f"{name} is not the folder of {files}"
                continue
            last = name.rstrip("()").split("::")[-1]
            if last not in stems and not re.search(rf"\b{re.escape(last)}\b", text):
                yield path, number, f"{cells[2]} has no {name}"


@check(bad=[{"docs/manager.md": "| path | x |\n|---|---|\n| `/healthz`, `/nothing` | x |\n",
             "flyball/endpoints/x.cc": '"/healthz"'}],
       good={"docs/manager.md": "| path | x |\n|---|---|\n| `/healthz`, `/healthz/<check>` | `/x` |\n",
             "flyball/endpoints/x.cc": '"/healthz"'})
def check_endpoints(tree):
    """The paths that the manager serves are routes of a source."""
    text = "".join(tree.text(path) for path in tree.sources("flyball/endpoints/", "flyball/manager/"))
    path = "docs/manager.md"
    for number, head, cells in tables_of(tree, path):
        if head[0] != "path":
            continue
        for route in code_in(cells[0]):
            if f'"{re.sub("/<.*", "", route)}"' not in text:
                yield path, number, f"{route} is not served"


@check(bad=[{"docs/sandbox.md": "| `On(requests)` | x |\n|---|---|\n| `.Refuse(503)`, `.Hide()` | x |\n",
             "flyball/sandbox/faults.h": "Fault Refuse(int code);"}],
       good={"docs/sandbox.md": "| `On(requests)` | x |\n|---|---|\n| `.Refuse(503)` | `kIo` |\n",
             "flyball/sandbox/faults.h": "On(Requests r); Fault Refuse(int code);"})
def check_faults(tree):
    """What faults can be injected is what the class has."""
    text = tree.text("flyball/sandbox/faults.h")
    path = "docs/sandbox.md"
    for number, head, cells in tables_of(tree, path):
        if not (head[0].startswith("`On") or head[0] == "at once"):
            continue
        for call in code_in(cells[0]):
            name = call.lstrip(".").split("(")[0]
            if not re.search(rf"\b{name}\(", text):
                yield path, number, f"Faults has no {name}()"


ANNOTATIONS = "flyball/simulation/annotations.h"
SCRIPT = "flyball/simulation/storage/storage_script.cc"


@check(bad=[{"docs/simulation.md": "| annotation | x |\n|---|---|\n| `crash`, `fly` | x |\n",
             ANNOTATIONS: '"simulation.flyball.dev/crash"'}],
       good={"docs/simulation.md": "| annotation | x |\n|---|---|\n| `crash`, `attach-delay` | x |\n",
             ANNOTATIONS: '"simulation.flyball.dev/crash"', SCRIPT: '"attach"; Annotation(x, "delay")'})
def check_annotations(tree):
    """What annotations simulated nodes and storage take is in their sources."""
    script = tree.text(SCRIPT)
    path = "docs/simulation.md"
    for number, head, cells in tables_of(tree, path):
        if not head[0].startswith("annotation"):
            continue
        for name in code_in(cells[0]):
            step, _, what = name.partition("-")
            known = (f'simulation.flyball.dev/{name}"' in tree.text(ANNOTATIONS) or
                     (f'"{step}"' in script and f'"{what}"' in script))
            if not known:
                yield path, number, f"nothing reads the annotation {name}"


EXCUSES = {"tests/sameness/excuses.yaml": "docs/sandbox.md", "tests/faults/excuses.yaml": "tests/faults/README.md"}


@check(bad=[{"tests/faults/excuses.yaml": "- documented: it flies\n", "tests/faults/README.md": "It runs.\n"}],
       good={"tests/faults/excuses.yaml": "- documented: it flies\n", "tests/faults/README.md": "So it\nflies.\n"})
def check_excuses(tree):
    """What tests excuse is documented, in the same words. Their own test says so after minutes."""
    for path, document in EXCUSES.items():
        said = " ".join(tree.text(document).split())
        for number, line in enumerate(tree.text(path).splitlines(), 1):
            match = re.match(r"- documented: (.*)", line)
            if match and " ".join(match[1].strip("'\"").split()) not in said:
                yield path, number, f"{document} does not say: {match[1]}"
