#!/usr/bin/env python3
"""A model folder given to cheems-run, and cheems-cache, with a stand-in beside them in place of cheems-compile.

    run_folder.py CHEEMS_RUN WRITE_TALKING_ARTIFACT
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COMPILER = """#!/bin/sh
[ "$1" = --version ] && echo one && exit
echo "$@" >> "{log}"
test -e "{slow}" && exec sleep 60 # one process: a signal ends all of it
cp "{artefact}" "$3"
"""


class Folder(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        root = pathlib.Path(work.name)
        self.bins, self.model, self.log, self.slow = root / "bin", root / "model", root / "log", root / "slow"
        self.bins.mkdir()
        for name in ("cheems-run", "cheems-cache"):
            if (RUNNER.parent / name).exists():
                shutil.copy(RUNNER.parent / name, self.bins / name)
        self.artefact = root / "good.cheems"
        shutil.copy(FOLDER / "good.cheems", self.artefact)
        compiler = self.bins / "cheems-compile"
        compiler.write_text(COMPILER.format(log=self.log, slow=self.slow, artefact=self.artefact))
        compiler.chmod(0o755)
        self.model.mkdir()
        (self.model / "config.json").write_text("{}")
        (self.model / "model.safetensors").write_text("weights")
        self.environment = os.environ | {"XDG_CACHE_HOME": str(root / "cache")}
        self.environment.pop("CHEEMS_CACHE_SIZE", None)
        self.cache = root / "cache" / "cheems"
        self.ids = ["--prompt-ids", "4,5", "-n", "1", "--ignore-eos", "--print-ids"]

    def words(self, tool, *arguments):
        return [str(self.bins / tool), *map(str, arguments)]

    def tool(self, tool, *arguments, code=0, **environment):
        result = subprocess.run(self.words(tool, *arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                                env=self.environment | environment)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout, result.stderr

    def run_model(self, *arguments, **keywords):
        return self.tool("cheems-run", self.model, *self.ids, *arguments, **keywords)

    def compilations(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def kept(self):
        return sorted(self.cache.glob("*.cheems"))

    def test_a_pipe_in_a_model_folder_is_refused_and_not_waited_for(self):
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            path = self.model / name
            before = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            os.mkfifo(path)
            out, err = self.run_model(code=1)
            self.assertRegex(err, rf"^cheems-run: cannot read [^\n]*{name}: not a regular file\n$")
            path.unlink()
            if before is not None:
                path.write_bytes(before)
        self.assertEqual(self.compilations(), [])

    def test_a_link_to_nothing_in_a_model_folder_is_no_absent_file(self):
        for name in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja",
                     "model.safetensors.index.json"):
            path = self.model / name
            before = path.read_bytes() if path.exists() else None
            path.unlink(missing_ok=True)
            path.symlink_to("../gone")
            out, err = self.run_model(code=1)
            self.assertRegex(err, rf"^cheems-run: cannot read [^\n]*{name}: No such file or directory\n$")
            path.unlink()
            if before is not None:
                path.write_bytes(before)
        self.assertEqual(self.compilations(), [])

    def test_the_cache_of_hugging_face_is_told_from_a_model_folder(self):
        snapshot = self.model.parent / "hub/models--a--b/snapshots/12"
        snapshot.parent.mkdir(parents=True)
        self.model.rename(snapshot)
        for folder in (snapshot.parent, snapshot.parent.parent, snapshot.parent.parent.parent):
            out, err = self.tool("cheems-run", folder, *self.ids, code=1)
            self.assertEqual(err, f"cheems-run: {folder} is a folder of Hugging Face's cache, not a model folder; give {snapshot}\n")

    def test_it_is_compiled_once_and_that_is_said(self):
        out, err = self.run_model()
        self.assertRegex(err.splitlines()[0], rf"^cheems-run: compiling {self.model} .*{self.cache}$")
        self.assertEqual(self.run_model()[0], out)
        self.assertNotIn("compiling", self.run_model()[1])
        self.assertEqual(len(self.compilations()), 1)

    def test_a_touched_folder_is_not_compiled_again(self):
        self.run_model()
        os.utime(self.model / "model.safetensors")
        os.utime(self.bins / "cheems-compile")
        self.run_model()
        self.assertEqual(len(self.compilations()), 1)
        (self.model / "model.safetensors").write_text("Weights")
        self.run_model()
        self.assertEqual(len(self.compilations()), 2)

    def test_options_of_the_compiler_are_taken_and_kept_apart(self):
        # without a word about CPUs, this CPU's code alone
        for arguments, expected in ((["--weights", "int8"], "--weights int8 --cpu native"), (["--kv", "int8"], "--kv int8 --cpu native"),
                                    (["--group-experts", 64, "--max-context", 9], "--group-experts 64 --max-context 9 --cpu native"),
                                    (["--allow-links"], "--allow-links --cpu native"),
                                    (["--compile-args", "--weights int8 --cpu portable"], "--weights int8 --cpu portable")):
            before = len(self.compilations())
            for _ in range(2):
                self.run_model(*arguments)
            self.assertEqual(len(self.compilations()), before + 1)
            self.assertTrue(self.compilations()[-1].endswith("/model.cheems " + expected), self.compilations())
        self.assertEqual(len(self.kept()), 5)
        self.run_model("--compile-args", "--weights int8")  # however it is said
        self.assertEqual(len(self.kept()), 5)

    def test_a_compiled_model_takes_none(self):
        for arguments in (["--weights", "int8"], ["--kv", "int8"], ["--allow-links"], ["--compile-args", "--cpu native"]):
            out, err = self.tool("cheems-run", self.artefact, *self.ids, *arguments, code=2)
            self.assertEqual(out, "")
            said = " ".join(arguments).removeprefix("--compile-args ")
            self.assertRegex(err, rf"^cheems-run: {self.artefact} was compiled already: {said} [^\n]*\n$")
        for arguments in (["--weights", "int2"], ["--kv", "f16"], ["--group-experts", -1], ["--max-context", 0]):
            self.assertRegex(self.run_model(*arguments, code=2)[1], r"^cheems-run: [^\n]+\n$")

    def test_the_folder_is_its_users_alone(self):
        self.run_model()
        self.assertEqual(self.cache.stat().st_mode & 0o777, 0o700)
        for mode in (0o777, 0o720):
            self.cache.chmod(mode)
            out, err = self.run_model(code=1)
            self.assertEqual(out, "")
            self.assertRegex(err, rf"^cheems-run: the cache folder {self.cache} can be written by other users[^\n]*XDG_CACHE_HOME[^\n]*\n$")

    def test_two_at_once_compile_once(self):
        self.slow.write_text("")
        processes = [self.start(), self.start()]
        lines = [process.stderr.readline() for process in processes]
        self.assertEqual(sum("another process compiles" in line for line in lines), 1, lines)
        waiting = next(process for process, line in zip(processes, lines) if "another" in line)
        self.wait_for_the_compiler()
        waiting.send_signal(signal.SIGINT)
        self.assertEqual(waiting.wait(timeout=60), 130)
        self.assertEqual(len(self.compilations()), 1)

    def wait_for_the_compiler(self):
        end = time.monotonic() + 60
        while not self.compilations() and time.monotonic() < end:
            time.sleep(0.01)

    def start(self):
        """A run, and its compiler with it, that end with the test."""
        process = subprocess.Popen(self.words("cheems-run", self.model, *self.ids), env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

        def end():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.communicate()

        self.addCleanup(end)
        return process

    def test_an_interrupted_compile_leaves_nothing(self):
        self.slow.write_text("")
        process = self.start()
        self.wait_for_the_compiler()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([path.name for path in self.cache.glob("compiling-*")] + self.kept(), [])

    def test_a_signal_while_a_model_is_had_ends_every_mode(self):
        compiler = self.bins / "cheems-compile"
        for name, code in (("INT", 130), ("TERM", 143)):
            # the compiler itself goes on to its end
            compiler.write_text(f"#!/bin/sh\ntrap '' INT TERM\nkill -{name} $PPID\ncp '{self.artefact}' \"$3\"\n")
            for number, arguments in enumerate((["--describe"], ["--tokenize", "-p", "ab"], ["--detokenize", "4,5"])):
                (self.model / "config.json").write_text(f'"{name} {number}"')  # not compiled yet
                out, err = self.tool("cheems-run", self.model, *arguments, code=code)
                self.assertEqual(out, "")
                self.assertRegex(err, r"^cheems-run: compiling [^\n]+\ncheems-run: interrupted\n$")

    def test_a_signal_to_end_ends_a_compiler_that_ignores_ctrl_c(self):
        # as one started in the background does
        (self.bins / "cheems-compile").write_text("#!/bin/sh\ntrap '' INT\nkill -TERM $PPID\nexec sleep 20\n")
        began = time.monotonic()
        _, err = self.tool("cheems-run", self.model, *self.ids, code=143)
        self.assertLess(time.monotonic() - began, 15)
        self.assertRegex(err, r"\ncheems-run: interrupted\n$")

    def test_a_compile_that_fails_is_heard_of_where_children_are_ignored(self):
        (self.bins / "cheems-compile").write_text("#!/bin/sh\necho 'model: too new' >&2\nexit 3\n")
        result = subprocess.run(self.words("cheems-run", self.model, *self.ids), env=self.environment, capture_output=True, text=True,
                                timeout=120, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((result.returncode, result.stdout), (3, ""), result.stderr)
        self.assertRegex(result.stderr, r"^cheems-run: compiling [^\n]+\nmodel: too new\n$")

    def test_what_a_killed_process_left_is_removed(self):
        self.slow.write_text("")
        process = self.start()
        self.wait_for_the_compiler()
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertEqual(len(list(self.cache.glob("compiling-*"))), 1)
        self.slow.unlink()
        (self.model / "config.json").write_text('{"another": "model"}')
        self.run_model()
        self.assertEqual(list(self.cache.glob("compiling-*")), [])

    def test_the_cache_stays_within_its_size(self):
        size = self.artefact.stat().st_size
        for context in (1, 2, 3):
            self.run_model("--max-context", context, CHEEMS_CACHE_SIZE=str(2 * size))
        self.assertEqual(len(self.kept()), 2)
        self.assertRegex(self.run_model(code=2, CHEEMS_CACHE_SIZE="lots")[1], r"^cheems-run: CHEEMS_CACHE_SIZE is 'lots'[^\n]*\n$")

    def test_models_are_listed_and_removed(self):
        self.assertRegex(self.tool("cheems-cache", "list")[0], rf"^0 models in {self.cache}, 0.00 MB of at most 20000.00 MB\n$")
        self.run_model()
        self.run_model("--weights", "int8")
        lines = self.tool("cheems-cache", "list")[0].splitlines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[0].endswith(f"{self.model} --weights int8 --cpu native"), lines)
        self.assertTrue(lines[1].endswith(f"{self.model} --cpu native"), lines)
        self.tool("cheems-cache", "remove", lines[0].split()[0])
        self.assertEqual(len(self.tool("cheems-cache", "list")[0].splitlines()), 2)
        self.run_model("--kv", "int8")
        self.assertIn("removed 2 models", self.tool("cheems-cache", "remove", self.model)[1])
        self.run_model()
        self.tool("cheems-cache", "remove", "--all")
        self.assertEqual(self.kept(), [])
        for arguments, code in ((["remove"], 2), (["remove", "a", "--all"], 2), ([], 2), (["show"], 2), (["remove", "no-such"], 1)):
            out, err = self.tool("cheems-cache", *arguments, code=code)
            self.assertEqual(out, "")
            self.assertRegex(err, r"^cheems-cache: [^\n]+\n$")


if __name__ == "__main__":
    RUNNER, WRITER = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        subprocess.run([WRITER, folder], check=True)
        unittest.main()
