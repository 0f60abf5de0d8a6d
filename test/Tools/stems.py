#!/usr/bin/env python3
"""One family of ops has one stem in all files that know its ops: stems.py ROOT.

The ops that XOps.td defines are implemented in lib/Dialect/<dialect>/IR/X*.cpp, and the interpreter knows them in lib/Interpreter/X*.cpp, those of
cheems_tile in TileX*.cpp. Where several stems begin alike, as Segment and SegmentedSSD, the longest one counts.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
DIALECTS = {"Cheems": ("", ""), "CheemsCPU": ("cpu::", ""), "CheemsTile": ("tile::", "Tile"), "CheemsPlan": ("plan::", "")}
# Builders and parsers of two families share their helpers, which need the generated code of all ops.
EXCEPTIONS = {"CheemsCPUDialect.cpp"}
wrong = []


def stem(name, stems):
    """The longest of the stems that a file's name begins with."""
    return max((each for each in stems if name.startswith(each)), key=len, default=None)


found = 0
for dialect, (space, prefix) in DIALECTS.items():
    families = {}  # by op, its stem
    for path in sorted((root / "include/cheems/Dialect" / dialect / "IR").glob("*Ops.td")):
        for op in re.findall(rf"^def {dialect}_(\w+Op) ?:", path.read_text(), re.MULTILINE):
            families[op] = path.stem.removesuffix("Ops")
    stems = set(families.values())
    for path in sorted((root / "lib/Dialect" / dialect / "IR").glob("*.cpp")):
        for op in re.findall(r"^(?:\w.*[ &*])?(\w+Op)::\w+\(", path.read_text(), re.MULTILINE):
            found += 1
            if path.name not in EXCEPTIONS and op in families and stem(path.name, stems) != families[op]:
                wrong.append(f"{path.relative_to(root)} implements {op} of {families[op]}Ops.td: name it {families[op]}…, or move the op")
    for path in sorted((root / "lib/Interpreter").glob("*.cpp")):
        for op in re.findall(rf"handlers\.add(?:Terminator)?<{space}(\w+Op)>", path.read_text()):
            found += 1
            if op in families and stem(path.name.removeprefix(prefix) if path.name.startswith(prefix) else "", stems) != families[op]:
                wrong.append(f"{path.relative_to(root)} interprets {op} of {families[op]}Ops.td: name it {prefix}{families[op]}…, or move the op")
if found < 100:
    wrong.append(f"only {found} implementations were found: correct test/Tools/stems.py")
sys.exit("\n".join(wrong) if wrong else 0)
