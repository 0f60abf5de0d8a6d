#!/usr/bin/env python3
"""What compare.py makes of recorded runs of the paper's operations and models: rows, page, figures. Looks at no time."""
import json, math, pathlib, subprocess, sys, tempfile, unittest
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import charts, contenders, modules, random_model, table
from contenders import Job, Missing, Runner
from models import MODELS, WINDOW, Cheems

SVG = "{http://www.w3.org/2000/svg}"


def recorded():
    """Made-up figures: those of models beside their peers, and those of operations and lengths."""
    results, more = (json.loads((HERE / name).read_text()) for name in ("recorded.json", "recorded_modules.json"))
    results["samples"].update(more["samples"])
    results["missing"].update(more["missing"])
    return results


def judge(results, key):
    return table.judge(next(row for row in modules.rows() if row.key == key), results)


class Rows(unittest.TestCase):
    def test_every_row_is_judged_and_needs_only_known_runs(self):
        keys, known = [row.key for row in modules.rows()], set(modules.all_jobs())
        self.assertEqual(len(keys), len(set(keys)))
        for row in modules.rows():
            self.assertTrue(table.judge(row, recorded()).verdict.startswith(("met", "missed")), row.key)
            self.assertLessEqual(set(row.jobs()), known)

    def test_thresholds(self):
        least = {row.key: row.least for row in modules.rows()}
        for key, value in {"modules-ssd-torch": 10, "modules-ssd-amx": 0.15, "modules-ssd-avx512": 0.5, "modules-attention-torch": 20,
                           "modules-experts-1-1M-torch": 10, "modules-experts-512-1M-read": 0.5, "modules-experts-4k-loop": 100,
                           "modules-decode-2048": 0.85, "modules-prefill-8192": 1}.items():
            self.assertEqual(least[key], value, key)
        self.assertAlmostEqual(1 / least["modules-experts-1-1M-flat"], 1.5)

    def test_share_of_a_peak_is_what_was_counted_times_rate(self):
        results = recorded()
        sample = results["samples"]["cheems/amx/8192x12x64x128/ssd"]
        sample["notes"]["operations"], sample["rates"], sample["limits"]["AMX bf16"] = 1e6, [1.2e6], [6000.0]
        answer = judge(results, "modules-ssd-amx")
        self.assertAlmostEqual(answer.ratio, 0.2)
        self.assertEqual(answer.verdict, "met")
        self.assertIn("20% of AMX bf16 peak", answer.bound)

    def test_no_limit_excuses_an_operation(self):
        results = recorded()
        sample = results["samples"]["cheems/default/512x768x1048576x32/experts"]
        sample["notes"]["bytes"] = 0.9 * 32e9 / sample["rates"][0]
        results["samples"]["torch/cdmoe/512x768x1048576x32/experts"]["rates"] = [sample["rates"][0] / 9.9]
        self.assertEqual(judge(results, "modules-experts-512-1M-torch").verdict, "missed")

    def test_flat_is_a_rate_beside_a_rate(self):
        results = recorded()
        short, long = (results["samples"][f"cheems/default/{modules.ssd(length)}/ssd"] for length in (8192, 1048576))
        short["rates"], long["rates"] = [100.0, 100.0], [88.0]
        self.assertEqual(judge(results, "modules-ssd-flat-1M").verdict, "met")
        long["rates"] = [86.0]
        self.assertEqual(judge(results, "modules-ssd-flat-1M").verdict, "missed")

    def test_the_gap_is_a_ratio_of_ratios(self):
        results = recorded()
        for model, length, rate in ((modules.CHEEMS, 2048, 300.0), (modules.DENSE, 2048, 200.0), (modules.CHEEMS, 8192, 300.0), (modules.DENSE, 8192, 100.0)):
            results["samples"][f"cheems/default/{model}/prefill {length}"] = dict(rates=[rate], limits={}, notes={})
        answer = judge(results, "modules-prefill-gap-8192")
        self.assertAlmostEqual(answer.ratio, 2)
        self.assertEqual(answer.verdict, "met")
        del results["samples"][f"cheems/default/{modules.DENSE}/prefill 2048"]
        self.assertEqual(judge(results, "modules-prefill-gap-8192").verdict, "missed: not run")

    def test_bytes_of_a_decoding_step(self):
        # a step reads all weights but of two tables of 3072 rows 32 each, the states of 21 layers in f32, keys and values of 3 layers
        model = MODELS[modules.CHEEMS]
        states, weights = 21 * 768 * 128 * 4, 2 * (model.parameters() - 24 * 2 * 768 * (3072 - 32))
        self.assertEqual(model.step_bytes(0), weights)
        self.assertEqual(model.step_bytes(1), weights + states + 3 * 2 * 768 * 2)
        self.assertEqual(model.step_bytes(100000), model.step_bytes(WINDOW))
        dense = MODELS[modules.DENSE]
        self.assertEqual(dense.step_bytes(100000) - dense.step_bytes(WINDOW), 24 * 2 * 384 * 2 * (100000 - WINDOW))
        job = next(job for job in modules.all_jobs() if job.test == "decode 100000")
        self.assertEqual(modules.bytes_of(job, dict(count=32)), model.step_bytes(100016))

    def test_models_are_of_equal_size(self):
        size = MODELS[modules.CHEEMS].parameters()
        for name in (modules.DENSE, modules.DOGE):
            self.assertLess(abs(MODELS[name].parameters() / size - 1), 0.04, name)

    def test_a_twin_without_window(self):
        config = MODELS[modules.DENSE].config(WINDOW)
        self.assertIsNone(config["keep_window_size"])
        self.assertEqual((config["attn_layer_period"], config["attn_layer_offset"]), (1, 0))
        names = [name for name, _ in Cheems(64, 96, 2, 2, 16, period=1).tensors()]
        self.assertFalse([name for name in names if ".ssd." in name])


