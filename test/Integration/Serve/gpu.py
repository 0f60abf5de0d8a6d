#!/usr/bin/env python3
"""cheems-serve on the software GPU: texts of several clients at once are those of cheems-run on the GPU alone, a text that goes
on is computed from kept states, slots are saved and restored, and embeddings come from the GPU.

    gpu.py BIN_DIR MODELS_DIR SOFTWARE_GPU
"""
import concurrent.futures
import json
import math
import os
import sys
import tempfile
import unittest

from serving import Demo, started

PROMPTS = ["ROMEO:", "JULIET:\nO gentle", "What light"]
LENGTH = 8
UNIT = 2.0**-24  # a rounding of f32


class OnTheGPU(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        states = tempfile.TemporaryDirectory()
        cls.addClassCleanup(states.cleanup)
        cls.server = started(cls, DEMO.serve("--device", "cuda", "--parallel", 2, "-c", 256, "--slot-save-path", states.name))

    def alone(self, prompt, length=LENGTH):
        return DEMO.alone("--device", "cuda", "-p", prompt, "-n", length)

    def complete(self, prompt, **more):
        return self.server.post("/completion", {"prompt": prompt, "n_predict": LENGTH, "temperature": 0, "return_tokens": True, **more})

    def test_clients_at_once_get_the_texts_of_each_alone(self):
        with concurrent.futures.ThreadPoolExecutor(len(PROMPTS)) as clients:
            answers = list(clients.map(self.complete, PROMPTS))
        for prompt, answer in zip(PROMPTS, answers):
            self.assertEqual(answer["tokens"], self.alone(prompt)["ids"], prompt)

    def test_a_text_goes_on_from_kept_states(self):
        prompt = "MERCUTIO:\nO, then, I see Queen Mab hath been with you."
        first = self.complete(prompt)
        more = prompt + first["content"]
        second = self.complete(more)
        self.assertGreater(second["timings"]["cache_n"], 0)
        self.assertEqual(second["tokens"], self.alone(more)["ids"])

    def test_a_slot_is_saved_and_restored(self):
        prompt = "TYBALT:\nWhat, drawn, and talk of peace!"
        first = self.complete(prompt, id_slot=0)
        saved = self.server.post("/slots/0?action=save", {"filename": "tybalt.state"})
        self.assertGreater(saved["n_saved"], 0)
        self.server.post("/slots/0?action=erase", {})
        self.assertEqual(self.server.post("/slots/0?action=restore", {"filename": "tybalt.state"})["n_restored"], saved["n_saved"])
        self.assertEqual(self.complete(prompt, id_slot=0)["tokens"], first["tokens"])

    def test_embeddings_are_those_of_cheems_run(self):
        text = "a rose by any other name"
        got = self.server.post("/v1/embeddings", {"model": DEMO.name, "input": text})["data"][0]["embedding"]
        wanted = json.loads(DEMO.tool("cheems-run", DEMO.artefact, "--device", "cuda", "-p", text, "--embedding"))
        self.assertEqual(len(got), len(wanted))
        length = math.sqrt(sum(number * number for number in wanted))  # a server's have unit length
        for one, other in zip(got, wanted):
            # the same bits, divided in double, where a sum of so many squares errs by less, and rounded to f32
            self.assertLessEqual(abs(one - other / length), abs(other / length) * (UNIT + len(wanted) * 2.0**-53))


class OnGPUs(Demo):
    """The demo with code for GPUs alone."""

    def tool(self, name, *words):
        if name == "cheems-compile":
            words = (*words[:3], "--target", "cuda", "--cuda-arch", "sm_90a")
        return super().tool(name, *words)


if __name__ == "__main__":
    os.environ["CHEEMS_CUDA_DRIVER"] = sys.argv.pop()
    models, bins = sys.argv.pop(), sys.argv.pop()
    with OnGPUs(bins, models, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
