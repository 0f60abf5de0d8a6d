#!/usr/bin/env python3
"""What cheems-run prints where, on a stand-in model whose next token is a hash of the tokens before.

    run_behaviour.py CHEEMS_RUN WRITE_TALKING_ARTIFACT
"""
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

STATISTICS = r"prompt: \d+ tokens?, [\d.]+ tokens/s; generated: \d+ tokens?, [\d.]+ tokens/s(; seed \d+)?"


def following(tokens, count):
    """The tokens that the stand-in says come next."""
    tokens, start = list(tokens), len(tokens)
    while len(tokens) < start + count:
        value = 0
        for token in tokens:
            value = (value * 31 + token + 1) % 65521
        tokens.append(value % 16)
    return tokens[start:]


class Behaviour(unittest.TestCase):
    def run_tool(self, *arguments, stdin=b"", code=0, **keywords):
        words = [RUNNER, FOLDER / "good.cheems", *arguments]
        result = subprocess.run([str(word) for word in words], input=stdin, capture_output=True, timeout=120, **keywords)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout, result.stderr.decode()

    def test_ids_are_used_as_given_and_only_new_ones_printed(self):
        for chunk in ([], ["--prefill-chunk", 2], ["-t", 1], ["-t", 2]):
            out, err = self.run_tool("--prompt-ids", "4,5,6", "-n", 10, "--ignore-eos", "--print-ids", *chunk)
            self.assertEqual(out.decode(), ",".join(map(str, following([4, 5, 6], 10))) + "\n")
            self.assertRegex(err.splitlines()[-1], STATISTICS + "$")
            self.assertIn("prompt: 3 tokens", err)
            self.assertIn("generated: 10 tokens", err)

    def test_text_prompts_get_the_first_token(self):
        out, _ = self.run_tool("-p", "ab c", "-n", 10, "--ignore-eos", "--print-ids")
        self.assertEqual(out.decode(), ",".join(map(str, following([0, 15, 10, 6], 10))) + "\n")

    def test_biases_and_penalties_choose_other_tokens(self):
        prompt, greedy = ["--prompt-ids", "4,5,6", "-n", 1, "--ignore-eos", "--print-ids", "--temp", 0], following([4, 5, 6], 1)[0]

        def chosen(*options):
            return int(self.run_tool(*prompt, *options)[0])

        self.assertEqual(chosen(), greedy)
        self.assertNotEqual(chosen("--logit-bias", f"{greedy}-inf"), greedy)
        self.assertEqual(chosen("-l", "3+1000", "-l", "2+999"), 3)
        self.assertEqual(chosen("-l", "5+1000", "-l", "3+999", "--presence-penalty", 2), 3)
        self.assertEqual(chosen("-l", "5+1000", "-l", "3+999", "--frequency-penalty", 2), 3)
        self.assertEqual(chosen("-l", "5+1000", "-l", "3+999", "--presence-penalty", 2, "--repeat-last-n", 1), 5)
        self.assertEqual(chosen("-l", "5+1000", "-l", "3+999", "--presence-penalty", 2, "--repeat-last-n", 0), 5)

    def test_an_empty_prompt_is_the_first_token(self):
        for arguments in (["-p", ""], ["-f", "-"], ["-f", "/dev/null"]):
            out, _ = self.run_tool(*arguments, "-n", 5, "--ignore-eos", "--print-ids")
            self.assertEqual(out.decode(), ",".join(map(str, following([0], 5))) + "\n")

    def test_files_and_stdin_are_taken_byte_for_byte(self):
        path = FOLDER / "prompt.txt"
        path.write_bytes(b"ab\nc\n")
        expected = b"15,11,6,11\n"
        self.assertEqual(self.run_tool("--tokenize", "-f", path)[0], expected)
        self.assertEqual(self.run_tool("--tokenize", "-f", "-", stdin=b"ab\nc\n")[0], expected)
        self.assertEqual(self.run_tool("--tokenize", "-p", "ab\nc\n")[0], expected)

    def test_a_byte_order_mark_in_front_of_a_text_is_dropped(self):
        mark, path = b"\xef\xbb\xbf", FOLDER / "marked.txt"
        for options, text in ((["--tokenize", "-f"], b"ab"), (["--prompt-ids", "1", "-n", "3", "--grammar-file"], b'root ::= "a"\r\n'),
                              (["--chat", "-p", "a", "-n", "3", "--chat-template-file"], b"{{ messages[0].content }}")):
            path.write_bytes(text)
            plain = self.run_tool(*options, path)[0]
            path.write_bytes(mark + text)
            self.assertEqual(self.run_tool(*options, path)[0], plain, options)
        path.write_bytes(mark + b"4,5\r\n")
        self.assertEqual(self.run_tool("--detokenize", f"@{path}")[0], b"ab")
        path.write_bytes(mark + b'{"type": "sieve"}')
        self.assertIn("at #/type", self.run_tool("-p", "a", "--json-schema-file", path, code=2)[1])

    def test_lines_of_a_chat_may_end_as_on_windows(self):
        for text in ("ab\nc\n", "ab\n/regen\n/exit\nc\n", "a\\\nb\n", "/system d\nab\nc"):
            for other in (text.replace("\n", "\r\n"), "\ufeff" + text, "\ufeff" + text.replace("\n", "\r\n")):
                self.assertEqual(self.chat(other)[0], self.chat(text)[0], other)
        self.assertNotIn("no command", self.chat("\ufeff/help\r\n/exit\r\n")[1])

    def test_detokenize_shows_special_tokens(self):
        self.assertEqual(self.run_tool("--detokenize", "0,15,12,13,13,1")[0], "<bos>ab\uff7d<eos>".encode())

    def test_end_of_text_stops_unless_ignored(self):
        for start in range(2, 16):  # every prompt of one token, whatever it leads to
            ids = following([start], 40)
            expected = ids[: ids.index(1) + 1] if 1 in ids else ids
            out, _ = self.run_tool("--prompt-ids", start, "-n", 40, "--print-ids")
            self.assertEqual(out.decode(), ",".join(map(str, expected)) + "\n")

    def test_a_full_context_ends_clearly(self):
        out, err = self.run_tool("--prompt-ids", "4,5,6", "-c", 9, "--ignore-eos", "--print-ids")
        self.assertEqual(len(out.decode().split(",")), 6)
        self.assertIn("context of 9 tokens is full", err)

    def test_flags_may_have_dashes_after_and_llama_names(self):
        short = self.run_tool("-p", "-a", "-n", 5, "--ignore-eos", "--temp", 0, "-c", 64)[0]
        long = self.run_tool("--prompt", "-a", "--n-predict", 5, "--ignore-eos", "--temp", 0, "--ctx-size", 64, "--threads", 1)[0]
        self.assertEqual(short, long)

    def test_the_same_seed_is_the_same_text(self):
        def sample(*seed):
            return self.run_tool("-p", "a", "-n", 40, "--ignore-eos", "--temp", 5, "--print-ids", *seed)

        self.assertEqual(sample("-s", 7)[0], sample("--seed", 7)[0])
        self.assertNotEqual(sample("-s", 7)[0], sample("-s", 8)[0])
        out, err = sample()
        seed = re.search(r"seed (\d+)$", err).group(1)
        self.assertEqual(sample("-s", seed)[0], out)

    def test_logits_of_a_file(self):
        header = json.dumps({"input_ids": {"dtype": "I64", "shape": [2, 3], "data_offsets": [0, 48]}}).encode()
        (FOLDER / "in.st").write_bytes(struct.pack("<Q", len(header)) + header + struct.pack("<6q", 0, 4, 5, 9, 9, 9))
        for chunk in ([], ["--prefill-chunk", 2]):
            out, err = self.run_tool("--input-ids", FOLDER / "in.st", "--logits", FOLDER / "out.st", *chunk)
            self.assertEqual((out, err), (b"", ""))
            raw = (FOLDER / "out.st").read_bytes()
            size = struct.unpack("<Q", raw[:8])[0]
            self.assertEqual(json.loads(raw[8 : 8 + size])["logits"]["shape"], [2, 3, 16])
            values = struct.unpack(f"<{2 * 3 * 16}f", raw[8 + size :])
            best = [max(range(16), key=lambda v: values[row * 16 + v]) for row in range(6)]
            rows = [[0], [0, 4], [0, 4, 5], [9], [9, 9], [9, 9, 9]]
            self.assertEqual(best, [following(row, 1)[0] for row in rows])

    def test_describe_and_verify(self):
        self.assertEqual(json.loads(self.run_tool("--describe=json")[0])["model_type"], "fake")
        self.assertEqual(self.run_tool("--verify")[0], b"")
        summary = self.run_tool("--describe")[0].decode()
        self.assertLessEqual(len(summary.splitlines()), 24)
        for line in (r"model +fake, .*good\.cheems", r"layers +1$", r"parameters +not recorded", r"tokenizer +yes, \d+ tokens", r"chat template +yes",
                     r"variants +only \(chosen here\)", r"compiled by +cheems 0\.1\.0 test"):
            self.assertRegex(summary, rf"(?m)^{line}")
        full = self.run_tool("--describe=full")[0].decode()
        self.assertTrue(full.startswith(summary))
        self.assertRegex(full, r'(?m)^parameters:\n  \{.*"name":"w",')

    def test_a_model_that_lacks_or_cannot_use_something_is_described(self):
        for name, line in (("mute", "tokenizer +no"), ("no-template", "chat template +no"), ("bad-tokenizer", "tokenizer +cannot be used: "),
                           ("bad-template", "chat template +cannot be used: "), ("bad-generation", "tokenizer +cannot be used: ")):
            result = subprocess.run([str(RUNNER), "--describe", str(FOLDER / f"{name}.cheems")], capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, rf"(?m)^{line}")

    def test_a_reader_that_leaves_is_no_error(self):
        for ignored in (False, True):
            process = subprocess.Popen(
                [RUNNER, FOLDER / "good.cheems", "-p", "a", "-c", "100000", "--ignore-eos", "--print-ids"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=not ignored)
            process.stdout.read(10)
            process.stdout.close()
            err = process.stderr.read().decode()
            process.stderr.close()
            self.assertEqual(process.wait(timeout=60), 0)
            self.assertEqual([line for line in err.splitlines() if "warning" not in line], [])

    def test_ctrl_c_ends_with_130(self):
        process = subprocess.Popen(
            [RUNNER, FOLDER / "good.cheems", "-p", "a", "-c", "100000", "--ignore-eos", "--print-ids"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertRegex(err.decode().splitlines()[-1], STATISTICS)

    def test_chat_answers_a_line_at_a_time(self):
        out, err = self.run_tool("--chat", "-n", 3, "--ignore-eos", stdin=b"ab\n\nc\n")
        answer = [token for token in following([0, 2, 15, 3], 3) if token > 3]  # special ones have no text
        shown = self.run_tool("--detokenize", ",".join(map(str, answer)))[0] if answer else b""
        self.assertTrue(out.startswith(shown + b"\n"), out)
        self.assertRegex(err.splitlines()[-1], STATISTICS)
        self.assertIn("generated: 6 tokens", err)
        self.assertNotIn("> ", err)
        first = self.run_tool("-cnv", "-n", 3, "--ignore-eos", "-p", "ab", stdin=b"c\n")[0]
        self.assertEqual(out, first)
        system = self.run_tool("-i", "-n", 3, "--ignore-eos", "-sys", "ee", stdin=b"ab\n")[1]
        self.assertIn("prompt: 7 tokens", system)

    def chat(self, text, *options):
        return self.run_tool("--chat", "-n", 3, "--ignore-eos", *options, stdin=text.encode())

    def test_chat_commands_change_the_conversation(self):
        plain, _ = self.chat("ab\nc\n")
        ab, c = plain.split(b"\n")[:2]
        alone, _ = self.chat("c\n")
        self.assertNotEqual(alone, c + b"\n")
        for text, answers in (("ab\n/clear\nc\n", ab + b"\n" + alone), ("ab\n/undo\nc\n", ab + b"\n" + alone),
                              ("ab\n/regen\nc\n", ab + b"\n" + plain), ("/system d\n/system\nab\n", ab + b"\n"),
                              ("a\\\nb\n", self.chat("a\\\nb\n")[0]), ("ab\n/exit\nc\n", ab + b"\n")):
            self.assertEqual(self.chat(text)[0], answers, text)
        self.assertNotEqual(self.chat("a\\\nb\n")[0], self.chat("ab\n")[0])
        self.assertEqual(self.chat("/system d\nab\n")[0], self.chat("ab\n", "--system-prompt", "d")[0])

    def test_chat_commands_save_and_load(self):
        file = FOLDER / "command.state"
        answers = self.chat("ab\nc\n")[0].splitlines()
        self.assertEqual(self.chat(f"ab\n/save {file}\n")[0].splitlines(), answers[:1])
        self.assertEqual(self.chat(f"d\n/load {file}\nc\n")[0].splitlines()[1:], answers[1:])
        out, err = self.chat(f"ab\n/load {FOLDER / 'missing'}\nc\n")
        self.assertEqual(out.splitlines(), answers)
        self.assertIn("missing", err)

    def test_chat_commands_that_are_wrong_are_said_and_skipped(self):
        plain, _ = self.chat("ab\nc\n")
        for command, said in (("/nix", "no command /nix"), ("/save", "needs the name of a file"), ("/clear all", "takes nothing"), ("/help", "/regen")):
            out, err = self.chat(f"ab\n{command}\nc\n")
            self.assertEqual(out, plain)
            self.assertIn(said, err)
        for command in ("/regen", "/undo"):
            self.assertIn("there is no message yet", self.chat(command + "\n")[1])

    def test_stop_strings_end_a_text_before_them(self):
        whole, _ = self.run_tool("-p", "ab c", "-n", 12, "--ignore-eos")
        stop = whole.decode()[4:6]
        out, _ = self.run_tool("-p", "ab c", "-n", 12, "--ignore-eos", "-r", stop, "-r", "never")
        self.assertEqual(out.decode(), whole.decode()[:whole.decode().index(stop)])
        result = json.loads(self.run_tool("-p", "ab c", "-n", 12, "--ignore-eos", "-r", stop, "--json")[0])
        self.assertEqual((result["text"], result["stop"]), (out.decode(), "stop_string"))
        self.assertEqual(result["generated_tokens"], len(result["ids"]))

    def test_json_has_what_text_has(self):
        out, _ = self.run_tool("-p", "ab c", "-n", 10, "--ignore-eos")
        result = json.loads(self.run_tool("-p", "ab c", "-n", 10, "--ignore-eos", "--json")[0])
        self.assertEqual(result["text"], out.decode())
        self.assertEqual(result["ids"], following([0, 15, 10, 6], 10))
        self.assertEqual((result["stop"], result["prompt_tokens"]), ("length", 4))
        self.assertNotIn("seed", result)

    def test_escapes_stand_for_characters(self):
        plain = self.run_tool("-p", "ab\t", "-n", 5, "--ignore-eos", "--print-ids")[0]
        self.assertEqual(self.run_tool("-e", "-p", 'a\\x62\\t', "-n", 5, "--ignore-eos", "--print-ids")[0], plain)
        self.assertNotEqual(self.run_tool("-p", 'a\\x62\\t', "-n", 5, "--ignore-eos", "--print-ids")[0], plain)

    def test_a_chat_template_of_the_users_own(self):
        template = FOLDER / "own.jinja"
        template.write_text("<bos>{% for m in messages %}{{ m.content }}<user>{% endfor %}")
        other, _ = self.chat("ab\n", "--chat-template-file", template)
        self.assertNotEqual(other, self.chat("ab\n")[0])
        template.write_text("{% for %}")
        _, err = self.run_tool("--chat", "--chat-template-file", template, code=1)
        self.assertIn("own.jinja", err)

    def test_chat_leaves_at_the_second_ctrl_c(self):
        try:
            master, slave = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        process = subprocess.Popen([RUNNER, FOLDER / "good.cheems", "--chat", "-n", "3"],
                                   stdin=slave, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        seen = b""

        def wait_for(text):
            nonlocal seen
            while text not in seen:
                self.assertTrue(select.select([master], [], [], 60)[0], seen)
                seen += os.read(master, 1000)

        wait_for(b"> ")
        process.send_signal(signal.SIGINT)
        wait_for(b"again")
        time.sleep(0.1)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        process.stdout.close()
        os.close(master)

    def test_messages_begin_a_line_where_text_goes_to_the_same_file(self):
        words = [RUNNER, FOLDER / "good.cheems", "-p", "ab c", "-n", "6", "--ignore-eos"]
        text = subprocess.run(words, capture_output=True, timeout=120).stdout
        self.assertTrue(text and not text.endswith(b"\n"), text)
        both = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120).stdout
        self.assertTrue(both.startswith(text + b"\ncheems-run: "), both)

    def test_a_long_prompt_tells_how_far_it_is_on_a_terminal_only(self):
        ids = FOLDER / "long.ids"
        ids.write_text(",".join(["4"] * 150000))  # the stand-in takes time with the square
        words = [RUNNER, FOLDER / "good.cheems", "--prompt-ids", f"@{ids}", "-c", "200000", "--prefill-chunk", "16"]
        try:
            master, slave = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        piped = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        seen, began = b"", time.monotonic()
        while b"left\x1b[?7h" not in seen:
            self.assertTrue(select.select([master], [], [], 60)[0], seen)
            seen += os.read(master, 1000)
        self.assertGreater(time.monotonic() - began, 1)
        for each in (process, piped):
            each.send_signal(signal.SIGINT)
            self.assertEqual(each.wait(timeout=60), 130)
        while b"interrupted" not in seen:
            self.assertTrue(select.select([master], [], [], 60)[0], seen)
            seen += os.read(master, 1000)
        os.close(master)
        begin = rb"\r\x1b\[K"
        line = begin + rb"\x1b\[\?7lprompt: \d+ of 150000 tokens, [\d.]+ tokens/s, (\d+ h )?(\d+ min )?(\d+ s )?left\x1b\[\?7h"  # never wrapped
        warning = rb"^cheems-run: warning: a context [^\r\n]*\r?\n"
        self.assertRegex(seen, warning + rb"\r?(" + line + rb")+" + begin + rb"cheems-run: interrupted")
        self.assertEqual(process.communicate()[0], b"")
        out, err = piped.communicate()
        self.assertEqual(out, b"")
        self.assertRegex(err, warning + rb"cheems-run: interrupted\n$")

    def test_a_folder_takes_the_compiler_beside_the_tool(self):
        bins, model, cache = FOLDER / "bins", FOLDER / "model", FOLDER / "cache"
        bins.mkdir()
        model.mkdir()
        (model / "config.json").write_text("{}")
        (bins / "cheems-run").write_bytes(RUNNER.read_bytes())
        (bins / "cheems-run").chmod(0o755)
        compiler = bins / "cheems-compile"
        compiler.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo v && exit\necho compiling >&2\ncp {FOLDER}/good.cheems "$3"\n')
        compiler.chmod(0o755)

        def run():
            return subprocess.run([bins / "cheems-run", model, "--prompt-ids", "4", "-n", "3", "--print-ids"],
                                  env={**os.environ, "XDG_CACHE_HOME": str(cache)}, capture_output=True, timeout=120)

        first, second = run(), run()
        self.assertEqual((first.returncode, first.stdout), (0, second.stdout))
        self.assertIn(b"compiling", first.stderr)
        self.assertNotIn(b"compiling", second.stderr)
        self.assertEqual(len(list((cache / "cheems").glob("*.cheems"))), 1)
        compiler.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo w && exit\necho 'model: too new' >&2\nexit 3\n")
        refused = run()
        self.assertEqual((refused.returncode, refused.stdout), (3, b""))
        self.assertRegex(refused.stderr, rb"^cheems-run: compiling [^\n]+\nmodel: too new\n$")


if __name__ == "__main__":
    RUNNER, WRITER = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name)
        subprocess.run([WRITER, FOLDER], check=True)
        unittest.main(argv=sys.argv[:1])
