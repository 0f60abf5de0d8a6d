#!/usr/bin/env python3
"""A run that was stopped and goes on prints what one that never stopped prints.

    run_state.py CHEEMS_RUN WRITE_TALKING_ARTIFACT
    run_state.py CHEEMS_RUN --compile CHEEMS_COMPILE FOLDER...

The first form drives the stand-in whose next token is a hash of the tokens before; the second, compiled models.
"""
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SAMPLED = ["--temp", 0.9, "--top-k", 12, "--repeat-penalty", 1.3, "-s", 11]


def run_tool(*arguments, stdin=b"", code=0):
    result = subprocess.run([str(word) for word in (RUNNER, *arguments)], input=stdin, capture_output=True, timeout=300)
    if result.returncode != code:
        raise AssertionError(f"{arguments}: {result.returncode}, not {code}: {result.stderr.decode()}")
    return result.stdout, result.stderr.decode()


class State(unittest.TestCase):
    def setUp(self):
        self.state = FOLDER / "state.bin"
        self.state.unlink(missing_ok=True)

    def run_model(self, model, *arguments, **keywords):
        return run_tool(model, *arguments, **keywords)[0]

    def refusal(self, *arguments, code):
        out, err = run_tool(*arguments, code=code)
        self.assertEqual(out, b"")
        self.assertEqual(err.count("\n"), 1, err)
        self.assertTrue(err.startswith("cheems-run: "), err)
        return err


class SameTokens(State):
    def test_stopped_anywhere_the_tokens_are_those_of_one_run(self):
        for model in MODELS:
            for flags in (["--temp", 0], SAMPLED):
                flags = [*flags, "--ignore-eos", "--print-ids"]
                whole = self.run_model(model, "--prompt-ids", "4,5,6,3", "-n", 16, *flags).decode().strip().split(",")
                for first in (0, 1, 8, 16):
                    out = self.run_model(model, "--prompt-ids", "4,5,6,3", "-n", first, "--save-state", self.state, *flags)
                    rest = self.run_model(model, "--load-state", self.state, "-n", 16 - first, *flags)
                    both = [token for part in (out, rest) for token in part.decode().strip().split(",") if token]
                    self.assertEqual(both, whole, f"{model} {flags} {first}")

    def test_a_file_is_loaded_and_saved_again_and_again(self):
        for model in MODELS:
            for flags in (["--temp", 0], SAMPLED):
                whole = self.run_model(model, "-p", "ab", "-n", 30, "--ignore-eos", *flags)
                parts = self.run_model(model, "-p", "ab", "-n", 5, "--ignore-eos", "--save-state", self.state, *flags)
                for _ in range(5):  # the seed's sequence goes on without being named again, too
                    again = [word for word in flags if word not in ("-s", 11)]
                    parts += self.run_model(model, "--load-state", self.state, "-n", 5, "--ignore-eos",
                                            "--save-state", self.state, *again)
                parts += self.run_model(model, "--load-state", self.state, "-n", 0)
                self.assertEqual(parts.decode(errors="replace"), whole.decode(errors="replace")[: len(parts.decode(errors="replace"))])
                self.assertLessEqual(len(whole) - len(parts), 3)  # a character that was not yet whole

    def test_threads_and_context_may_change(self):
        for model in MODELS:
            flags = ["--temp", 0, "--ignore-eos", "--print-ids"]
            whole = self.run_model(model, "--prompt-ids", "4,5,6", "-n", 12, *flags).decode().strip().split(",")
            self.run_model(model, "--prompt-ids", "4,5,6", "-n", 6, "-t", 1, "--save-state", self.state, *flags)
            for change in (["-t", 2], ["-c", 15], ["-c", 100], ["--prefill-chunk", 1]):
                rest = self.run_model(model, "--load-state", self.state, "-n", 6, *change, *flags)
                self.assertEqual(rest.decode().strip().split(","), whole[6:], change)
            err = self.refusal(model, "--load-state", self.state, "-n", 1, "-c", 7, code=1)
            self.assertIn("holds 8 tokens, more than the context of 7", err)

    def test_a_prompt_is_fed_after_the_state(self):
        for model in MODELS:
            flags = ["--temp", 0, "--ignore-eos", "--print-ids"]
            answer = self.run_model(model, "--prompt-ids", "4,5", "-n", 3, "--save-state", self.state, *flags).decode().strip()
            whole = self.run_model(model, "--prompt-ids", f"4,5,{answer},7,8,9", "-n", 6, *flags)
            self.assertEqual(self.run_model(model, "--load-state", self.state, "--prompt-ids", "7,8,9", "-n", 6, *flags), whole)
            # text gets no token that begins a text
            ids = run_tool(model, "--tokenize", "-p", "ab")[0].decode().strip()
            whole = self.run_model(model, "--prompt-ids", f"4,5,{answer},{ids}", "-n", 6, *flags)
            self.assertEqual(self.run_model(model, "--load-state", self.state, "-p", "ab", "-n", 6, *flags), whole)


