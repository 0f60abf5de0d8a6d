#!/usr/bin/env python3
"""scripts/commits.py, in repositories that the test makes."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/commits.py"
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")} | {
    f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))}


class Commits(unittest.TestCase):
    def setUp(self):
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = pathlib.Path(held.name) / "repository"
        self.git("init", "-q", "-b", "main", str(self.folder), at=held.name)
        self.commit("WIP: messages before the first one are not checked.", "a\n")
        self.first = self.git("rev-parse", "HEAD").strip()

    def git(self, *words, at=None):
        done = subprocess.run(["git", "-C", str(at or self.folder), *words], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def commit(self, message, text, name="file"):
        (self.folder / name).write_text(text)
        self.git("add", name)
        self.git("commit", "-q", "--cleanup=verbatim", "--allow-empty-message", "-m", message)

    def check(self, *words, at=None):
        done = subprocess.run([sys.executable, str(SCRIPT), "--repository", str(at or self.folder), *words], capture_output=True, text=True, env=ENVIRONMENT)
        return done.returncode, done.stdout + done.stderr

    def expect(self, message, *said, text="b\n"):
        self.commit(message, text)
        status, output = self.check("--since", self.first)
        for each in said:
            self.assertIn(each, output)
        self.assertEqual((status, output.count("\n")), (1 if said else 0, len(said) + 1), output)

    def test_plain_sentences_pass(self):
        self.expect("The 2nd answer of 4.5 has a reason: it was wrong\n\nA body of a line.\n\n    " + "a table " * 20)

    def test_the_longest_subject_passes(self):
        self.expect("a" * 72)

    def test_a_long_subject(self):
        self.expect("a" * 73, "a subject of 73 characters")

    def test_no_subject(self):
        self.expect("", "has no subject")

    def test_a_period(self):
        self.expect("It works.", "ends with a period")

    def test_what_is_not_finished(self):
        for subject in ("WIP", "wip: more", "fixup! It works", "squash! It works", "amend! It works"):
            with self.subTest(subject):
                self.git("reset", "-q", "--hard", self.first)
                self.expect(subject, "is not finished")

    def test_words_that_begin_alike_pass(self):
        self.expect("Wiping a slot leaves its neighbours")

    def test_a_prefix(self):
        for subject in ("fix: it works", "feat(run)!: it works", "[run] It works"):
            with self.subTest(subject):
                self.git("reset", "-q", "--hard", self.first)
                self.expect(subject, "with a prefix")

    def test_no_empty_line_below_the_subject(self):
        self.expect("It works\nfor a reason", "a second line that is not empty")

    def test_a_wide_body(self):
        self.expect("It works\n\n" + "word " * 21, "a line of 105 characters")

    def test_an_address_may_be_wide(self):
        self.expect("It works\n\nhttps://example.org/" + "a" * 100)

    def test_a_large_change_without_a_reason(self):
        self.expect("It works", "changes 302 lines and gives no reason", text="b\n" * 301)

    def test_a_large_change_with_a_reason(self):
        self.expect("It works\n\nIt did not.", text="b\n" * 301)

    def test_a_move_is_no_large_change(self):
        self.commit("A file\n\nIt is long.", "".join(f"{n}\n" for n in range(500)), "old")
        self.git("mv", "old", "new")
        self.git("commit", "-q", "-m", "A file moves")
        self.assertEqual(self.check("--since", self.first), (0, "commits: 2 new, 0 faults\n"))

    def test_each_fault_has_its_commit(self):
        self.commit("It works.", "b\n")
        self.commit("a" * 80 + ".", "c\n")
        status, output = self.check("--since", self.first)
        self.assertEqual(status, 1)
        self.assertEqual([line.split()[1] for line in output.splitlines()[:-1]],
            [self.git("rev-parse", name)[:10] for name in ("HEAD~1", "HEAD", "HEAD")])

    def test_a_merge_is_left_out(self):
        self.git("checkout", "-q", "-b", "other")
        self.commit("Another file", "b\n", "other")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", "Merge branch 'other'.", "other")
        self.assertEqual(self.check("--since", self.first), (0, "commits: 1 new, 0 faults\n"))

    def test_a_shallow_clone_says_that_nothing_was_checked(self):
        self.commit("It works.", "b\n")
        shallow = self.folder.parent / "shallow"
        self.git("clone", "-q", "--depth", "1", self.folder.as_uri(), str(shallow))
        status, output = self.check(at=shallow)
        self.assertEqual(status, 0)
        self.assertIn("no message was checked, because the history does not reach back", output)

    def test_a_folder_without_git_says_that_nothing_was_checked(self):
        plain = self.folder.parent / "plain"
        plain.mkdir()
        self.assertEqual(self.check(at=plain), (0, "commits: no message was checked, because this folder is no git repository\n"))

    def test_a_revision_that_is_not_there(self):
        status, output = self.check("--since", "nowhere")
        self.assertEqual(status, 1)
        self.assertIn("nowhere has no history in common with HEAD", output)


unittest.main()
