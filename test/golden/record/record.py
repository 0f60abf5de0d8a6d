#!/usr/bin/env python3
"""Makes what is recorded again, and compares it with the tree or writes it.

    record.py --list                       which files there are, who records them, and how near they must come
    record.py --check [NAME...]            records again, and says of each file 'same bytes' or 'error X of bound Y'
    record.py --write FOLDER [NAME...]     writes the files below FOLDER, at their places in the tree

A NAME is a part of a path, as `ops/rope` or `doge-tiny`. --packages FILE takes the recorders that need this file of packages alone
(requirements*.txt). --keep FOLDER keeps what --check recorded there, by recorder. --tree FOLDER is another tree than the one of this
script. Exit codes: 0, 1 if a file differs, 2 for wrong use.
"""
import argparse
import json
import os
import pathlib
import sys

# One thread: the order of a sum must not depend on how many cores there are. It must be set before numpy comes.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"

import manifest


def arguments():
    parser = argparse.ArgumentParser(usage="record.py --list | --check [NAME...] | --write FOLDER [NAME...]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--list", action="store_true")
    what.add_argument("--check", action="store_true")
    what.add_argument("--write", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--packages", action="append", metavar="FILE")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--tree", type=pathlib.Path, default=manifest.ROOT, metavar="FOLDER")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def jobs(listed, options):
    """Recorder -> the files that it is asked for."""
    wanted = {path: entry for path, entry in listed["files"].items() if not options.names or any(name in path for name in options.names)}
    for name in options.names:
        if not any(name in path for path in wanted):
            print(f"record.py: no recorded file has '{name}' in its path; --list names them", file=sys.stderr)
            sys.exit(2)
    found = {}
    for path, entry in sorted(wanted.items()):
        # who is asked to write makes the bytes of the tree, which the first one does
        for name in entry["recorders"][: 1 if options.write else None]:
            packages = pathlib.Path(listed["recorders"][name]["packages"]).name
            if options.packages is None or packages in options.packages:
                found.setdefault(name, []).append(path)
    return found


def layers(tree, path):
    """Returns the number of layers of the model that a file belongs to."""
    for folder in (tree / path).parent, tree / "models" / pathlib.Path(path).stem:
        if (folder / "config.json").is_file():
            return json.loads((folder / "config.json").read_text())["num_hidden_layers"]
    return 0


def longest(content):
    """The longest extent of a file's tensors: no sum is longer than that of the widest or the longest one."""
    import files

    return max(max(values.shape, default=1) for _, values in files.decode(content)[0].values())


def check(listed, options):
    work = jobs(listed, options)
    import comparing
    import recorders

    same = near = 0
    different = []
    for name, paths in work.items():
        for path, got in recorders.ALL[name](options.tree, paths):
            want, rule = (options.tree / path).read_bytes(), listed["files"][path]["again"]
            right, said = comparing.compare(rule, got, want, layers(options.tree, path), longest(want) if rule == "rounded" else 0)
            print(f"{path} by {name}: {said}", flush=True)
            if options.keep:
                manifest.write(options.keep / name / path, got)
            same, near = same + (said == "same bytes"), near + (right and said != "same bytes")
            if not right:
                different.append(path)
    print(f"{same} with the same bytes, {near} within their bounds, {len(different)} different")
    if not same + near + len(different):
        sys.exit("record.py: nothing was recorded: no recorder of these packages makes a file of these names")
    return 1 if different else 0


def write(listed, options):
    work = jobs(listed, options)
    import recorders

    for name, paths in work.items():
        for path, content in recorders.ALL[name](options.tree, paths):
            manifest.write(options.write / path, content)
            print(path, flush=True)
    return 0


def main():
    options = arguments()
    listed = manifest.read(options.tree)
    if options.list:
        for path, entry in sorted(listed["files"].items()):
            print(f"{path}: {' and '.join(entry['recorders'])}, {entry['again']}")
        return 0
    try:
        return write(listed, options) if options.write else check(listed, options)
    except ModuleNotFoundError as missing:
        sys.exit(f"record.py: Python has no package '{missing.name}': install one of requirements*.txt, and name that file with --packages")


if __name__ == "__main__":
    sys.exit(main())