class Refusals(State):
    def test_other_models_and_damage_are_refused_by_name(self):
        good = MODELS[0]
        run_tool(good, "-p", "ab", "-n", 3, "--save-state", self.state)
        for name, why in (("window.cheems", "another state layout"), ("other-weights.cheems", "other weights")):
            err = self.refusal(FOLDER / name, "--load-state", self.state, code=1)
            self.assertIn(f"{self.state}: saved by a model with {why}", err)
        bytes_ = self.state.read_bytes()
        broken = FOLDER / "broken.bin"
        for content, why in ((bytes_[:50], "truncated"), (bytes_[:-1], "truncated"), (b"", "not a cheems state file"),
                             (good.read_bytes(), "not a cheems state file"),
                             (bytes_[:-20] + b"x" + bytes_[-19:], "corrupted")):
            broken.write_bytes(content)
            self.assertIn(why, self.refusal(good, "--load-state", broken, code=1))
        self.assertIn("No such file", self.refusal(good, "--load-state", FOLDER / "absent", code=1))

    def test_what_cannot_be_used_together_is_one_usage_line(self):
        good = MODELS[0]
        for arguments in (["--tokenize", "-p", "a", "--save-state", self.state], ["--describe", "--load-state", self.state],
                          ["--chat", "-sys", "a", "--load-state", self.state], ["--save-state", self.state]):
            self.refusal(good, *arguments, code=2)
        self.assertFalse(self.state.exists())
        run_tool(good, "-p", "ab", "-n", 3, "--save-state", self.state)
        self.assertIn("without --chat", self.refusal(good, "--chat", "--load-state", self.state, code=2))
        run_tool(good, "--chat", "-p", "ab", "-n", 3, "--save-state", self.state)
        self.assertIn("saved by a chat", self.refusal(good, "--load-state", self.state, code=2))

    def test_a_place_that_cannot_be_written_is_named_before_the_work(self):
        err = self.refusal(MODELS[0], "-p", "ab", "--save-state", FOLDER / "no" / "state", code=1)
        self.assertIn("cannot write", err)
        self.refusal(MODELS[0], "-p", "ab", "--save-state", FOLDER, code=1)
        self.refusal(MODELS[0], "-p", "ab", "--save-state", "/dev/zero", code=1)


