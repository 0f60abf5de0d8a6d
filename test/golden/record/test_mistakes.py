#!/usr/bin/env python3
"""The check finds a recorder's mistake: each of mistakes.py is made in a copy of the recorders, and must be found in every file that it
names. The same names are the same bytes, or within their bounds, without it. Needs numpy."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import manifest
import mistakes

HERE = pathlib.Path(__file__).resolve().parent


def check(folder, names):
    done = subprocess.run([sys.executable, str(folder / "record.py"), "--check", "--tree", str(manifest.ROOT), "--packages", "requirements.txt", *names],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    failures = 0
    everywhere = sorted({name for *_, names in mistakes.ALL for name in names})
    status, _, errors = check(HERE, everywhere)
    if status:
        sys.exit(f"without a mistake the check fails: {errors}")
    for what, file, text, wrong, names in mistakes.ALL:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "record"
            shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
            source = (copy / file).read_text()
            if source.count(text) != 1:
                sys.exit(f"{what}: {file} has this text {source.count(text)} times, not once: {text}")
            (copy / file).write_text(source.replace(text, wrong))
            status, lines, errors = check(copy, names)
        found = [line for line in lines.splitlines() if "DIFFERENT" in line]
        missed = [name for name in names if not any(name in line for line in found)]
        if status != 1 or missed:
            failures += 1
            print(f"{what}: NOT FOUND in {', '.join(missed) or 'nothing'} (exit {status}) {errors}{lines}")
        for line in found:
            print(f"{what}: {line}", flush=True)
    print(f"{len(mistakes.ALL) - failures} of {len(mistakes.ALL)} mistakes found")
    sys.exit(1 if failures else 0)


main()
