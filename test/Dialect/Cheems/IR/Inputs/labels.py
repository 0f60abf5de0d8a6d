"""Holds docs/ops.md and the invalid IR to each other: labels.py DOCS_FOLDER TEST_FOLDER...

Each constraint that an op's section labels must be broken by some invalid IR, and each label that invalid IR expects of an op
must be in its section. C0 is that of every op with `outs` that may take buffers: one that is Pure takes tensors only. On tiles, C0 is
that of every op in a kernel, also of other dialects: some invalid IR breaks it. Plans have none.
"""
import pathlib
import re
import sys

TILE, PLAN = "cheems_tile.", "'cheems_plan'"
SECTION = re.compile(r"^### `(cheems(?:_cpu|_tile|_plan)?\.\w+)` ", re.MULTILINE)


def documented(page):
    """Returns the labels of each op."""
    labels = {}
    for dialect in re.split(r"^(?=# ')", page, flags=re.MULTILINE)[1:]:
        labels |= labelsOf(dialect)
    return labels


def labelsOf(dialect):
    head, *parts = SECTION.split(dialect.split("\n## Attributes")[0])
    if "- C0: " not in head and PLAN not in head:
        sys.exit("docs/ops.md: C0 is not documented")
    labels = {}
    for name, text in zip(parts[::2], parts[1::2]):
        labels[name] = set(re.findall(r"^- (C\d+): ", text, re.MULTILINE))
        if same := re.search(r"^- C1 to C\d+: as `(\w+)`", text, re.MULTILINE):
            labels[name] |= labels[f"{name.split('.')[0]}.{same[1]}"]
        pure = re.search(r"^Traits: .*`AlwaysSpeculatableImplTrait`", text, re.MULTILINE)
        if "DestinationStyleOpInterface" in text and not pure and not name.startswith(TILE):
            labels[name].add("C0")
    return labels


def expected(folders):
    """Returns, for each op, the labels that errors are expected with."""
    found = {}
    for path in sorted(path for folder in folders for path in folder.glob("*.mlir")):
        lines = path.read_text().splitlines()
        for i, line in enumerate(lines):
            label = re.search(r"expected-error@below \{\{(C\d+): ", line)
            if label:
                op = next(match for below in lines[i + 1:] if (match := re.search(r"(cheems(?:_cpu|_tile|_plan)?\.\w+)", below)))
                found.setdefault(op[1], set()).add(label[1])
    return found


def main():
    docs, *tests = map(pathlib.Path, sys.argv[1:])
    labels = documented((docs / "ops.md").read_text())
    broken = expected(tests)
    onTiles = [op for op in broken if op.startswith(TILE) and "C0" in broken[op]]
    for op in onTiles:
        labels[op].add("C0")
    wrong = [f"{op}: no invalid IR breaks {label}" for op in labels for label in sorted(labels[op] - broken.get(op, set()))]
    wrong += [f"{op}: {label} is not in docs/ops.md" for op in broken for label in sorted(broken[op] - labels.get(op, set()))]
    if not onTiles:
        wrong.append("no invalid IR breaks C0 of tiles")
    if wrong or len(labels) < 20:
        sys.exit("\n".join(wrong) or "docs/ops.md is not understood")


main()