class Runs(unittest.TestCase):
    def setUp(self):
        self.runner = Runner(pathlib.Path("/nowhere"), pathlib.Path("/nowhere"), 2, 8, 3)
        self.calls = []
        original = contenders.run
        self.addCleanup(setattr, contenders, "run", original)
        contenders.run = self.fake

    def fake(self, command, environment={}):
        self.calls.append([str(word) for word in command])
        cases = [word for word in self.calls[-1] if "=" in word]
        return "\n".join(json.dumps(dict(case=case, tokens_per_second=512 / (1e-3 * int(case.split("x")[2])), version="1")) for case in cases)

    def test_retrievals_from_one_table_share_a_run(self):
        jobs = [modules.torch("experts", modules.experts(512, count), kind) for count in (1024, 4096) for kind in ("cdmoe", "pkm")]
        for job in jobs:
            self.runner.sample(job, jobs)
        self.assertEqual([[word for word in call if "=" in word] for call in self.calls],
                         [["cdmoe=512x768x1024x32", "pkm=512x768x1024x32"], ["cdmoe=512x768x4096x32", "pkm=512x768x4096x32"]])

    def test_a_loop_ends_where_the_next_would_take_too_long(self):
        jobs = [modules.torch("experts", modules.experts(512, count), kind) for count in (4096, 16384) for kind in ("cdmoe", "loop")]
        for job in jobs[:3]:
            self.runner.sample(job, jobs)
        with self.assertRaisesRegex(Missing, "16384 experts would take 16 s"):
            self.runner.sample(jobs[3], jobs)
        self.assertEqual([[word for word in call if "=" in word] for call in self.calls],
                         [["cdmoe=512x768x4096x32", "loop=512x768x4096x32"], ["cdmoe=512x768x16384x32"]])

    def test_runs_are_in_rising_order(self):
        for key, jobs in modules.figures().items():
            for line in {(job.by, job.how, job.test.split()[0]) for job in jobs}:
                found = [job for job in modules.all_jobs() if job in jobs and (job.by, job.how, job.test.split()[0]) == line]
                sizes = [int(job.model.split("x")[2]) if job.test == "experts" else job.tokens() for job in found]
                self.assertEqual(sizes, sorted(sizes), key)

    def test_a_prompt_that_would_take_too_long_is_not_begun(self):
        dense = lambda length: Job("cheems", "", modules.DENSE, f"prefill {length}")
        self.runner.took(dense(2048), 2.0)
        self.runner.took(dense(8192), 16.0)
        # twice the time per token at four times the length: four times as long again takes eight times the time
        self.runner.patience = 120
        with self.assertRaisesRegex(Missing, "32768 tokens would take 128 s"):
            self.runner.sample(dense(32768))

    def test_a_program_that_says_what_a_run_was(self):
        row = dict(machine=dict(read_gigabytes_per_second=30.0, region_microseconds=1.5, peak_unit="AMX bf16", gigaflops_per_second={"AMX bf16": 5000.0}), variant="amx",
                   bytes=100, operations=300, tokens=10, peak_memory_bytes=7, op="ssd", limit="memory", percent_of_limit=40.0, chunk=64,
                   tokens_per_second_median=5.0)
        self.assertEqual(Runner.measured(row), (5.0, dict(variant="amx", unit="AMX bf16", bytes=10, operations=30, peak_memory=7, limit="memory",
                                                          share=0.4, chunk=64), {"read": 30.0, "region": 1.5, "AMX bf16": 5000.0}))

    def test_experts_rows_are_held_against_the_time_of_their_gather(self):
        row = dict(machine=dict(read_gigabytes_per_second=25.0, region_microseconds=1.5, peak_unit="AMX bf16", gigaflops_per_second={}), variant="amx", bytes=50e6, operations=1,
                   tokens=512, peak_memory_bytes=7, op="experts", limit="memory", percent_of_limit=20.0, chunk=None, tokens_per_second_median=5.0,
                   loops={"step/layer 0/mix_experts": 0.004, "step/layer 0/retrieve_experts": 0.5})
        rate, notes, limits = Runner.measured(row)
        job = modules.operation("experts", modules.experts(512, 1 << 20))
        sample = dict(rates=[rate], notes=notes, limits={name: [value] for name, value in limits.items()})
        self.assertAlmostEqual(table.gathered({"samples": {job.key(): sample}}, job), 0.5)


