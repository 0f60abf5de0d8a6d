#!/usr/bin/env python3
"""Keeps docs/tutorial.md and the sources together.

    tutorial.py --check           fails unless the page's new files are new, its changes fit, and C++ has its format
    tutorial.py --apply FOLDER    copies the sources into FOLDER and makes the page's additions there

In the page a new file is a code block below a line that is its path (**`path`**), a change is a diff block, and an indented block
is commands. test/Tools/run_tutorial.py carries out all three.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(?:^\*\*`(?P<path>[^`]+)`\*\*\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$|(?P<commands>(?:^    \S[^\n]*\n)+)", re.M | re.S)


def steps():
    """What the page does, in its order: ("create", path, text), ("change", path, [(old, new)]), ("run", command)."""
    for block in BLOCK.finditer((ROOT / "docs/tutorial.md").read_text()):
        if block["commands"]:
            yield from (("run", line.strip()) for line in block["commands"].splitlines())
        elif block["path"]:
            yield "create", block["path"], block["text"]
        elif block["kind"] == "diff":
            yield change(block["text"])


def change(diff):
    path, hunks = None, []
    for line in diff.splitlines():
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
    return "change", path, [("\n".join(old) + "\n", "\n".join(new) + "\n") for old, new in hunks]


def check_format(path, text):
    command = ["clang-format-22", "--dry-run", "-Werror", f"--assume-filename={path}"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"docs/tutorial.md: what becomes of {path} has not the format of clang-format-22:\n{done.stderr}")


def add(root, step, write):
    """Makes an addition in the tree `root`, or only looks whether it fits. Ends the program where it does not."""
    kind, path, content = step
    if kind == "create":
        if (root / path).exists():
            sys.exit(f"{path} exists; the tutorial wants to create it")
        text = content
    else:
        text = (root / path).read_text()
        for old, new in content:
            if text.count(old) != 1:
                sys.exit(f"docs/tutorial.md: its change of {path} does not fit; the place it looks for is there {text.count(old)} times:\n{old}")
            text = text.replace(old, new)
    if path.endswith((".cpp", ".h")):
        check_format(root / path, text)
    if write:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def copy(folder):
    if folder.exists():
        sys.exit(f"{folder} exists")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns("build", ".git"))


def main():
    arguments = sys.argv[1:]
    root = ROOT
    if len(arguments) == 2 and arguments[0] == "--apply":
        root = pathlib.Path(arguments[1])
        copy(root)
    elif arguments != ["--check"]:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    additions = [step for step in steps() if step[0] != "run"]
    if {step[0] for step in additions} != {"create", "change"}:
        sys.exit("docs/tutorial.md has no additions")
    for step in additions:
        add(root, step, write=root != ROOT)


if __name__ == "__main__":
    main()
