#!/usr/bin/env python3
"""The manifest of what is recorded is true, and the check that says so finds what it is for. Needs no packages."""
import copy
import json
import pathlib
import shutil
import tempfile
import unittest

import manifest
import recorders

OP, CONFIG = "test/golden/ops/rope.safetensors", "test/golden/models/doge-tiny/config.json"
TRAINED = "models/doge-shakespeare/config.json"


class Tree(unittest.TestCase):
    def test_is_as_the_manifest_says(self):
        self.assertEqual(manifest.problems(manifest.read()), [])

    def test_has_a_function_for_each_recorder(self):
        self.assertEqual(set(manifest.read()["recorders"]), set(recorders.ALL))

    def test_text_of_the_manifest_is_what_an_update_writes(self):
        self.assertEqual((manifest.ROOT / manifest.MANIFEST).read_text(), manifest.text(manifest.read()))

    def test_packages_are_pinned(self):
        for recorder in manifest.read()["recorders"].values():
            for line in (manifest.ROOT / recorder["packages"]).read_text().splitlines():
                self.assertRegex(line, r"^(#.*|[A-Za-z0-9_-]+==[0-9.]+)$")

    def test_given_files_say_why(self):
        for path, entry in manifest.read()["given"].items():
            self.assertTrue(entry["why"], path)


class Problems(unittest.TestCase):
    """A small tree with three files of the manifest."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        whole = manifest.read()
        self.manifest = {"recorders": {name: whole["recorders"][name] for name in ("operations", "checkpoints")},
                         "files": {path: whole["files"][path] for path in (OP, CONFIG)}, "given": {TRAINED: whole["given"][TRAINED]}}
        scripts = [recorder[kind] for recorder in self.manifest["recorders"].values() for kind in ("script", "packages")]
        for path in [OP, CONFIG, TRAINED, *scripts]:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(manifest.ROOT / path, self.root / path)

    def only_problem(self, words):
        lines = manifest.problems(self.manifest, self.root)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(words, lines[0])

    def test_none_in_the_small_tree(self):
        self.assertEqual(manifest.problems(self.manifest, self.root), [])

    def test_a_changed_byte_of_each_file(self):
        for path in (OP, CONFIG, TRAINED):
            content = (self.root / path).read_bytes()
            for at in (0, len(content) // 2, len(content) - 1):
                (self.root / path).write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
                self.only_problem(f"{path}: has other bytes")
            (self.root / path).write_bytes(content)

    def test_a_byte_more(self):
        with open(self.root / OP, "ab") as file:
            file.write(b" ")
        self.only_problem(f"{OP}: has other bytes")

    def test_a_missing_file(self):
        for path in (OP, CONFIG, TRAINED):
            content = (self.root / path).read_bytes()
            (self.root / path).unlink()
            self.only_problem(f"{path}: is in the manifest, and not in the tree")
            (self.root / path).write_bytes(content)

    def test_a_file_that_is_not_listed(self):
        for path in ("test/golden/ops/more.safetensors", "test/golden/ops/note.txt", "test/golden/models/doge-tiny/tokenizer.json",
                     "test/golden/models/new/golden.safetensors", "models/new/golden.safetensors", "test/unit/Sampler/data/more.json"):
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(b"{}")
            self.only_problem(f"{path}: is not in the manifest")
            (self.root / path).unlink()

    def test_a_script_that_is_gone(self):
        (self.root / "test/golden/record/operations.py").unlink()
        self.only_problem("operations.py: the recorder 'operations' names this file, and it is not there")

    def test_a_recorder_that_is_not_listed(self):
        self.manifest = copy.deepcopy(self.manifest)
        self.manifest["files"][OP]["recorders"] = ["operations", "nobody"]
        self.only_problem("its recorder 'nobody' is not in the manifest")

    def test_a_file_without_a_recorder(self):
        self.manifest = copy.deepcopy(self.manifest)
        self.manifest["files"][OP]["recorders"] = []
        del self.manifest["recorders"]["operations"]
        self.only_problem(f"{OP}: has no recorder")

    def test_a_recorder_of_nothing(self):
        del self.manifest["files"][OP]
        (self.root / OP).unlink()
        self.only_problem("'operations' records no file")

    def test_a_rule_that_nobody_knows(self):
        self.manifest = copy.deepcopy(self.manifest)
        self.manifest["files"][OP]["again"] = "nearly"
        self.only_problem("must come again 'nearly'")

    def test_a_file_that_is_recorded_and_given(self):
        self.manifest["given"][OP] = self.manifest["files"][OP]
        self.only_problem("is recorded and given")

    def test_an_update_takes_the_hashes_of_the_tree(self):
        (self.root / OP).write_bytes(b"other")
        (self.root / manifest.MANIFEST).write_text(json.dumps(self.manifest))
        manifest.update(self.root)
        self.assertEqual(manifest.problems(manifest.read(self.root), self.root), [])


if __name__ == "__main__":
    unittest.main()
