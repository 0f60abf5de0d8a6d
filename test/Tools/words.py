#!/usr/bin/env python3
"""What scripts/words.py finds and what it leaves alone: words.py ROOT."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
SCRIPT = ROOT / "scripts/words.py"
spec = importlib.util.spec_from_file_location("words", SCRIPT)
words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(words)

# A text for each line of the list: a phrase that nothing here finds is no rule.
OLD = """the card | of cards | a card in software | a GPU in software | its law | matrix product | products of prompts | coded product
products with panels | product after attention | a product's | the product's loop | epilogue of a product | tables of codes
rounds rows to codes | matmul with codes | codes of 4 bits | codes and a scale | becomes codes | sum of its codes
evicted place | places of elements | places in shared memory | merges the pieces | pieces of a sequence | attention in pieces
one behind the other | behind each other | comes behind it | those behind them | begins behind | in front of the loop
kernels ahead | ahead of its use | fetched ahead | what is no number | a mask is no number. | pools that are no numbers
in other company | rooms for files | of its room""".replace("\n", " | ").split(" | ")
RIGHT = """product keys | the product of two numbers | a dot product | an exit code | machine code | error codes | pieces of text
in place of a file | what takes the place of a file | behind a proxy | ahead-of-time | the number is none | room for eight
a law of physics | a driver in front of a driver | cards.def""".replace("\n", " | ").split(" | ")


class Words(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.phrases, cls.identifiers = words.words()

    def found(self, name, source, identifiers=()):
        return [(line, old) for line, old, _ in words.findings(name, source, self.phrases, identifiers)]

    def test_each_phrase_of_the_list_is_found(self):
        silent = [pattern.pattern for pattern, _ in self.phrases if not any(pattern.search(text) for text in OLD)]
        self.assertEqual(silent, [])
        for text in OLD:
            with self.subTest(text):
                self.assertTrue(any(pattern.search(text) for pattern, _ in self.phrases))

    def test_words_that_are_right_stay(self):
        for text in RIGHT:
            with self.subTest(text):
                self.assertEqual(self.found("a.md", text), [])

    def test_comments_messages_and_pages_are_read(self):
        for name, source, line in (
            ("a.cpp", "int a;\n// Asks the\n// card.\n", 2),
            ("a.h", "/* One\n * of each card. */", 2),
            ("a.cpp", 'f("of "\n  "cards");', 1),
            ("a.cpp", 'R"(1\nthe card)"', 2),
            ("a.td", "let description = [{\n  Uses\n  the card.\n}];", 3),
            ("a.td", "let code = [{\n  /// Asks the card.\n  int card();\n}];", 2),
            ("a.mlir", "// Asks the card.\n// CHECK: the card\n", 1),
            ("a.py", '"""Asks.\n\nAsks the card."""\n', 3),
            ("a.test", "# Asks the card.\nRUN: the card\n", 1),
            ("a.md", "1\n\nAsks the\ncard.\n", 3),
        ):
            with self.subTest(source):
                self.assertEqual([at for at, _ in self.found(name, source)], [line])

    def test_code_is_not_read(self):
        for name, source in (
            ("a.cpp", "the card; // CHECK: the card\n"),
            ("a.md", "`the card`\n\n    the card\n\n```\nthe card\n```\n"),
            ("a.mlir", "// RUN: the card\n// SM90-NEXT: the card\n"),
        ):
            with self.subTest(source):
                self.assertEqual(self.found(name, source), [])

    def test_identifiers_are_found_in_whole_files_and_in_names(self):
        rule = [(words.re.compile("coded_product"), "quantized_matmul")]
        self.assertEqual(self.found("coded_product.mlir", "x\n// CHECK: coded_product\n", rule), [(1, "coded_product"), (2, "coded_product")])

    def test_comments_without_a_verb_are_found(self):
        for text in ("Of a row.", "By name; each takes a string.", "As the op has it.", "As `ring`: all stages are filled.", "Where it begins.",
                     "Where it goes, which is known;", "That of a row.", "In f32.", "In products: all of them are there."):
            with self.subTest(text):
                self.assertEqual(len(self.found("a.cpp", f"// {text}\n")), 1)

    def test_sentences_with_a_verb_stay(self):
        for text in ("Offsets of a row.", "Where it begins, nothing is read.", "As it ends, nothing is read.", "That is why.", "In f32 the sum is exact.",
                     "In each step, nothing is read."):
            with self.subTest(text):
                self.assertEqual(self.found("a.cpp", f"// {text}\n"), [])

    def test_a_comment_beside_code_is_one_of_its_own(self):
        self.assertEqual(len(self.found("a.h", "int a; ///< one\n/// Of a row.\nint b;\n")), 1)

    def test_a_finding_is_a_line_and_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.cpp"
            for text, code, line in (("// Asks the card.\n", 1, f"{path}:1: 'the card': write GPU\n"), ("// Asks the GPU.\n", 0, "")):
                path.write_text(text)
                done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (code, line))

    def test_exceptions_hold_for_a_file_or_a_folder(self):
        excuses = {("a/b.cpp", "the card"): 1, ("c", "*"): 2}
        self.assertEqual(words.excuse(excuses, "a/b.cpp", "the card"), ("a/b.cpp", "the card"))
        self.assertIsNone(words.excuse(excuses, "a/b.cpp", "each card"))
        self.assertIsNone(words.excuse(excuses, "a/c.cpp", "the card"))
        self.assertEqual(words.excuse(excuses, "c/d/e.cpp", "each card"), ("c", "*"))


if __name__ == "__main__":
    unittest.main()
