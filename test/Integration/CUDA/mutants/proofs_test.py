#!/usr/bin/env python3
"""Each text has a statement without effect, which a proof must find, and a twin in which it has one."""
import sys
import unittest

from mutants import generate
from proofs import proof

BEGIN = """.visible .entry k(.param .b64 k_0, .param .b64 k_1)
.reqntid 128
{
\t.reg .b32 %r<9>;
\tld.param.b64 %rd1, [k_0];
\tld.param.b64 %rd2, [k_1];
"""


def reason(body, kind):
    """The proof of the only mutant of a kind whose statement has the comment HERE."""
    lines = (BEGIN + body + "\tret;\n}\n").split("\n")
    here = next(number for number, line in enumerate(lines, 1) if "HERE" in line)
    found = [mutant for mutant in generate("k", "\n".join(lines)) if mutant.line == here and mutant.kind == kind]
    assert len(found) == 1, found
    return proof(found[0], "\n".join(lines), {})


class Proofs(unittest.TestCase):
    def check(self, body, kind, without="", instead=""):
        """`without` stands in the body; what has it is harmless, what has `instead` is not"""
        self.assertIn(without, body)
        self.assertIsNotNone(reason(body, kind))
        self.assertIsNone(reason(body.replace(without, instead), kind))

    def test_a_group_that_is_waited_for_with_the_next_one(self):
        copy = "\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n"
        body = copy + "\tcp.async.commit_group; // HERE\n" + copy + "\tcp.async.commit_group;\n\tcp.async.wait_group 0;\n\tbar.sync 0;\n"
        self.check(body, "commit removed", "wait_group 0", "wait_group 1")

    def test_a_wait_after_one_like_it(self):
        body = ("\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;\n\tcp.async.wait_group 0;\n"
                "\tadd.s32 %r2, %r2, 1;\n\tcp.async.wait_group 0; // HERE\n\tbar.sync 0;\n")
        self.check(body, "wait removed", "\tcp.async.wait_group 0;\n")

    def test_a_wait_in_a_loop(self):
        """On the way back the group is a new one."""
        body = ("\tcp.async.cg.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;\n\tcp.async.wait_group 0;\n"
                "AGAIN:\n\tcp.async.wait_group 0; // HERE\n\tbar.sync 0;\n\tMORE\n\t@%p1 bra AGAIN;\n\tcp.async.wait_group 0;\n")
        more = "cp.async.cg.shared.global [%r1], [%rd1], 16;\n\tcp.async.commit_group;"
        self.assertIsNotNone(reason(body.replace("MORE", ""), "wait removed"))
        self.assertIsNone(reason(body.replace("MORE", more), "wait removed"))

    def test_a_matmul_that_nobody_looks_at_before_the_next_wait(self):
        body = ("\twgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1}, %rd3, %rd4, 1, 1, 1, 0, 0;\n\twgmma.commit_group.sync.aligned;\n"
                "\twgmma.wait_group.sync.aligned 0; // HERE\n\tadd.f32 %f3, %f2, %f2;\n\twgmma.wait_group.sync.aligned 0;\n")
        self.check(body, "wait removed", "add.f32 %f3, %f2, %f2", "add.f32 %f3, %f1, %f1")

    def test_a_barrier_between_reads(self):
        body = "\tbar.sync 0;\n\tld.shared.b32 %r1, [%r2];\n\tbar.sync 0; // HERE\n\tld.shared.b32 %r3, [%r4];\n\tbar.sync 0;\n"
        self.check(body, "barrier removed", "ld.shared.b32 %r3, [%r4]", "st.shared.b32 [%r4], %r3")

    def test_a_barrier_beside_another_one(self):
        body = "\tst.shared.b32 [%r2], %r1;\n\tbar.sync 0;\n\tadd.s32 %r1, %r1, 1;\n\tbar.sync 0; // HERE\n\tld.shared.b32 %r3, [%r4];\n"
        self.check(body, "barrier removed", "\tbar.sync 0;\n\tadd", "\tadd")

    def test_a_barrier_on_one_way_only(self):
        body = "\tst.shared.b32 [%r2], %r1;\n\tBRANCH\n\tbar.sync 0;\nSKIP:\n\tbar.sync 0; // HERE\n\tld.shared.b32 %r3, [%r4];\n"
        self.assertIsNotNone(reason(body.replace("BRANCH", ""), "barrier removed"))
        self.assertIsNone(reason(body.replace("BRANCH", "@%p1 bra SKIP;"), "barrier removed"))

    def test_a_barrier_of_some_threads(self):
        body = "\tbar.sync 0;\n\tld.shared.b32 %r1, [%r2];\n\tbar.sync 0; // HERE\n\tld.shared.b32 %r3, [%r4];\n"
        self.check(body, "barrier removed", "bar.sync 0;\n\tld", "bar.sync 1, 64;\n\tld")

    def test_a_barrier_between_what_one_thread_does(self):
        """Another one may be elected than thread 0."""
        init = "\t@%p1 mbarrier.init.shared::cta.b64 [%r1], 1;\n\tbar.sync 0; // HERE\n\t@%p2 mbarrier.inval.shared::cta.b64 [%r1];\n"
        begin = "\telect.sync %r5|%p1, -1;\n\telect.sync %r6|%p2, -1;\n"
        self.check(begin + init, "barrier removed", "elect.sync %r6|%p2, -1", "setp.eq.b32 %p2, %r7, 0")

    def test_a_barrier_between_different_buffers(self):
        body = "\tld.global.b32 %r1, [%rd1];\n\tbar.sync 0; // HERE\n\tst.global.b32 [%rd2], %r1;\n"
        self.check(body, "barrier removed", "[%rd2], %r1", "[%rd1], %r1")

    def test_a_fence_after_a_fence(self):
        body = "\tfence.proxy.async.shared::cta;\n\tadd.s32 %r1, %r1, 1;\n\tfence.proxy.async.shared::cta; // HERE\n\tbar.sync 0;\n"
        self.check(body, "fence removed", "add.s32 %r1, %r1, 1", "st.shared.b32 [%r2], %r1")

    def test_a_text_that_is_not_understood_has_no_proof(self):
        body = "\tbar.sync 0;\n\tadd.s32 %r1, %r1, 1;\n\tbar.sync 0; // HERE\n"
        self.check(body, "barrier removed", "add.s32 %r1, %r1, 1;", "add.s32 %r1, %r1, 1; st.shared.b32 [%r2], %r1;")


if __name__ == "__main__":
    sys.exit(unittest.main())
