#!/usr/bin/env python3
"""What counts as the same golden, and what does not; what record.py writes, and how it ends. Needs numpy."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

import comparing
import files
import manifest


def golden(**changes):
    """Logits of three tokens between -2 and 2, and what came with them."""
    tensors = {"input_ids": ("I64", numpy.array([[5, 6, 7]])), "logits": ("F32", numpy.linspace(-2, 2, 300).reshape(1, 3, 100))}
    tensors.update(changes)
    return files.encode({name: entry for name, entry in tensors.items() if entry}, {"kind": "bias"})


def moved(units, count=1, kind="F32"):
    """`count` of the logits, from the largest one on, by so many units that f32 has at 2."""
    values = numpy.linspace(-2, 2, 300).astype(numpy.float32)
    values[300 - count :] -= numpy.float32(units * 2.0**-23)
    return golden(logits=(kind, values.reshape(1, 3, 100)))


class Compare(unittest.TestCase):
    def holds(self, said, *arguments, **options):
        right, words = comparing.compare(*arguments, **options)
        self.assertTrue(right, words)
        self.assertIn(said, words)

    def differs(self, said, *arguments, **options):
        right, words = comparing.compare(*arguments, **options)
        self.assertFalse(right, words)
        self.assertIn("DIFFERENT", words)
        self.assertIn(said, words)

    def test_the_same_bytes_hold_by_every_rule(self):
        for rule in ("exact", "rounded", "f32 steps", "log-probabilities"):
            self.holds("same bytes", rule, golden(), golden())

    def test_exact_names_the_first_byte(self):
        self.differs("from byte 2 on", "exact", b"abd", b"abc")
        self.differs("from byte 3 on", "exact", b"abcd", b"abc")

    def test_one_value_rounded_another_way_holds(self):
        self.holds("of bound 1.2e-07, in logits", "rounded", moved(1), golden())

    def test_many_values_rounded_another_way_do_not(self):
        self.differs("2 of 300 values", "rounded", moved(1, count=2), golden(), longest=100)
        self.differs("of 300 values", "rounded", moved(1, count=300), golden(), longest=900)

    def test_long_sums_let_more_values_round_another_way(self):
        self.holds("in logits", "rounded", moved(1, count=2), golden(), longest=2**24 // 300 + 1)

    def test_three_units_do_not_hold(self):
        self.differs("in logits", "rounded", moved(3), golden())

    def test_a_unit_of_bf16_is_larger(self):
        both = (golden(logits=("BF16", numpy.full((1, 3, 100), value))) for value in (1.0, 1.0 + 2.0**-7))
        self.differs("of 300 values", "rounded", *both)
        first, second = numpy.ones((1, 3, 100)), numpy.ones((1, 3, 100))
        second[0, 0, 0] += 2.0**-7
        self.holds("of bound 7.8e-03", "rounded", golden(logits=("BF16", second)), golden(logits=("BF16", first)))

    def test_steps_in_f32_err_by_layers_and_tokens(self):
        deviation = numpy.linspace(-2, 2, 300).std()
        units = 4 * 3 * 2.0**-24 * deviation / 2.0**-23  # of 4 layers and 3 tokens
        self.holds("of bound 7.2e-07", "f32 steps", moved(numpy.floor(units), count=300), golden(), layers=4)
        self.differs("of bound 7.2e-07", "f32 steps", moved(numpy.floor(units) + 2), golden(), layers=4)
        self.differs("in logits", "f32 steps", moved(numpy.floor(units)), golden(), layers=1)

    def test_what_is_not_a_number_never_holds(self):
        values = numpy.linspace(-2, 2, 300).reshape(1, 3, 100)
        for wrong in (numpy.nan, numpy.inf):
            values[0, 1, 5] = wrong
            for rule in ("rounded", "f32 steps"):
                self.differs("not a number", rule, golden(logits=("F32", values)), golden(), layers=10**9)

    def test_whole_numbers_are_exact(self):
        ids = numpy.array([[5, 6, 8]])
        for rule in ("rounded", "f32 steps"):
            self.differs("input_ids has other whole numbers", rule, golden(input_ids=("I64", ids)), golden(), layers=10**9)

    def test_tensors_shapes_and_types_are_exact(self):
        values = numpy.linspace(-2, 2, 300)
        self.differs("other tensors", "rounded", golden(input_ids=None), golden())
        self.differs("other tensors", "rounded", golden(more=("F32", values)), golden())
        self.differs("another type or shape", "rounded", golden(logits=("F32", values.reshape(1, 100, 3))), golden())
        self.differs("another type or shape", "rounded", golden(logits=("F64", values.reshape(1, 3, 100))), golden())

    def test_metadata_is_exact(self):
        tensors = {"x": ("F32", numpy.ones(2))}
        self.differs("other metadata", "rounded", files.encode(tensors, {"keep": "1"}), files.encode(tensors, {"keep": "2"}))

    def test_log_probabilities(self):
        def runs(*values, greedy=(1, 2), version="1"):
            text = {"torch": version, "transformers": version, "runs": [{"greedy": greedy, "logprobs": values}]}
            return json.dumps(text).encode()

        right = runs(-1.0, -4.0)
        self.holds("of bound 3.6e-07", "log-probabilities", runs(-1.0, -4.0 - 2.0**-20, version="2"), right, layers=3)
        self.differs("in logprobs", "log-probabilities", runs(-1.0, -4.0 - 2.0**-18), right, layers=3)
        self.differs("other tokens", "log-probabilities", runs(-1.0, -4.0, greedy=(1, 3)), right, layers=3)
        self.differs("", "log-probabilities", runs(-1.0), right, layers=3)


class Files(unittest.TestCase):
    def test_what_is_written_is_read(self):
        values = numpy.array([1.0, -2.5, 3e-5])
        tensors, metadata = files.decode(files.encode({"x": ("F32", values), "n": ("I64", numpy.array([7]))}, {"a": "b"}))
        self.assertEqual(metadata, {"a": "b"})
        self.assertEqual(list(tensors), ["n", "x"])  # wide types first
        self.assertTrue((tensors["x"][1] == values.astype(numpy.float32)).all())

    def test_bf16_rounds_to_the_nearest_and_to_even(self):
        step = 2.0**-7
        values = numpy.array([1 + step / 2, 1 + 3 * step / 2, 1 + step * 0.51, -(1 + step * 0.49)])
        self.assertEqual(files.stored(values, "BF16").tolist(), [1.0, 1 + 2 * step, 1 + step, -1.0])


class Record(unittest.TestCase):
    OP = "test/golden/ops/rope.safetensors"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_with(self, *arguments):
        script = pathlib.Path(__file__).resolve().with_name("record.py")
        return subprocess.run([sys.executable, str(script), *map(str, arguments)], capture_output=True, text=True, check=False)

    def test_writes_what_the_tree_has_and_nothing_else(self):
        done = self.run_with("--write", self.folder, "ops/rope.")
        self.assertEqual((done.returncode, done.stdout), (0, f"{self.OP}\n"), done.stderr)
        self.assertEqual([path for path in self.folder.rglob("*") if path.is_file()], [self.folder / self.OP])
        self.assertEqual((self.folder / self.OP).read_bytes(), (manifest.ROOT / self.OP).read_bytes())

    def test_finds_a_changed_value_in_another_tree(self):
        for path in (self.OP, manifest.MANIFEST):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(manifest.ROOT / path, self.folder / path)
        self.assertEqual(self.run_with("--check", "--tree", self.folder, "ops/rope.").returncode, 0)
        content = bytearray((self.folder / self.OP).read_bytes())
        content[-2] ^= 0x10  # an upper bit of the last fraction
        (self.folder / self.OP).write_bytes(content)
        done = self.run_with("--check", "--tree", self.folder, "ops/rope.")
        self.assertEqual(done.returncode, 1)
        self.assertIn("in y: DIFFERENT", done.stdout)

    def test_refuses_names_that_it_does_not_know(self):
        done = self.run_with("--check", "no-such-golden")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "record.py: no recorded file has 'no-such-golden' in its path; --list names them\n")

    def test_fails_where_nothing_is_recorded(self):
        done = self.run_with("--check", "--packages", "requirements-triton.txt", "ops/rope.")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was recorded", done.stderr)

    def test_lists_every_recorded_file(self):
        lines = self.run_with("--list").stdout.splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], sorted(manifest.read()["files"]))


if __name__ == "__main__":
    unittest.main()
