#!/usr/bin/env python3
"""Checks the excerpts of pages: each is in what the command above it prints.

    excerpts.py [--machine-code] BIN PAGE...      BIN: the folder of the tools

A command is an indented line, and may have pipes. The excerpts are the fenced blocks that follow it. A line `...` stands for lines that
are left out, and `…` for the rest of a line or for a part of it. Numbers that tell equal names apart (`%ssd_12`) do not count, as they
change with what is printed before. A block below a line that is a name (**`product.mlir`**) is a file that commands read.

Machine code of GPUs needs NVIDIA's programs. Commands with them run with --machine-code alone: then PYTHONPATH is a folder with the
packages nvidia-cuda-nvcc and nvidia-cuda-nvdisasm of PyPI.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = "/usr/lib/llvm-22/bin"
FENCES = ("```mlir", "```asm", "```llvm", "```ptx", "```text")


def plain(line):
    line = re.sub(r"%([A-Za-z][\w.]*?)_\d+\b", r"%\1", line)
    line = re.sub(r"%\d+\b", "%0", line)
    line = re.sub(r"#map\d*\b", "#map", line)
    return re.sub(r"\s+", " ", line).strip()


def parts(text):
    """(name, lines) of each file, and (command, its line, [(fence's line, lines)]) of each command."""
    files, commands, fence, name = [], [], None, None
    for number, line in enumerate(text.split("\n"), 1):
        if fence is not None:
            if line.startswith("```"):
                fence = None
            else:
                fence.append(line)
        elif match := re.fullmatch(r"\*\*`([\w.-]+)`\*\*", line):
            name = match[1]
        elif re.match(r"    (cheems-|llvm-|nvdisasm)", line):
            commands.append((line.strip(), number, []))
        elif line.startswith("```"):
            fence = []
            if name:
                files.append((name, fence))
                name = None
            elif line in FENCES and commands:
                commands[-1][2].append((number, fence))
    return files, commands


def written(command):
    """The file that a command writes, or None."""
    match = re.search(r" -o (\S+)$", command)
    return match[1] if match and match[1] != "-" else None


def needed(commands):
    """Those that have excerpts, and those before that write what these read."""
    read, found = set(), []
    for command in reversed(commands):
        if command[2] or written(command[0]) in read:
            read.update(shlex.split(command[0]))
            found.append(command)
    return found[::-1]


def pattern(lines):
    """Matches `plain` lines with a line end each, one after the other."""
    text = ""
    for line in lines:
        text += "^" + r"[^\n]*?".join(re.escape(plain(part)) for part in re.split(r"\s*…\s*", line)) + r"\n"
    return re.compile(text, re.M)


def misfit(lines, printed):
    """The number of the first line that is not printed after those before it, or None. Where lines are left out, those after them may
    be anywhere further down: the first place that they fit is as good as any."""
    at, start = 0, 0
    while start < len(lines):
        end = next((n for n in range(start, len(lines)) if lines[n].strip() in ("...", "")), len(lines))
        found = pattern(lines[start:end]).search(printed, at)
        if not found:
            return max(n for n in range(start, end) if pattern(lines[start:n]).search(printed, at))
        at, start = found.end(), end + 1
    return None


def run(command, folder, environment):
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(f"excerpts: {command}: {done.stderr.strip()}")
    return done.stdout


def check(page, environment, machine_code):
    """How many excerpts were checked, and how many are wrong."""
    files, commands = parts(page.read_text())
    checked, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "models", f"{folder}/models")
        environment = environment | {"XDG_CACHE_HOME": f"{folder}/cache"}
        for name, lines in files:
            pathlib.Path(folder, name).write_text("\n".join(lines) + "\n")
        for command, _, blocks in needed(commands):
            if re.search(r"nvdisasm|--to-cubin", command) and not machine_code:
                continue
            printed = "".join(plain(line) + "\n" for line in run(command, folder, environment).split("\n"))
            for line, lines in blocks:
                checked += 1
                bad = misfit(lines, printed)
                if bad is not None:
                    print(f"docs/{page.name}:{line + 1 + bad}: not in what '{command}' prints: {lines[bad].strip()}", file=sys.stderr)
                    wrong += 1
    return checked, wrong


def main():
    arguments = sys.argv[1:]
    machine_code = "--machine-code" in arguments
    bins, *pages = [argument for argument in arguments if argument != "--machine-code"]
    places = [str(pathlib.Path(bins).resolve()), LLVM]
    if machine_code:
        places += map(str, pathlib.Path(os.environ["PYTHONPATH"]).glob("nvidia/*/bin"))
    environment = os.environ | {"PATH": os.pathsep.join([*places, os.environ.get("PATH", "")])}
    for page in pages:
        checked, wrong = check(pathlib.Path(page), environment, machine_code)
        if checked < 8:
            sys.exit(f"excerpts: only {checked} found in {page}")
        if wrong:
            sys.exit(1)
        print(f"{checked} excerpts of {page} are as printed")


if __name__ == "__main__":
    main()
