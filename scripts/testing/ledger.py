#!/usr/bin/env python3
"""test/long.md: which long part of the tests last passed, at which commit, and with which log.

    ledger.py record NAME --seed N --minutes M --log FILE     writes the row of a part that has just passed
    ledger.py due                                             names the parts whose sources have changed since; 1 if there are any
    ledger.py is-due NAME                                     0 if the sources of this part have changed since it passed, else 1
    ledger.py list                                            number, name and title of each part

A part is a row of the table: its number and name, what it runs, and the folders or files that it watches. The number of the sources is a
hash over their trees, so it says whether a part is due in any clone, whatever happened to the commit.
"""
import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "test/long.md"
COLUMNS = ["part", "name", "what it runs", "sources", "passed at", "sources' hash", "seed", "minutes", "log's SHA-256"]


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout


def read():
    """The rows of the table, each a dictionary by column; and the lines before and after it."""
    lines = PAGE.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("| part |"))
    end = next((i for i in range(begin, len(lines)) if not lines[i].startswith("|")), len(lines))
    rows = [dict(zip(COLUMNS, (cell.strip() for cell in line.strip("|").split("|")))) for line in lines[begin + 2 : end]]
    return lines[:begin], rows, lines[end:]


def write(before, rows, after):
    table = [COLUMNS, ["---"] * len(COLUMNS)] + [[row[column] for column in COLUMNS] for row in rows]
    text = "\n".join(before + ["| " + " | ".join(cells) + " |" for cells in table] + after) + "\n"
    temporary = PAGE.with_suffix(".md.new")
    temporary.write_text(text)
    os.replace(temporary, PAGE)


def sources_hash(row):
    """Hashes what HEAD has of the row's sources."""
    paths = [path.strip("`, ") for path in row["sources"].split()]
    listed = git("ls-tree", "-r", "HEAD", "--", *paths)
    if not listed:
        sys.exit(f"ledger: part {row['part']} watches nothing: correct its sources in {PAGE.relative_to(ROOT)}")
    return hashlib.sha256(listed.encode()).hexdigest()[:12]


def find(rows, name):
    for row in rows:
        if name in (row["part"], row["name"]):
            return row
    sys.exit(f"ledger: there is no part '{name}' in {PAGE.relative_to(ROOT)}")


def is_due(row):
    return row["sources' hash"] != sources_hash(row)


def record(options):
    before, rows, after = read()
    row = find(rows, options.name)
    changed = [line[3:] for line in git("status", "--porcelain").splitlines() if line[3:] != str(PAGE.relative_to(ROOT))]
    if changed:
        print(f"ledger: part {row['part']} is not recorded, since {changed[0]} is not committed")
        return
    row["passed at"] = git("rev-parse", "--short=8", "HEAD").strip()
    row["sources' hash"] = sources_hash(row)
    row["seed"], row["minutes"] = str(options.seed), str(options.minutes)
    row["log's SHA-256"] = hashlib.sha256(pathlib.Path(options.log).read_bytes()).hexdigest()[:16]
    write(before, rows, after)
    print(f"ledger: part {row['part']} passed at {row['passed at']}; commit {PAGE.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    commands.add_parser("due")
    commands.add_parser("is-due").add_argument("name")
    recorder = commands.add_parser("record")
    recorder.add_argument("name")
    recorder.add_argument("--seed", type=int, required=True)
    recorder.add_argument("--minutes", type=int, required=True)
    recorder.add_argument("--log", required=True)
    options = parser.parse_args()
    if options.command == "record":
        record(options)
        return
    rows = read()[1]
    if options.command == "list":
        for row in rows:
            print(row["part"], row["name"], row["what it runs"], sep="\t")
    elif options.command == "due":
        due = [row for row in rows if is_due(row)]
        for row in due:
            since = f"changed since {row['passed at']}" if row["passed at"] else "has never passed"
            print(f"part {row['part']}, {row['name']}: {since}")
        sys.exit(1 if due else 0)
    else:
        sys.exit(0 if is_due(find(rows, options.name)) else 1)


main()
