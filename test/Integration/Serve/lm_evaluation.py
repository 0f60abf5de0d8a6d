#!/usr/bin/env python3
"""lm-eval with cheems-serve, and a tokenizer that it asks the server for: each item is what cheems-run alone computes.

    lm_evaluation.py BIN_DIR MODELS_DIR

Log-probabilities are those of the rows of cheems-run --logits, but for roundings of double; generated texts are the same. What lm-eval
asks of a Doge in f32 is within 1e-4 of what transformers recorded.
"""
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from recorded import header, tensor  # noqa: E402
from serving import Demo, drawn, started  # noqa: E402

TASKS = pathlib.Path(__file__).resolve().with_name("lm-eval")
RECORD = pathlib.Path(__file__).resolve().parents[1] / "CPU/transformers/doge-shakespeare.json"
UNIT = 2.0**-53  # a rounding of double
PASSAGES = [
    "ROMEO:\nHe jests at scars that never felt a wound.\nBut, soft! what light through yonder window breaks?\n"
    "It is the east, and Juliet is the sun.\n",
    "JULIET:\n'Tis but thy name that is my enemy;\nThou art thyself, though not a Montague.\nWhat's Montague? it is nor hand, nor foot,\n"
    "Nor arm, nor face, nor any other part\nBelonging to a man. O, be some other name!\n",
    "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n\n"
    "First Citizen:\nYou are all resolved rather to die than to famish?\n",
    "GLOUCESTER:\nNow is the winter of our discontent\nMade glorious summer by this sun of York;\n",
    "naïve café — 漢字 🎭\n",  # of which many tokens are single bytes
]


def ids_of(text):
    return ",".join(map(str, DEMO.ids(text)))


def passages(random):
    """Each passage in two parts, twice; a blank at the end of a beginning is one of lm-eval's special cases."""
    cuts = []
    for text in PASSAGES:
        places = [place for place in range(8, len(text) - 4)] if len(text) > 40 else [5, 8]
        for place in random.sample(places, 2):
            cuts.append({"beginning": text[:place], "rest": text[place:]})
    cuts.append({"beginning": PASSAGES[0][: PASSAGES[0].index("that") - 1] + " ", "rest": PASSAGES[0][PASSAGES[0].index("that") :]})
    # so that one is what the model itself would say
    scene = "ROMEO:\nGood night.\n\nJULIET:"
    cuts.append({"beginning": scene, "rest": DEMO.alone("--prompt-ids", ids_of(scene), "-n", 4)["text"]})
    return cuts


