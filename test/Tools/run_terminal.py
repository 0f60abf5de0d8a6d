#!/usr/bin/env python3
"""cheems-run on terminals, full pipes and closed files, under signals, and on a model file that is cut short: on a stand-in
model whose next token is a hash of the tokens before.

    run_terminal.py CHEEMS_RUN WRITE_TALKING_ARTIFACT
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ENDLESS = ["-c", "100000", "--ignore-eos"]


class Terminal:
    """A terminal with cheems-run on it, as its session's leader; `piped` names what is a pipe instead."""

    def __init__(self, test, *arguments, model="good.cheems", piped=(), env=None):
        try:
            self.master, slave = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts
            test.skipTest(f"no terminal to be had: {error}")
        files = {name: subprocess.PIPE if name in piped else slave for name in ("stdin", "stdout", "stderr")}
        take = lambda: fcntl.ioctl(slave, 0x540E, 0)  # TIOCSCTTY: its hang-up is ours
        self.process = subprocess.Popen([RUNNER, model, *map(str, arguments)], cwd=FOLDER, preexec_fn=take, start_new_session=True, env=env, **files)
        os.close(slave)
        self.test, self.seen = test, b""
        test.addCleanup(self.close)

    def read(self):
        """What there is; nothing at the end."""
        self.test.assertTrue(select.select([self.master], [], [], 60)[0], self.seen)
        try:
            text = os.read(self.master, 65536)
        except OSError:  # nobody has it open any more
            text = b""
        self.seen += text
        return text

    def wait_for(self, text):
        while text not in self.seen:
            self.test.assertTrue(self.read(), self.seen)

    def wait_for_answer(self):
        """Something after the warning of a long context."""
        while not re.search(rb"\n[^\n]", self.seen):
            self.test.assertTrue(self.read(), self.seen)

    def finish(self):
        while self.read():
            pass
        return self.process.wait(timeout=60)

    def hang_up(self):
        os.close(self.master)
        self.master = None
        return self.process.wait(timeout=60)

    def close(self):
        if self.master is not None:
            os.close(self.master)
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.process.stderr):
            if file:
                file.close()


