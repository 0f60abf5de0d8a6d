#!/usr/bin/env python3
"""Holds the messages of new commits to the rules of CONTRIBUTING.md: commits.py [--since REVISION] [--repository FOLDER].

New are the commits of HEAD that are not in REVISION, or not in SINCE below. Merges are left out. Where git or that commit is missing, as in a
shallow clone or an unpacked archive, a line says what was not checked, and the script passes.
"""
import argparse
import pathlib
import re
import subprocess
import sys

SINCE = "81faf8263ad0"  # the newest commit that was written before the rules were checked
MOST_SUBJECT, MOST_BODY, MOST_LINES = 72, 100, 300
UNFINISHED = re.compile(r"(wip\b|fixup!|squash!|amend!|tmp\b|todo\b)", re.IGNORECASE)
PREFIX = re.compile(r"(\[[^\]]*\]|[a-z]+(\([^)]*\))?!?:) ")


def git(repository, *words):
    return subprocess.run(["git", "-C", str(repository), *words], capture_output=True, text=True, errors="replace")


def changed_lines(repository, commit):
    """Lines that it adds or removes; a file that only moves has none."""
    rows = git(repository, "show", "-M", "--format=", "--numstat", commit).stdout.splitlines()
    counts = [row.split("\t")[:2] for row in rows if row]
    return sum(int(added) + int(removed) for added, removed in counts if added != "-")


def faults(message, lines):
    """What is wrong with a message whose commit changes so many lines."""
    subject, *rest = message.rstrip("\n").split("\n")
    if not subject.strip():
        return ["has no subject: say in a plain sentence what is different now"]
    found = []
    if len(subject) > MOST_SUBJECT:
        found.append(f"has a subject of {len(subject)} characters: shorten it to {MOST_SUBJECT}, and say the rest below it")
    if subject.endswith("."):
        found.append("has a subject that ends with a period: remove it")
    if UNFINISHED.match(subject):
        found.append("is not finished: squash it into its commit, or say what it does")
    elif PREFIX.match(subject):
        found.append("has a subject with a prefix: write a plain sentence")
    if rest and rest[0]:
        found.append("has a second line that is not empty: leave one line empty below the subject")
    # what is indented is quoted: a table, a command, what it printed; a word alone may be an address
    long = [line for line in rest if len(line) > MOST_BODY and not line.startswith("    ") and " " in line.strip()]
    if long:
        found.append(f"has a line of {len(long[0])} characters: wrap the text at {MOST_BODY}, or indent what is quoted by four spaces")
    if lines > MOST_LINES and not any(line.strip() for line in rest):
        found.append(f"changes {lines} lines and gives no reason: write it below the subject")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", default=SINCE, metavar="REVISION")
    parser.add_argument("--repository", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1], metavar="FOLDER")
    options = parser.parse_args()
    top = git(options.repository, "rev-parse", "--show-toplevel")
    if top.returncode or pathlib.Path(top.stdout.strip()).resolve() != options.repository.resolve():
        print("commits: no message was checked, because this folder is no git repository")
        return 0
    base = git(options.repository, "merge-base", options.since, "HEAD")
    if base.returncode:
        if options.since != SINCE:
            sys.exit(f"commits: {options.since} has no history in common with HEAD; name a revision of this repository")
        print(f"commits: no message was checked, because the history does not reach back to {SINCE}: a full clone has it")
        return 0
    new = git(options.repository, "rev-list", "--no-merges", f"{base.stdout.strip()}..HEAD").stdout.split()
    wrong = 0
    for commit in reversed(new):
        message = git(options.repository, "show", "-s", "--format=%B", commit).stdout
        for fault in faults(message, changed_lines(options.repository, commit)):
            print(f"commits: {commit[:10]} '{message.splitlines()[0] if message.strip() else ''}' {fault}")
            wrong += 1
    print(f"commits: {len(new)} new, {wrong} faults")
    return 1 if wrong else 0


sys.exit(main())