class Evaluation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.folder = pathlib.Path(kept.name)
        server = started(cls, DEMO.serve("--parallel", 4))
        random = drawn()
        cls.docs = passages(random)
        (cls.folder / "passages.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in cls.docs))
        batch, concurrent = random.choice([(1, 1), (1, 4), (4, 1), (3, 4)])
        print(f"batches of {batch}, {concurrent} at once")
        cls.answers = cls.evaluated(server, batch, concurrent)

    @classmethod
    def evaluated(cls, server, batch, concurrent):
        """The server's answers as lm-eval logged them, by task."""
        out = cls.folder / "out"
        words = [sys.executable, "-m", "lm_eval", "run", "--model", "local-completions", "--include_path", TASKS,
                 "--log_samples", "--output_path", out, "--tasks", "passages_likelihood,passages_rolling,passages_generation",
                 "--batch_size", batch, "--model_args",
                 f"model=any,base_url={server.url}/v1/completions,tokenizer_backend=remote,num_concurrent={concurrent},max_retries=1,timeout=60"]
        offline = {"HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(cls.folder / "hugging"), "TOKENIZERS_PARALLELISM": "false"}
        result = subprocess.run([str(word) for word in words], cwd=cls.folder, env={**os.environ, **offline}, capture_output=True, text=True,
                                timeout=300, stdin=subprocess.DEVNULL)
        if result.returncode:
            raise AssertionError(result.stderr)
        items = {}
        for path in out.rglob("samples_*.jsonl"):
            task = path.name.split("_")[2]
            lines = sorted(map(json.loads, path.read_text().splitlines()), key=lambda line: line["doc_id"])
            items[task] = [line["resps"][0][0] for line in lines]
        return items

    def logprobs(self, ids):
        """Returns the log-probability of each id but the first, and whether it is the most probable one."""
        raw = struct.pack(f"<{len(ids)}q", *ids)
        head = json.dumps({"input_ids": {"dtype": "I64", "shape": [1, len(ids)], "data_offsets": [0, len(raw)]}}).encode()
        given, got = self.folder / "ids.safetensors", self.folder / "logits.safetensors"
        given.write_bytes(struct.pack("<Q", len(head)) + head + raw)
        DEMO.tool("cheems-run", DEMO.artefact, "--input-ids", given, "--logits", got)
        (_, length, columns), logits = tensor(got, "logits")
        told = []
        for at in range(1, length):
            row = logits[(at - 1) * columns : at * columns]
            most = max(row)
            told.append((row[ids[at]] - most - math.log(math.fsum(math.exp(x - most) for x in row)), row[ids[at]] == most))
        return told, columns

    def compare(self, told, ids, before):
        """The sum of the log-probabilities after that many ids."""
        told_of_all, columns = self.logprobs(ids)
        want = told_of_all[before - 1 :]
        total = math.fsum(logprob for logprob, _ in want)
        # The logits have the same bits. Of each row both add as many exponentials as there are columns, and then one adds the rows.
        self.assertLessEqual(abs(float(told) - total), len(want) * (2 * columns + abs(total)) * UNIT, ids)
        return all(best for _, best in want)

    def test_all_items_are_there(self):
        self.assertEqual({task: len(answers) for task, answers in self.answers.items()},
                         {task: len(self.docs) for task in ("likelihood", "rolling", "generation")})

    def test_the_rest_of_a_passage(self):
        for doc, (told, best) in zip(self.docs, self.answers["likelihood"]):
            # lm-eval moves blanks to the rest, and puts what is left of the whole's ids after those of the beginning
            before = DEMO.ids(doc["beginning"].rstrip())
            ids = before + DEMO.ids(doc["beginning"] + doc["rest"])[len(before) :]
            self.assertEqual(str(best) == "True", self.compare(told, ids, len(before)), doc)

    def test_a_passage_as_a_whole(self):
        for doc, told in zip(self.docs, self.answers["rolling"]):
            # lm-eval takes the end of text where that of the beginning has the id 0
            self.compare(told, [1, *DEMO.ids(doc["beginning"] + doc["rest"])], 1)

    def test_generated_texts(self):
        texts = []
        for doc in self.docs:
            texts.append(DEMO.alone("--prompt-ids", ids_of(doc["beginning"]), "-n", 40, "-r", "\n\n")["text"])
        self.assertEqual(self.answers["generation"], texts)


def in_f32(source, folder):
    """A copy of a model of bf16 whose matrices, keys and values are f32."""
    shutil.copytree(source, folder)
    path = folder / "model.safetensors"
    (entries, start), stored = header(path), path.read_bytes()
    wide, data = {}, bytearray()
    for name in sorted(entries.keys() - {"__metadata__"}):
        begin, end = (start + offset for offset in entries[name]["data_offsets"])
        values = bytearray(2 * (end - begin))
        values[2::4], values[3::4] = stored[begin:end:2], stored[begin + 1 : end : 2]  # the upper half of an f32
        wide[name] = {"dtype": "F32", "shape": entries[name]["shape"], "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    head = json.dumps(wide).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "dtype": "float32"}))


class Transformers(unittest.TestCase):
    def test_a_doge_in_f32_has_the_log_probabilities_of_transformers(self):
        runs = json.loads(RECORD.read_text())["runs"]
        with tempfile.TemporaryDirectory() as folder:
            in_f32(pathlib.Path(MODELS) / RECORD.stem, pathlib.Path(folder) / RECORD.stem)
            with Demo(BINS, folder, RECORD.stem) as doge, doge.serve("--parallel", 2) as server:
                answer = server.post("/v1/completions", {"prompt": [run["prompt"] + run["greedy"] for run in runs], "echo": True,
                                                         "logprobs": 1, "max_tokens": 0, "temperature": 0})
        for choice, run in zip(answer["choices"], runs):
            first, *told = choice["logprobs"]["token_logprobs"]
            self.assertIsNone(first)
            self.assertEqual(len(told), len(run["logprobs"]))
            self.assertLessEqual(max(abs(got - want) for got, want in zip(told, run["logprobs"])), 1e-4)


if __name__ == "__main__":
    MODELS, BINS = sys.argv.pop(), sys.argv.pop()
    with Demo(BINS, MODELS, "cheems-shakespeare") as DEMO:
        unittest.main(exit=False).result.wasSuccessful() or sys.exit(1)
