#!/usr/bin/env python3
"""The manual page and the completions of each tool have every option that its help has.

    manuals.py BIN_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

TOOLS = ["cheems-compile", "cheems-run", "cheems-bench", "cheems-cache", "cheems-perplexity", "cheems-translate", "cheems-serve"]


def output(tool, *words):
    return subprocess.run([BINS / tool, *words], check=True, capture_output=True, text=True, timeout=60).stdout


class Manuals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = [tool for tool in TOOLS if (BINS / tool).exists()]
        for tool in TOOLS:
            if tool not in cls.tools:
                print(f"skipped: the manual of {tool}, which is not built")

    def test_there_are_tools(self):
        self.assertIn("cheems-run", self.tools)

    def options(self, tool):
        return set(re.findall(r"^ +(?:-\w,)?(--[\w-]+)", output(tool, "--help"), re.MULTILINE))

    def test_manuals_have_every_option(self):
        for tool in self.tools:
            page = output(tool, "--print-manual").replace("\\-", "-")
            self.assertTrue(page.startswith(".TH " + tool.upper()), page[:80])
            options = self.options(tool)
            self.assertIn("--help", options)
            for option in options:
                self.assertIn(f"\\fB{option}\\fR", page, tool)

    def test_manuals_are_sound_roff(self):
        if not shutil.which("groff"):
            print("skipped: whether manuals are sound roff: no groff")
            self.skipTest("no groff")
        for tool in self.tools:
            page = output(tool, "--print-manual")
            result = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page, capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, ""), tool)

    def test_bash_completes_options_and_commands(self):
        def complete(tool, word):
            script = f"""source /dev/stdin; COMP_WORDS=({tool} {word}); COMP_CWORD=1; _{tool.replace("-", "_")}; printf '%s\\n' "${{COMPREPLY[@]}}" """
            result = subprocess.run(["bash", "-c", script], input=output(tool, "--print-completion", "bash"), capture_output=True, text=True, timeout=60)
            self.assertEqual(result.stderr, "")
            return set(result.stdout.split())

        for tool in self.tools:
            self.assertEqual(self.options(tool) - complete(tool, "--"), set(), tool)
        self.assertEqual(complete("cheems-run", "--top-"), {"--top-k", "--top-p"})
        self.assertEqual(complete("cheems-cache", "l"), {"list"})

    def test_other_shells_have_every_option(self):
        for tool in self.tools:
            fish, zsh = (output(tool, "--print-completion", shell) for shell in ("fish", "zsh"))
            for option in self.options(tool):
                self.assertRegex(fish, rf" -l {option[2:]}( |$)", tool)
                self.assertIn(f"'*{option}[", zsh, tool)
        result = subprocess.run([BINS / "cheems-run", "--print-completion", "csh"], capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("bash, zsh and fish", result.stderr)


if __name__ == "__main__":
    BINS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