class Endings(State):
    def test_a_text_that_ended_stays_ended(self):
        good = MODELS[0]
        for start in range(2, 16):
            whole = self.run_model(good, "--prompt-ids", start, "-n", 60, "--print-ids").decode()
            ended = whole.strip().split(",")[-1] == "1"
            self.run_model(good, "--prompt-ids", start, "-n", 60, "--print-ids", "--save-state", self.state)
            out, err = run_tool(good, "--load-state", self.state, "-n", 3, "--print-ids")
            self.assertEqual("has ended" in err, ended)
            self.assertEqual(len(out.split(b",")) == 3, not ended)
            self.assertEqual(len(self.run_model(good, "--load-state", self.state, "-n", 3, "--print-ids",
                                                "--ignore-eos").split(b",")), 3)

    def test_a_full_context_is_said_again(self):
        good = MODELS[0]
        flags = ["-c", 9, "--ignore-eos", "--print-ids"]
        run_tool(good, "--prompt-ids", "4,5,6", "--save-state", self.state, *flags)
        out, err = run_tool(good, "--load-state", self.state, *flags)
        self.assertEqual(out, b"\n")
        self.assertIn("context of 9 tokens is full", err)
        err = self.refusal(good, "--load-state", self.state, "--prompt-ids", "4", *flags, code=1)
        self.assertIn("more than the context of 9", err)
        self.refusal(good, "--prompt-ids", "4,5,6", "-c", 2, "--print-ids", code=1)

    def interrupted(self, *arguments, wait):
        process = subprocess.Popen([str(word) for word in (RUNNER, *arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   bufsize=0)
        wait(process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130)
        return out

    def test_ctrl_c_keeps_what_was_generated(self):
        good, flags = MODELS[0], ["-c", 100000, "--ignore-eos", "--print-ids"]
        first = b""

        def wait(process):
            nonlocal first
            first = process.stdout.read(10)

        out = self.interrupted(good, "--prompt-ids", "4,5", "--save-state", self.state, *flags, wait=wait)
        first = (first + out).decode().strip().split(",")
        rest = self.run_model(good, "--load-state", self.state, "-n", 7, *flags).decode().strip().split(",")
        whole = self.run_model(good, "--prompt-ids", "4,5", "-n", len(first) + 7, *flags).decode().strip().split(",")
        self.assertEqual(first + rest, whole)

    def test_ctrl_c_keeps_what_was_fed(self):
        # the stand-in reads all it was fed for each token: a long prompt takes its time
        good, count = MODELS[0], 30000
        (FOLDER / "long").write_text(",".join(str(random.Random(i).randrange(16)) for i in range(count)))
        flags = ["-c", 100000, "--ignore-eos", "--print-ids", "-n", 4]
        prompt = ["--prompt-ids", f"@{FOLDER / 'long'}", "--prefill-chunk", 64]
        self.interrupted(good, *prompt, "--save-state", self.state, *flags, wait=lambda process: time.sleep(0.15))
        self.assertTrue(self.state.exists())
        rest = self.run_model(good, "--load-state", self.state, *flags)
        self.assertEqual(rest, self.run_model(good, *prompt, *flags))

    def into_a_full_disk(self, *arguments, **keywords):
        """Returns what a run writes whose output cannot be written: its lines on standard error."""
        with open("/dev/full", "wb") as full:
            result = subprocess.run([str(word) for word in (RUNNER, *arguments)], stdin=subprocess.DEVNULL, stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=120, **keywords)
        self.assertEqual(result.returncode, 1, result.stderr)
        return result.stderr.splitlines()

    def test_an_output_that_cannot_be_written_keeps_what_was_generated(self):
        good, flags = MODELS[0], ["--ignore-eos", "--print-ids"]
        lines = self.into_a_full_disk(good, "--prompt-ids", "4,5", "-n", 8, "--save-state", self.state, *flags)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("cannot write the output", lines[0])
        whole = self.run_model(good, "--prompt-ids", "4,5", "-n", 8, *flags).decode().strip().split(",")
        rest = self.run_model(good, "--load-state", self.state, "-n", 7, *flags).decode().strip().split(",")
        self.assertEqual(rest, whole[1:])  # the first one is known, though nobody saw it

    def test_a_state_that_cannot_be_written_either_hides_nothing(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

        lines = self.into_a_full_disk(MODELS[0], "--prompt-ids", "4,5", "-n", 8, "--save-state", self.state, "--print-ids",
                                      preexec_fn=limit)
        self.assertEqual(len(lines), 2, lines)
        self.assertIn(f"cannot write {self.state}", lines[0])
        self.assertIn("cannot write the output", lines[1])
        self.assertFalse(self.state.exists())

    def test_a_million_ids_are_read_and_fed(self):
        # through the stand-in that keeps eight tokens
        (FOLDER / "million").write_text("\n".join(str(i % 13) for i in range(1_000_000)))
        flags = ["-c", 2_000_000, "-n", 4, "--ignore-eos", "--print-ids"]
        start = time.time()
        out, err = run_tool(FOLDER / "window.cheems", "--prompt-ids", f"@{FOLDER / 'million'}", "--save-state", self.state, *flags)
        self.assertIn("prompt: 1000000 tokens", err)
        self.assertLess(time.time() - start, 60)  # it is a second or two
        last = ",".join(str(i % 13) for i in range(1_000_000 - 8, 1_000_000))
        self.assertEqual(out, run_tool(FOLDER / "window.cheems", "--prompt-ids", last, *flags)[0])
        self.assertLess(self.state.stat().st_size, 5_000_000)  # the ids, and eight entries
        run_tool(FOLDER / "window.cheems", "--load-state", self.state, *flags)


class Chats(State):
    def test_a_conversation_goes_on(self):
        for model in (MODELS[0], FOLDER / "window.cheems"):
            for flags in (["--temp", 0], SAMPLED):
                flags = ["--chat", "-n", 3, "--ignore-eos", *flags]
                whole = run_tool(model, *flags, "-sys", "ee", stdin=b"ab\nc\nd\ne\n")[0]
                parts = run_tool(model, *flags, "-sys", "ee", "--save-state", self.state, stdin=b"ab\nc\n")[0]
                parts += run_tool(model, *flags, "--load-state", self.state, "--save-state", self.state, stdin=b"d\n")[0]
                parts += run_tool(model, *flags, "--load-state", self.state, "-p", "e")[0]
                self.assertEqual(parts, whole)

    def test_an_earlier_conversation_stays_until_something_was_said(self):
        flags = [MODELS[0], "--chat", "-n", 3, "--ignore-eos", "--save-state", self.state]
        run_tool(*flags, stdin=b"ab\n")
        kept = self.state.read_bytes()
        for arguments in ([], ["-sys", "ee"]):
            for nothing in (b"", b"\n\n", b"\xff\n"):
                run_tool(*flags, *arguments, stdin=nothing)
                self.assertEqual(self.state.read_bytes(), kept)
        run_tool(*flags, stdin=b"c\n")
        self.assertNotEqual(self.state.read_bytes(), kept)

    def test_a_conversation_not_begun_can_be_saved(self):
        run_tool(MODELS[0], "--chat", "-n", 3, "-sys", "ee", "--save-state", self.state)
        want = run_tool(MODELS[0], "--chat", "-n", 3, "-sys", "ee", "-p", "ab")[0]
        self.assertEqual(run_tool(MODELS[0], "--chat", "-n", 3, "--load-state", self.state, "-p", "ab")[0], want)


if __name__ == "__main__":
    RUNNER = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name)
        if sys.argv[2] == "--compile":
            MODELS = []
            for model in map(pathlib.Path, sys.argv[4:]):
                MODELS.append(FOLDER / f"{model.name}.cheems")
                subprocess.run([sys.argv[3], model, "--cpu", "native", "-o", MODELS[-1]], check=True)
            tests = ["SameTokens"]
        else:
            subprocess.run([sys.argv[2], FOLDER], check=True)
            MODELS = [FOLDER / "good.cheems", FOLDER / "window.cheems"]
            tests = []
        unittest.main(argv=[sys.argv[0], *tests])
