#!/usr/bin/env python3
"""Keeps docs/tutorial.md and the sources together.

    tutorial.py --check           fails unless the page's new files are new and its changes fit
    tutorial.py --apply FOLDER    copies the sources into FOLDER and makes the page's additions there

In the page a new file is a code block below a line that is its path (**`path`**); a change is a diff block.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?:^\*\*`(?P<path>[^`]+)`\*\*\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S)


def additions(page):
    """(path, text) of each new file, and (path, [(old, new)]) of each changed one."""
    files, changes = [], []
    for block in BLOCK.finditer(page):
        if block["path"]:
            files.append((block["path"], block["text"]))
        elif block["kind"] == "diff":
            path, hunks = None, []
            for line in block["text"].splitlines():
                if line.startswith("+++ "):
                    path = line[4:]
                elif line.startswith("@@"):
                    hunks.append(([], []))
                elif not line.startswith("--- "):
                    mark, rest = line[:1], line[1:]
                    if mark != "+":
                        hunks[-1][0].append(rest)
                    if mark != "-":
                        hunks[-1][1].append(rest)
            changes.append((path, [("\n".join(old) + "\n", "\n".join(new) + "\n") for old, new in hunks]))
    return files, changes


def apply(root, write):
    """The first thing that does not fit, or None."""
    files, changes = additions((ROOT / "docs/tutorial.md").read_text())
    if not files or not changes:
        return "docs/tutorial.md has no additions"
    for path, text in files:
        if (root / path).exists():
            return f"{path} exists; the tutorial wants to create it"
        if write:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
    for path, hunks in changes:
        text = (root / path).read_text()
        for old, new in hunks:
            if text.count(old) != 1:
                return f"docs/tutorial.md: its change of {path} does not fit; the place it looks for is there {text.count(old)} times:\n{old}"
            text = text.replace(old, new)
        if write:
            (root / path).write_text(text)
    return None


def main():
    arguments = sys.argv[1:]
    if arguments == ["--check"]:
        sys.exit(apply(ROOT, write=False))
    if len(arguments) != 2 or arguments[0] != "--apply":
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    folder = pathlib.Path(arguments[1])
    if folder.exists():
        sys.exit(f"{folder} exists")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("build", ".git"))
    sys.exit(apply(folder, write=True))


main()
