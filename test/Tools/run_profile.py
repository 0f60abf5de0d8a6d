#!/usr/bin/env python3
"""cheems-run --profile writes a trace that says where the time went, and changes nothing else.

    run_profile.py CHEEMS_RUN WRITE_TALKING_ARTIFACT
    run_profile.py CHEEMS_RUN --compile CHEEMS_COMPILE FOLDER...
    run_profile.py CHEEMS_RUN --card SOFTWARE_GPU CHEEMS_COMPILE FOLDER...

The first form drives a stand-in whose entries have two marks and no parallel loop; the second, compiled models; the third, on a GPU.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest


def run_tool(*arguments, stdin=b"", code=0):
    result = subprocess.run([str(word) for word in (RUNNER, *arguments)], input=stdin, capture_output=True, timeout=300)
    if result.returncode != code:
        raise AssertionError(f"{arguments}: {result.returncode}, not {code}: {result.stderr.decode()}")
    return result.stdout, result.stderr.decode()


class Trace:
    """A trace as the format has it: https://perfetto.dev/docs reads the same fields."""

    def __init__(self, path):
        document = json.loads(path.read_text())
        self.facts = document["otherData"]
        self.tracks, self.slices = {}, []
        last = 0.0
        for event in document["traceEvents"]:
            assert event["pid"] == 1
            if event["ph"] == "M":
                if event["name"] == "thread_name":
                    self.tracks[event["tid"]] = event["args"]["name"]
                continue
            assert event["ph"] == "X" and event["dur"] >= 0 and event["tid"] in self.tracks, event
            assert event["ts"] >= last, f"{event['ts']} after {last}"
            last = event["ts"]
            self.slices.append(event)

    def of(self, category):
        return [event for event in self.slices if event["cat"] == category]

    def inside(self, outer, category):
        end = outer["ts"] + outer["dur"] + 1e-6
        return [event for event in self.of(category) if event["ts"] >= outer["ts"] and event["ts"] + event["dur"] <= end]


class Profile(unittest.TestCase):
    def setUp(self):
        self.path = FOLDER / "trace.json"
        self.path.unlink(missing_ok=True)

    def profile(self, *arguments, **keywords):
        out = run_tool(*arguments, "--profile", self.path, **keywords)[0]
        self.assertEqual([path.name for path in FOLDER.glob("trace.json*")], ["trace.json"])
        return out, Trace(self.path)


class EveryModel(Profile):
    def test_text_is_the_same_and_each_step_is_there(self):
        for model in MODELS:
            flags = [model, "--prompt-ids", "4,5,6,7,8", "-n", 6, "--ignore-eos", "--print-ids", "--temp", 0, "-t", 2]
            out, trace = self.profile(*flags, "--prefill-chunk", 3)
            self.assertEqual(out, run_tool(*flags, "--prefill-chunk", 3)[0])
            steps = trace.of("step")
            self.assertEqual([step["name"] for step in steps], ["prefill"] * 2 + ["decode"] * 5)
            self.assertEqual([step["args"]["tokens"] for step in steps], [3, 2, 1, 1, 1, 1, 1])
            self.assertEqual(list(trace.tracks.values()), ["main", "worker 1"])
            self.assertEqual(trace.facts["threads"], "2")
            for before, after in zip(steps, steps[1:]):
                self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-6)

    def test_every_mark_is_a_slice_of_its_step(self):
        for model in MODELS:
            marks = json.loads(run_tool(model, "--describe=json")[0])["images"][0]["marks"]
            _, trace = self.profile(model, "--prompt-ids", "4,5,6", "-n", 3, "--ignore-eos", "--print-ids")
            for step in trace.of("step"):
                parts = trace.inside(step, "part")
                self.assertEqual([part["name"] for part in parts], marks["decode" if step["name"] == "decode" else "general"])
                for before, after in zip(parts, parts[1:]):  # one begins where the other ends
                    self.assertAlmostEqual(before["ts"] + before["dur"], after["ts"], places=3)
            self.assertEqual(len(trace.of("part")), sum(len(trace.inside(step, "part")) for step in trace.of("step")))

    def test_logits_are_the_same_bits(self):
        ids = FOLDER / "ids.safetensors"
        header = json.dumps({"input_ids": {"dtype": "I32", "shape": [3, 7], "data_offsets": [0, 84]}}).encode()
        ids.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack("<21i", *(i * 5 % 13 for i in range(21))))
        for model in MODELS:
            plain, profiled = FOLDER / "plain", FOLDER / "profiled"
            flags = [model, "--input-ids", ids, "-t", 2, "--prefill-chunk", 4, "--logits"]
            run_tool(*flags, plain)
            _, trace = self.profile(*flags, profiled)
            self.assertEqual(plain.read_bytes(), profiled.read_bytes())
            self.assertEqual([(step["args"]["sequences"], step["args"]["tokens"]) for step in trace.of("step")], [(3, 12), (3, 9)])

    def test_chats_and_resumed_runs_have_traces(self):
        state = FOLDER / "state"
        for model in MODELS:
            run_tool(model, "--prompt-ids", "4,5", "-n", 2, "--ignore-eos", "--print-ids", "--save-state", state)
            _, trace = self.profile(model, "--load-state", state, "-n", 3, "--ignore-eos", "--print-ids")
            self.assertTrue(trace.of("step"))


