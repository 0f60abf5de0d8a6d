#!/usr/bin/env python3
"""The check finds a recorder's mistake: each of mistakes.py is made in a copy of the recorders, and must be found in every file that it
names. Without a mistake these files are the same bytes, or within their bounds.

    test_mistakes.py FILE        of the recorders that need this file of packages: requirements.txt, or requirements-transformers.txt
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import manifest
import mistakes

HERE = pathlib.Path(__file__).resolve().parent


def check(folder, packages, names):
    command = [sys.executable, str(folder / "record.py"), "--check", "--tree", str(manifest.ROOT), "--packages", packages, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    packages, failures = sys.argv[1], 0
    made = mistakes.ALL[packages]
    everywhere = sorted({name for *_, names in made for name in names})
    status, lines, errors = check(HERE, packages, everywhere)
    if status:
        sys.exit(f"without a mistake the check fails: {errors}{lines}")
    for what, file, text, wrong, names in made:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "record"
            shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
            source = (copy / file).read_text()
            if source.count(text) != 1:
                sys.exit(f"{what}: {file} has this text {source.count(text)} times, not once: {text}")
            (copy / file).write_text(source.replace(text, wrong))
            status, lines, errors = check(copy, packages, names)
        found = [line for line in lines.splitlines() if "DIFFERENT" in line]
        missed = [name for name in names if not any(name in line for line in found)]
        if status != 1 or missed:
            failures += 1
            print(f"{what}: NOT FOUND in {', '.join(missed) or 'nothing'} (exit {status}) {errors}{lines}")
        for line in found:
            print(f"{what}: {line}", flush=True)
    print(f"{len(made) - failures} of {len(made)} mistakes found")
    sys.exit(1 if failures else 0)


main()