class Behaviour(unittest.TestCase):
    def start(self, *arguments, model="good.cheems", **keywords):
        keywords = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **keywords}
        process = subprocess.Popen([RUNNER, model, *map(str, arguments)], cwd=FOLDER, **keywords)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def run_tool(self, *arguments, stdin=b"", **keywords):
        return subprocess.run([RUNNER, *map(str, arguments)], cwd=FOLDER, input=stdin, capture_output=True, timeout=120, **keywords)

    # ---- signals

    def test_a_signal_to_end_ends_a_chat_that_asks(self):
        for sent, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            terminal = Terminal(self, "--chat", "-n", 3)
            terminal.wait_for(b"> ")
            terminal.process.send_signal(sent)
            self.assertEqual(terminal.finish(), code)
            self.assertNotIn(b"again", terminal.seen)

    def test_a_signal_to_end_ends_a_chat_that_answers(self):
        terminal = Terminal(self, "--chat", "-p", "ab", "--save-state", "chat.state", *ENDLESS)
        terminal.wait_for_answer()
        os.unlink(FOLDER / "chat.state")
        terminal.process.send_signal(signal.SIGTERM)
        self.assertEqual(terminal.finish(), 143)
        self.assertNotIn(b"> ", terminal.seen)
        self.assertTrue((FOLDER / "chat.state").exists())

    def test_a_chat_whose_answer_nobody_reads_saves_its_state(self):
        terminal = Terminal(self, "--chat", "-p", "ab", "--save-state", "unread.state", *ENDLESS)
        terminal.wait_for_answer()
        before = (FOLDER / "unread.state").stat().st_size
        time.sleep(0.5)  # until the terminal holds no more
        terminal.process.send_signal(signal.SIGTERM)
        self.assertEqual(terminal.finish(), 143)
        self.assertGreater((FOLDER / "unread.state").stat().st_size, before)

    def test_a_terminal_that_hangs_up_ends_it_and_the_state_is_saved(self):
        terminal = Terminal(self, "-p", "ab", "--save-state", "gone.state", *ENDLESS)
        terminal.wait_for_answer()
        self.assertEqual(terminal.hang_up(), 129)
        again = self.run_tool("good.cheems", "--load-state", "gone.state", "-c", 100000, "-n", 5, "--ignore-eos", "--print-ids")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_exit_codes_tell_the_signal(self):
        for sent, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = self.start("-p", "a", "--print-ids", *ENDLESS)
            process.stdout.read(10)
            process.send_signal(sent)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)
            self.assertIn(b"generated: ", err)

    def test_term_and_hang_up_at_once_still_save(self):
        process = self.start("-p", "a", "--save-state", "both.state", "--print-ids", *ENDLESS)
        process.stdout.read(10)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (129, 143))  # which of two is seen first is not said
        self.assertTrue((FOLDER / "both.state").exists())

    def test_a_pipe_without_a_writer_can_be_interrupted(self):
        os.mkfifo(FOLDER / "fifo")
        for name in ("fifo", "-"):
            reading, writing = os.pipe()
            process = self.start("-f", name, stdin=reading)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out, err), (130, b"", b"cheems-run: interrupted\n"))
            os.close(reading)
            os.close(writing)

    def test_a_signal_as_a_compile_begins_is_not_lost(self):
        bins, model, cache = FOLDER / "bins", FOLDER / "model", FOLDER / "cache"
        bins.mkdir()
        model.mkdir()
        (model / "config.json").write_text("{}")
        shutil.copy(RUNNER, bins / "cheems-run")
        compiler = bins / "cheems-compile"
        compiler.write_text("#!/bin/sh\nkill -TERM $PPID\nexec sleep 20\n")
        compiler.chmod(0o755)
        began = time.monotonic()
        result = subprocess.run([bins / "cheems-run", model, "-p", "a"], env={**os.environ, "XDG_CACHE_HOME": str(cache)},
                                capture_output=True, timeout=60)
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual((result.returncode, result.stderr.splitlines()[-1]), (143, b"cheems-run: interrupted"))
        self.assertEqual(list((cache / "cheems").glob("*.cheems")), [])

    # ---- chats

    def test_a_chat_drops_what_it_cannot_take_and_goes_on(self):
        good = self.run_tool("good.cheems", "--chat", "-n", 3, "--ignore-eos", stdin=b"ab\nc\n")
        for bad, reason in ((b"\xff", b"byte 0"), (b"a" * 300, b"context of 256")):
            result = self.run_tool("good.cheems", "--chat", "-n", 3, "--ignore-eos", stdin=b"ab\n" + bad + b"\nc\n")
            self.assertEqual((result.returncode, result.stdout), (0, good.stdout), result.stderr)
            dropped, statistics = result.stderr.splitlines()
            self.assertRegex(dropped, b"dropped: .*" + reason)
            self.assertIn(b"generated: 6 tokens", statistics)

    def test_a_line_as_long_as_a_book_takes_no_longer_than_its_bytes(self):
        began = time.monotonic()
        result = self.run_tool("good.cheems", "--chat", stdin=b"\xff" * (32 << 20))
        self.assertIn(b"dropped", result.stderr)
        self.assertLess(time.monotonic() - began, 30)  # thousands of searches of it all took minutes

    def test_lines_are_edited_and_come_back_from_the_history(self):
        home = FOLDER / "home"
        home.mkdir(exist_ok=True)
        environment = {**os.environ, "HOME": str(home), "TERM": "xterm", "NO_COLOR": "1"}
        environment.pop("XDG_STATE_HOME", None)
        good = self.run_tool("good.cheems", "--chat", "-n", 3, "--ignore-eos", stdin=b"abc\nabc\n").stdout
        for keys in (b"ac\x1b[Db\n", b"\x1b[A\n"):  # a step to the left; up, in another process
            terminal = Terminal(self, "--chat", "-n", 3, "--ignore-eos", env=environment)
            terminal.wait_for(b"> ")
            os.write(terminal.master, keys)
            terminal.wait_for(good.splitlines()[0])
            os.write(terminal.master, b"\x04")
            self.assertEqual(terminal.finish(), 0)
            self.assertNotIn(b"\x1b[1;32m", terminal.seen)
        history = home / ".local/state/cheems/history"
        self.assertIn("abc", history.read_text())
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)

    def test_an_end_typed_during_an_answer_ends_the_chat_after_it(self):
        terminal = Terminal(self, "--chat", "-n", 200, "--ignore-eos", "--no-history", env={**os.environ, "TERM": "xterm"})
        terminal.wait_for(b"> ")
        os.write(terminal.master, b"ab\n")
        terminal.wait_for(b"ab\r\n")  # the terminal is no longer the editor's
        os.write(terminal.master, b"\x04")
        self.assertEqual(terminal.finish(), 0)

    def test_what_is_typed_stands_out_on_a_terminal(self):
        for options, colored in (([], True), (["--color", "never"], False)):
            terminal = Terminal(self, "--chat", "--no-history", *options, env={**os.environ, "TERM": "xterm"})
            terminal.wait_for(b"> ")
            os.write(terminal.master, b"\x04")
            self.assertEqual(terminal.finish(), 0)
            self.assertEqual(b"\x1b[1;32m> " in terminal.seen, colored)

    def test_the_end_of_a_chat_ends_its_line(self):
        terminal = Terminal(self, "--chat", "-n", 3)
        terminal.wait_for(b"> ")
        os.write(terminal.master, b"\x04")
        self.assertEqual(terminal.finish(), 0)
        self.assertRegex(terminal.seen, rb"> (\^D)?\r\n(\x1b\[0m)?cheems-run: prompt: ")

    # ---- standard files

    def test_a_full_pipe_that_does_not_block_loses_nothing(self):
        words = ["--prompt-ids", "4", "-n", 4000, "-c", 5000, "--ignore-eos", "--print-ids"]
        whole = self.run_tool("good.cheems", *words).stdout
        reading, writing = os.pipe()
        fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ
        os.set_blocking(writing, False)
        self.assertGreater(len(whole), 2 * fcntl.fcntl(writing, 1032))
        process = self.start(*words, stdout=writing)
        os.close(writing)
        time.sleep(0.5)
        with os.fdopen(reading, "rb") as pipe:
            self.assertEqual(pipe.read(), whole)
        err = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 0, err)

    def test_where_nobody_reads_it_can_be_ended(self):
        for blocking in (True, False):
            reading, writing = os.pipe()
            fcntl.fcntl(writing, 1031, 4096)
            os.set_blocking(writing, blocking)
            process = self.start("-p", "a", "--print-ids", "--save-state", "stuck.state", *ENDLESS, stdout=writing)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 143)
            os.unlink(FOLDER / "stuck.state")
            os.close(reading)
            os.close(writing)

    def test_a_text_too_long_for_a_pipe_can_be_ended(self):
        (FOLDER / "book").write_text("ab c\n" * 20_000)
        for sent, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            reading, writing = os.pipe()
            process = self.start("--tokenize", "-f", "book", stdout=writing)
            os.close(writing)
            self.assertTrue(select.select([reading], [], [], 60)[0])
            time.sleep(0.3)  # until the pipe is full
            process.send_signal(sent)
            _, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err), (code, b""))
            os.close(reading)

    def test_a_text_longer_than_a_pipe_is_written_whole(self):
        (FOLDER / "book").write_text("ab c\n" * 20_000)
        ids = self.run_tool("good.cheems", "--tokenize", "-f", "book").stdout
        one = self.run_tool("good.cheems", "--tokenize", "-p", "ab c\n").stdout
        self.assertEqual(ids, b",".join([one.strip()] * 20_000) + b"\n")

    def test_files_opened_later_never_stand_in_for_closed_ones(self):
        for closed, arguments, reason in ((0, ["-f", "-"], b"cannot read standard input"),
                                          (1, ["-p", "ab", "-n", 20, "--save-state", "whole.state"], b"cannot write the output")):
            result = self.run_tool("good.cheems", *arguments, stdin=None, preexec_fn=lambda: os.close(closed))
            self.assertEqual((result.returncode, result.stdout), (1, b""), result.stderr)
            self.assertIn(reason, result.stderr)

    def test_help_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([RUNNER, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (1, 1))

    # ---- control characters

    def test_control_characters_reach_pipes_and_no_terminal(self):
        def both(*arguments):
            piped = self.run_tool("controls.cheems", *arguments).stdout
            terminal = Terminal(self, *arguments, model="controls.cheems", piped=("stdin", "stderr"))
            self.assertEqual(terminal.finish(), 0)
            return piped.decode(), terminal.seen.decode().replace("\r\n", "\n")

        piped, shown = both("--detokenize", "4,8,5,6,8,7,11")
        self.assertEqual((piped, shown), ("\x1be\x9be\r\n", "\ufffde\ufffde\ufffd\n\n"))
        piped, shown = both("--prompt-ids", 9, "-n", 200, "--ignore-eos")  # tokens of half a character
        self.assertTrue("\x1b" in piped and "\x9b" in piped, piped)
        self.assertEqual(shown, "".join(c if c == "\n" or c.isprintable() else "\ufffd" for c in piped) + "\n")
        piped, shown = both("--describe")
        self.assertIn("\x9b31m\x7f", piped)
        self.assertIn("\ufffd31m\ufffd", shown)

    def test_messages_have_no_control_characters(self):
        result = self.run_tool("no\x1b[31m\u009bsuch\n.cheems", "-p", "a")
        self.assertEqual(result.stderr.decode(), "cheems-run: cannot open 'no [31m such .cheems': No such file or directory\n")

    # ---- a model file that is cut short

    def test_a_model_cut_short_is_one_line(self):
        for size in (0, 8192):
            shutil.copy(FOLDER / "good.cheems", FOLDER / "short.cheems")
            process = self.start("-p", "a", "--print-ids", "-t", 2, *ENDLESS, model="short.cheems")
            process.stdout.read(10)
            os.truncate(FOLDER / "short.cheems", size)
            _, err = process.communicate(timeout=60)
            lines = [line for line in err.decode().splitlines() if "warning" not in line]
            self.assertEqual((process.returncode, len(lines)), (1, 1), lines)
            self.assertRegex(lines[0], "^cheems-run: short.cheems: .*renam")

    def test_any_other_bus_error_ends_it_as_ever(self):
        process = self.start("-p", "a", "--print-ids", *ENDLESS)
        process.stdout.read(10)
        process.send_signal(signal.SIGBUS)
        _, err = process.communicate(timeout=60)
        self.assertNotIn(b"renam", err)
        if b"Sanitizer" not in err:  # which takes it for itself
            self.assertEqual(process.returncode, -signal.SIGBUS)


if __name__ == "__main__":
    RUNNER, WRITER = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name).resolve()
        subprocess.run([WRITER, FOLDER], check=True)
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
