#!/usr/bin/env python3
"""The manifest of all that was recorded, test/golden/manifest.json: read, held against the tree, written anew. Needs no packages.

    manifest.py              says which files differ from the manifest, are not in it, or are missing
    manifest.py --update     takes the hashes of the tree; new files must be in the manifest already, without a hash

`recorders` says which script records, and which packages it needs. `files` says of each file which recorders make it, the first of
them those bytes; how near the others, or another machine, must come (comparing.py); and its hash. `given` are files that recorders
read, and nothing makes again.
"""
import hashlib
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
MANIFEST = pathlib.Path("test/golden/manifest.json")
RULES = ("exact", "rounded", "f32 steps", "log-probabilities")

# Every file that these match is recorded or given.
COMPLETE = ["test/golden/models/*/*", "test/golden/ops/*", "models/*/*.safetensors", "test/unit/Tokenizer/data/*",
            "test/unit/ChatTemplate/data/*.json*", "test/unit/ChatTemplate/data/*.jinja", "test/unit/Sampler/data/*.json",
            "test/Integration/CPU/transformers/*.json", "emulator/test/conformance/manifest.json", "emulator/test/conformance/ptx/*"]


def read(root=ROOT):
    return json.loads((root / MANIFEST).read_text())


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def entries(manifest):
    """All files with a hash: path -> entry."""
    return {**manifest["files"], **manifest["given"]}


def found(root):
    return {path.relative_to(root).as_posix() for pattern in COMPLETE for path in root.glob(pattern) if path.is_file()}


def problems(manifest, root=ROOT):
    """A line for each thing that is not as the manifest says."""
    lines = []
    for name, recorder in manifest["recorders"].items():
        for kind in ("script", "packages"):
            if not (root / recorder[kind]).is_file():
                lines.append(f"{recorder[kind]}: the recorder '{name}' names this file, and it is not there")
    used = set()
    for path, entry in manifest["files"].items():
        used.update(entry["recorders"])
        lines += [f"{path}: its recorder '{name}' is not in the manifest" for name in entry["recorders"] if name not in manifest["recorders"]]
        if not entry["recorders"]:
            lines.append(f"{path}: has no recorder")
        if entry["again"] not in RULES:
            lines.append(f"{path}: must come again '{entry['again']}', which is none of {', '.join(RULES)}")
    lines += [f"'{name}' records no file: remove it from the manifest" for name in manifest["recorders"] if name not in used]
    lines += [f"{path}: is recorded and given, which cannot both be" for path in manifest["files"] if path in manifest["given"]]
    for path, entry in sorted(entries(manifest).items()):
        if not (root / path).is_file():
            lines.append(f"{path}: is in the manifest, and not in the tree")
        elif digest(root / path) != entry["sha256"]:
            lines.append(f"{path}: has other bytes than were recorded. If they are right, run manifest.py --update")
    lines += [f"{path}: is not in the manifest. Give it a recorder there" for path in sorted(found(root) - set(entries(manifest)))]
    return lines


def text(manifest):
    """A line for each entry, so that a change of one file is a change of one line."""
    parts = []
    for part, values in manifest.items():
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(values.items()))
        parts.append(f" {json.dumps(part)}: {{\n{rows}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write(path, content):
    """A temporary file first: who is interrupted leaves no half of a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def update(root=ROOT):
    manifest = read(root)
    for path, entry in entries(manifest).items():
        if not (root / path).is_file():
            sys.exit(f"manifest.py: {path} is in the manifest, and not in the tree: remove its line, or record it")
        entry["sha256"] = digest(root / path)
    write(root / MANIFEST, text(manifest).encode())


def main():
    if sys.argv[1:] == ["--update"]:
        update()
    elif sys.argv[1:]:
        print(f"manifest.py: '{sys.argv[1]}' is not known; there is --update", file=sys.stderr)
        sys.exit(2)
    lines = problems(read())
    print("\n".join(lines) or "all files are as the manifest says")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