class Figures(unittest.TestCase):
    def drawn(self, results):
        return {name: xml.fromstring(picture) for name, picture in charts.all_charts(results, modules.figures()).items()}

    def test_a_sign_for_each_run(self):
        results, drawn = recorded(), self.drawn(recorded())
        for key, panels in (("figure-experts", 1), ("figure-lengths", 1), ("figure-million", 3)):
            root, jobs = drawn[key.split("-")[1]], modules.figures()[key]
            ran = [job for job in jobs if job.key() in results["samples"]]
            lines = len({(job.by, job.how, "" if job.test == "experts" else job.model) for job in ran})
            signs = [node for node in root.iter() if node.tag in (SVG + "circle", SVG + "polygon")]
            self.assertEqual(len(signs), panels * len(ran) + lines, key)
            self.assertLess(len(ran), len(jobs))

    def test_everything_is_inside_and_higher_is_faster(self):
        for name, root in self.drawn(recorded()).items():
            width, height = float(root.get("width")), float(root.get("height"))
            for node in root.iter(SVG + "polyline"):
                points = [tuple(map(float, point.split(","))) for point in node.get("points").split()]
                self.assertTrue(all(0 <= x <= width and 0 <= y <= height for x, y in points), name)
                self.assertEqual(points, sorted(points))
        lines = [node.get("points").split() for node in self.drawn(recorded())["lengths"].iter(SVG + "polyline")]
        ours, dense = ([float(point.split(",")[1]) for point in line] for line in (lines[0], lines[-1]))
        self.assertTrue(all(a < b for a, b in zip(ours, dense)))

    def test_where_a_line_ends_is_said(self):
        words = {name: " ".join(node.text or "" for node in root.iter(SVG + "text")) for name, root in self.drawn(recorded()).items()}
        self.assertIn("looped MoE, PyTorch: ends where 262144 experts would take", words["experts"])
        self.assertIn("Cheems with dense attention alone: ends where 32768 tokens would take", words["lengths"])

    def test_marks_enclose_the_values(self):
        for values in ([3.0, 3.0], [1.0, 1e6], [80.0, 120.0], [1.0, 10.0], [0.3, 0.31]):
            marks = charts.heights([(None, list(enumerate(values)))])
            self.assertTrue(marks[0] <= min(values) and max(values) <= marks[-1] and 2 <= len(marks) <= 8, (values, marks))

    def test_without_samples_no_figure(self):
        results = recorded()
        results["samples"] = {}
        self.assertEqual(charts.all_charts(results, modules.figures()), {})


class Page(unittest.TestCase):
    def test_tables_and_figures_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page, file = pathlib.Path(folder) / "page.md", pathlib.Path(folder) / "run.json"
            file.write_text(json.dumps(recorded()))
            parts = ("machine", "compare", "modules", "weights", "precision", "costs")
            page.write_text("".join(f"<!-- {part}: begin -->\nold\n<!-- {part}: end -->\n" for part in parts))
            done = subprocess.run([sys.executable, HERE / "compare.py", "--recorded", file, "--write", page], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = page.read_text()
            self.assertNotIn("old", text)
            for row in modules.rows():
                self.assertEqual(sum(line.startswith(f"| {row.work} | {row.against} |") for line in text.splitlines()), 1, row.key)
            self.assertLessEqual({"experts.svg", "lengths.svg", "million.svg"}, {path.name for path in page.with_suffix("").iterdir()})
        page = HERE.parent / "docs" / "performance.md"
        for key in modules.figures():
            self.assertIn(f"(performance/{key.split('-')[1]}.svg)", page.read_text())


if __name__ == "__main__":
    unittest.main()