class StandIn(Profile):
    def test_a_chat_has_a_trace(self):
        out, trace = self.profile(MODELS[0], "--chat", "-n", 3, "--ignore-eos", stdin=b"ab\nc\n")
        self.assertEqual(out, run_tool(MODELS[0], "--chat", "-n", 3, "--ignore-eos", stdin=b"ab\nc\n")[0])
        self.assertEqual([step["name"] for step in trace.of("step")].count("decode"), 4)

    def test_a_run_that_fails_shows_what_it_did(self):
        with open("/dev/full", "wb") as full:  # the answer has no room
            words = [RUNNER, MODELS[0], "-p", "ab", "-n", "9", "--ignore-eos", "--print-ids", "--profile", self.path]
            result = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, timeout=300)
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (1, 1), result.stderr)
        self.assertTrue(Trace(self.path).of("step"))

    def test_wrong_use_is_one_line_before_the_work(self):
        for arguments, code in ((["--describe", "--profile", self.path], 2), (["--tokenize", "-p", "a", "--profile", self.path], 2),
                                (["-p", "a", "--profile", FOLDER / "no" / "x"], 1), (["-p", "a", "--profile", FOLDER], 1),
                                (["-p", "a", "--profile", "/dev/zero"], 1)):
            out, err = run_tool(MODELS[0], *arguments, code=code)
            self.assertEqual((out, err.count("\n")), (b"", 1), err)
        self.assertFalse(self.path.exists())


class Compiled(Profile):
    def test_layers_in_order_and_regions_in_their_steps(self):
        for model in MODELS:
            layers = json.loads(run_tool(model, "--describe=json")[0])["layers"]
            _, trace = self.profile(model, "--prompt-ids", ",".join("4567" * 16), "-n", 4, "--ignore-eos", "--print-ids", "-t", 2)
            names = set()
            for step in trace.of("step"):
                parts = [part["name"] for part in trace.inside(step, "part")]
                self.assertEqual([" ".join(part.split(" ")[:2]) for part in parts],
                                 ["embedding", *(f"layer {i}" for i in range(layers)), "head"])
                names.update(region["name"] for region in trace.inside(step, "region"))
            # nothing ran outside of a step; loops are cut in two, whoever runs the second part
            self.assertEqual(len(trace.of("region")), sum(len(trace.inside(step, "region")) for step in trace.of("step")))
            self.assertTrue(any(region["args"]["first"] > 0 for region in trace.of("region")))
            # a thread runs one range at a time, and the main thread's lie in parts of the step
            for track in trace.tracks:
                own = [region for region in trace.of("region") if region["tid"] == track]
                for before, after in zip(own, own[1:]):
                    self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-6)
            parts = sum(len([region for region in trace.inside(part, "region") if region["tid"] == 1]) for part in trace.of("part"))
            self.assertEqual(parts, len([region for region in trace.of("region") if region["tid"] == 1]))
            # a loop says what it computes, and which tensors of the layer it applies
            self.assertTrue(any(name.startswith("linear ") for name in names), names)
            self.assertTrue(any(re.fullmatch(r"linear .* \(\w+\.q_proj, k_proj.*\)", name) for name in names), names)
            self.assertNotIn("parallel loop", names)


class OnAGPU(Profile):
    def test_the_kernels_of_a_step_are_regions_after_each_other(self):
        for model in MODELS:
            layers = json.loads(run_tool(model, "--describe=json")[0])["layers"]
            # all of the context is kept with -c 16, so that kernels of a window have nothing to do
            for context in (16, 256):
                flags = [model, "--device", "cuda", "--prompt-ids", "4,5,6,7,8", "-n", 3, "--ignore-eos", "--print-ids", "--temp", 0, "-c", context]
                out, trace = self.profile(*flags)
                self.assertEqual(out, run_tool(*flags)[0])
                self.assertEqual(list(trace.tracks.values()), ["main", trace.facts["device"]])
                self.assertEqual([step["name"] for step in trace.of("step")], ["prefill", "decode", "decode"])
                for step in trace.of("step"):
                    self.assertEqual([" ".join(part["name"].split(" ")[:2]) for part in trace.inside(step, "part")],
                                     ["embedding", *(f"layer {i}" for i in range(layers)), "head"])
                    kernels = trace.inside(step, "region")
                    self.assertGreater(len(kernels), 3 * layers)
                    for before, after in zip(kernels, kernels[1:]):
                        self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1e-3)
                self.assertTrue(all(region["args"]["iterations"] > 0 for region in trace.of("region")))


if __name__ == "__main__":
    RUNNER = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        FOLDER = pathlib.Path(name)
        if sys.argv[2] in ("--compile", "--card"):
            compiler, target, tests = 3, ["--cpu", "native"], ["EveryModel", "Compiled"]
            if sys.argv[2] == "--card":
                compiler, target, tests = 4, ["--target", "cuda", "--cuda-arch", "sm_90a"], ["OnAGPU"]
                os.environ["CHEEMS_CUDA_DRIVER"] = sys.argv[3]
            MODELS = []
            for model in map(pathlib.Path, sys.argv[compiler + 1 :]):
                MODELS.append(FOLDER / f"{model.name}.cheems")
                subprocess.run([sys.argv[compiler], model, *target, "-o", MODELS[-1]], check=True)
        else:
            subprocess.run([sys.argv[2], FOLDER], check=True)
            MODELS = [FOLDER / "good.cheems", FOLDER / "window.cheems"]
            tests = ["EveryModel", "StandIn"]
        unittest.main(argv=[sys.argv[0], *tests])
