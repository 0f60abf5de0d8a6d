#!/usr/bin/env python3
"""Holds what files include against the table "Folders" of docs/architecture.md: layers.py ROOT.

The last column of a row names the folders that it may use: with their names from the root, or from the folder above. "All above" are the
rows before. What follows a semicolon is no folder of the table. There may be no cycles.

The emulator is a project of its own: its files include each other and nothing of the rest, by paths below its folders. Of it the rest
sees the public headers alone.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/architecture.md").read_text()
table = page[page.index("| folder | what it holds | may use |") :].split("\n\n")[0].splitlines()[2:]
folders, allowed = {}, {}  # by folder, its row; by row, rows
for line in table:
    first, _, uses = (cell.strip() for cell in line.strip("|").split("|"))
    row, above = len(allowed), list(allowed)
    names = re.findall(r"`([^`]+)`", first)
    folders.update({name: row for name in names})
    allowed[row] = above if uses.startswith("all above") else re.findall(r"`([^`]+)`", uses.split(";")[0])


def owner(path):
    """The row of a file."""
    if path.startswith("include/") and (root / "emulator" / path).exists():
        return folders["emulator/include"]
    if path.endswith(".h") and path.count("/") == (2 if path.startswith("include/") else 1):
        return folders[path[: path.rindex("/")] + "/*.h"]
    path = path.replace("include/cheems/", "lib/")
    while path and path not in folders:
        path = path.rpartition("/")[0]
    return folders.get(path)


def resolved(name, row):
    """Rows of the folders that a name stands for: it and those in it."""
    homes = [folder.rpartition("/")[0] + "/" for folder, of in folders.items() if of == row]
    for prefix in ["", *homes, homes[0].split("/")[0] + "/"]:
        found = {of for folder, of in folders.items() if folder == prefix + name or folder.startswith(prefix + name + "/")}
        if found:
            return found
    sys.exit(f"docs/architecture.md: no row has the folder {name}")


common = {folders[name] for name in re.findall(r"`([^`]+)`", re.search(r"^Every folder may use ([^.]*\.[^.]*\.[^.]*), too", page, re.MULTILINE).group(1))}
may = {row: common | {row}.union(*({use} if isinstance(use, int) else resolved(use, row) for use in uses)) for row, uses in allowed.items()}
named = {row: next(folder for folder, of in folders.items() if of == row) for row in allowed}
does, wrong = {row: set() for row in allowed}, []
for path in sorted(path for top in ("include", "lib", "runtime", "server", "tools") for path in (root / top).rglob("*") if path.suffix in (".h", ".cpp", ".td", ".def")):
    name = str(path.relative_to(root))
    row = owner(name)
    if row is None:
        wrong.append(f"{name}: its folder is in no row")
        continue
    for target in re.findall(r'^\s*#?include "((?:cheems|runtime|server|emulator)/[^"]+)"', path.read_text(errors="replace"), re.MULTILINE):
        used = owner("include/" + target if target.startswith("cheems/") else target)
        if used not in may[row]:
            wrong.append(f"{name} includes {target}: {named[row]} may not use {named.get(used, 'that')}")
        elif used != row:
            does[row].add(used)
own = (root / "emulator").resolve()
for path in sorted(path for path in own.rglob("*") if path.suffix in (".h", ".cpp", ".def") and not path.is_relative_to(own / "build")):
    for target in re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text(errors="replace"), re.MULTILINE):
        places = [path.parent, own / "include"]
        if not path.is_relative_to(own / "include"):
            places += [own / "lib", *([own / "test", own] if path.is_relative_to(own / "test") else [])]
        if not any((place / target).resolve().is_relative_to(own) and (place / target).exists() for place in places):
            wrong.append(f"emulator/{path.relative_to(own)} includes {target}: it is no file of the emulator")
reached = {row: set(uses) for row, uses in does.items()}
for _ in reached:
    reached = {row: uses.union(*(reached[use] for use in uses)) for row, uses in reached.items()}
wrong += [f"{named[row]} uses itself, by {', '.join(named[use] for use in does[row] if row in reached[use])}" for row in reached if row in reached[row]]
sys.exit("\n".join(wrong) if wrong else 0)
