#!/usr/bin/env python3
"""Texts of a model folder that cheems-compile takes although something is odd about them, and what it says.

    compile_texts.py BIN_DIR MODEL_DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from broken_models import edit_json, link, write


class Texts(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.root = pathlib.Path(work.name)
        self.model, self.out = self.root / "model", self.root / "out.cheems"
        shutil.copytree(MODEL, self.model, copy_function=shutil.copyfile)

    def compile(self, *arguments, folder=None):
        words = [BINS / "cheems-compile", folder or self.model, "-o", self.out, "--cpu", "x86-64-v3", "--pipeline", "scalar", *arguments]
        result = subprocess.run(words, capture_output=True, text=True, timeout=300)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        return result.stderr

    def warnings(self):
        """What is said of the texts; there is no place for the result, so this takes no time."""
        words = [BINS / "cheems-compile", self.model, "-o", self.root / "none" / "out"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=300)
        *warnings, error = result.stderr.splitlines()
        self.assertIn("/none", error)
        return warnings

    def run_model(self, *arguments):
        result = subprocess.run([BINS / "cheems-run", self.out, *arguments], capture_output=True, text=True, timeout=300)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout, result.stderr

    def test_a_chat_template_that_cannot_be_used_is_said_and_text_works(self):
        for template, said in (("{% for m in messages %}{{ m.content }}", "'{% endfor %}'"), ("{{ messages | sieve }}", "'sieve'"),
                               ("{{ conversation.first }}", "conversation"), ("{{ raise_exception('no chats') }}", "no chats")):
            edit_json("tokenizer_config.json", chat_template=template)(self.model)
            self.assertRegex("\n".join(self.warnings()), rf"^warning: .*{said}.*--chat-template-file$")
        self.compile()
        self.run_model("-p", "ROMEO:", "-n", "2")

    def test_a_chat_template_that_refuses_some_chats_is_fine(self):
        write("chat_template.jinja", b"{% if messages[0].role != 'system' %}{{ raise_exception('begin with a system prompt') }}{% endif %}{{ messages[0].content }}")(self.model)
        self.assertEqual(self.warnings(), [])

    def test_a_tokenizer_in_another_format_is_said(self):
        (self.model / "tokenizer.json").rename(self.model / "tokenizer.model")
        self.assertRegex("\n".join(self.warnings()), r"^warning: .* has tokenizer\.model and no tokenizer\.json, so the model takes token ids alone; .*$")
        (self.model / "tokenizer.model").unlink()
        self.assertEqual(self.warnings(), [])

    def test_minus_one_ends_no_text(self):
        (self.model / "generation_config.json").write_text(json.dumps({"eos_token_id": -1, "top_k": 5.0, "top_p": 0, "do_sample": True}))
        self.assertEqual(self.compile(), "")
        out, err = self.run_model("--prompt-ids", "1", "-n", "40", "--print-ids")
        self.assertEqual(out.count(","), 39)
        self.assertIn("no token ends a text", err)

    def test_links_to_elsewhere_are_taken_if_asked_for(self):
        (self.root / "elsewhere").write_text("{{ 'from elsewhere' }}")
        link("chat_template.jinja", "../elsewhere")(self.model)
        self.compile("--allow-links")
        self.assertIn(b"from elsewhere", self.out.read_bytes())

    def test_a_snapshot_of_hugging_faces_cache_compiles(self):
        snapshot, blobs = self.root / "hub/models--a--b/snapshots/0a", self.root / "hub/models--a--b/blobs"
        snapshot.mkdir(parents=True)
        blobs.mkdir()
        for number, path in enumerate(self.model.iterdir()):
            path.rename(blobs / str(number))
            (snapshot / path.name).symlink_to(f"../../blobs/{number}")
        self.assertEqual(self.compile(folder=snapshot), "")
        for folder in ("hub", "hub/models--a--b", "hub/models--a--b/snapshots/"):
            result = subprocess.run([BINS / "cheems-compile", self.root / folder, "-o", self.out], capture_output=True, text=True, timeout=300)
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, rf"^cheems-compile: [^\n]* Hugging Face's cache[^\n]*give {snapshot}\n$")


BINS, MODEL = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
unittest.main(argv=sys.argv[:1])
