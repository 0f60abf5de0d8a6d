#!/usr/bin/env python3
"""Checks the excerpts of docs/pipelines.md: each is in what the command above it prints.

    excerpts.py BIN      BIN: the folder of the tools

A command is an indented line. The excerpts are the fenced blocks that follow it. A line `...` stands for lines that are left out, and
`…` for the rest of a line or for a part of it. Numbers that tell equal names apart (`%ssd_12`) do not count, as they change with what is
printed before.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "pipelines.md"


def plain(line):
    line = re.sub(r"%([A-Za-z][\w.]*?)_\d+\b", r"%\1", line)
    line = re.sub(r"%\d+\b", "%0", line)
    line = re.sub(r"#map\d*\b", "#map", line)
    return re.sub(r"\s+", " ", line).strip()


def excerpts(text):
    """(command, its line, [(fence's line, lines)]) of each command that has some."""
    found, fence = [], None
    for number, line in enumerate(text.split("\n"), 1):
        if fence is not None:
            if line.startswith("```"):
                fence = None
            else:
                fence.append(line)
        elif re.match(r"    (cheems-|llvm-)", line):
            found.append((line.strip(), number, []))
        elif line in ("```mlir", "```asm", "```llvm"):
            fence = []
            found[-1][2].append((number, fence))
    return found


def pattern(lines):
    """Of `plain` lines with a line end each."""
    text = ""
    for line in lines:
        if line.strip() == "...":
            text += r"(?:[^\n]*\n)*?"
        elif line.strip():
            text += r"[^\n]*?".join(re.escape(plain(part)) for part in re.split(r"\s*…\s*", line)) + r"\n"
    return re.compile(text)


def run(command, folder, bins):
    words = shlex.split(command)
    tool = bins[words[0].split("-")[0]] / words[0]
    words = [str(ROOT / word) if word.startswith("models/") else word for word in words[1:]]
    done = subprocess.run([tool, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"excerpts: {command}: {done.stderr.strip()}")
    return done.stdout


def main():
    bins = {"cheems": pathlib.Path(sys.argv[1]).resolve(), "llvm": pathlib.Path(shutil.which("llvm-objdump") or "/usr/lib/llvm-22/bin/x").parent}
    found = excerpts(PAGE.read_text())
    checked, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for command, number, blocks in found:
            if not blocks and " -o -" in command:
                continue  # an example
            if not blocks and not re.search(r" -o \S+\.o$", command):
                continue
            printed = "".join(plain(line) + "\n" for line in run(command, folder, bins).split("\n"))
            for line, lines in blocks:
                checked += 1
                if not pattern(lines).search(printed):
                    # the first line that does not fit
                    good = max(n for n in range(len(lines)) if pattern(lines[:n]).search(printed))
                    print(f"docs/pipelines.md:{line + 1 + good}: not in what '{command}' prints: {lines[good].strip()}", file=sys.stderr)
                    wrong += 1
    if checked < 8:
        sys.exit(f"excerpts: only {checked} found")
    if wrong:
        sys.exit(1)
    print(f"{checked} excerpts are as printed")


if __name__ == "__main__":
    main()
