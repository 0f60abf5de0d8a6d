#!/usr/bin/env python3
"""What compare.py makes of a recorded run: verdicts, page, pictures; and the generated models. Looks at no time."""
import argparse, copy, json, math, pathlib, struct, subprocess, sys, tempfile, unittest, unittest.mock
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import compare, machine, pictures, random_gguf, random_model, table, weights
from contenders import SEQUENCES, Job, Missing, Runner
from models import MODELS, VOCABULARY, Doge


def recorded():
    """A run with made-up figures: three rounds on a CPU with AMX, one peer left out."""
    return json.loads((HERE / "recorded.json").read_text())


PARTS = ("machine", "compare", "weights", "precision", "costs")  # those that the recorded run has anything for


def judge(results, key):
    return table.judge(next(row for row in table.rows() if row.key == key), results)


def scale(results, key, factor):
    sample = results["samples"][key]
    sample["rates"] = [rate * factor for rate in sample["rates"]]


class Verdicts(unittest.TestCase):
    def test_every_row_is_judged(self):
        keys = [row.key for row in table.rows()]
        self.assertEqual(len(keys), len(set(keys)))
        for row in table.rows():
            self.assertTrue(table.judge(row, recorded()).verdict.startswith(("met", "missed")), row.key)

    def test_share_of_bandwidth_is_bytes_times_rate(self):
        answer = judge(recorded(), "decode-1.3B-read")
        rounds = zip([31, 29, 30], [34.0, 32.0, 33.0])
        self.assertAlmostEqual(answer.ratio, sorted(rate * 1.0e9 / 1e9 / most for rate, most in rounds)[1])
        self.assertEqual(answer.verdict, "met")

    def test_bytes_of_a_step_are_weights_keys_and_values(self):
        # two bytes per number: 32768 * 768 + 768 + 24 * 5312899 weights, and 528 keys and values of 24 layers and three heads of 128
        self.assertEqual(MODELS["doge-160M"].step_bytes(528), 152676168 * 2 + 2 * 24 * 3 * 128 * 528 * 2)

    def test_a_model_that_a_cache_holds_has_no_share_of_bandwidth(self):
        results = recorded()
        results["samples"]["cheems/default/cheems-1.3B/decode 512"]["notes"]["bytes"] = 100e6
        answer = judge(results, "decode-1.3B-read")
        self.assertEqual((answer.verdict, answer.ratio), ("no share: fits the last cache", None))
        self.assertNotIn("read bandwidth", answer.bound)
        rates = table.rates_table(results, [row.ours for row in table.rows()])
        line = next(line for line in rates.splitlines() if line.startswith("| cheems | cheems-1.3B |"))
        self.assertIn("fits the last cache", line)
        self.assertNotIn("read bandwidth", line)

    def test_bandwidth_threshold_depends_on_amx(self):
        results = recorded()
        scale(results, "cheems/default/cheems-1.3B/decode 512", 0.88 / judge(results, "decode-1.3B-read").ratio)
        self.assertEqual(judge(results, "decode-1.3B-read").verdict, "met")
        results["machine"]["features"].remove("amx_bf16")
        self.assertEqual(judge(results, "decode-1.3B-read").verdict, "missed")

    def test_ratio_beyond_the_limit_counts_at_enough_of_it(self):
        results = recorded()
        answer = judge(results, "decode-320M-llama")
        self.assertLess(answer.ratio, 1.25)
        self.assertEqual(answer.verdict, "met: 90% of the limit")
        # the same ratio farther from the limit is missed
        for key in ("cheems", "llama.cpp"):
            scale(results, f"{key}/default/doge-320M/decode", 0.9)
        scale(results, "llama.cpp/flash/doge-320M/decode", 0.9)
        self.assertEqual(judge(results, "decode-320M-llama").verdict, "missed")

    def test_limits_of_the_same_run_count_first(self):
        results = recorded()
        own = results["samples"]["cheems/default/cheems-1.3B/decode 512"]["limits"]["read"]
        self.assertNotEqual(own, results["limits"]["read"])
        results["samples"]["cheems/default/cheems-1.3B/decode 512"]["limits"]["read"] = [2 * most for most in own]
        self.assertAlmostEqual(judge(results, "decode-1.3B-read").ratio, judge(recorded(), "decode-1.3B-read").ratio / 2)

    def test_what_fits_the_cache_is_not_excused_by_memory(self):
        results = recorded()
        scale(results, "llama.cpp/default/doge-20M/decode", 2)
        answer = judge(results, "decode-20M-llama")
        self.assertEqual(answer.verdict, "missed")
        self.assertIn("fits the last cache", answer.bound)

    def test_the_faster_peer_counts(self):
        answer = judge(recorded(), "decode-160M-transformers")
        self.assertEqual(answer.faster, "transformers f32")
        self.assertAlmostEqual(answer.ratio, 100 / 16)
        results = recorded()
        scale(results, "transformers/bf16/doge-160M/decode", 2)
        answer = judge(results, "decode-160M-transformers")
        self.assertEqual(answer.faster, "transformers bf16")
        self.assertAlmostEqual(answer.ratio, 90 / 22)

    def test_ratio_is_the_median_of_rounds(self):
        results = recorded()
        results["samples"]["cheems/amx/doge-160M/prefill"]["rates"] = [3000, 1000, 2000]
        results["samples"]["torch/bf16/doge-160M/prefill"]["rates"] = [1000, 1000, 1000]
        results["samples"]["torch/bf16 compiled/doge-160M/prefill"]["rates"] = [998, 998, 998]
        results["samples"]["transformers/bf16/doge-160M/prefill"]["rates"] = [999, 999, 999]
        self.assertAlmostEqual(judge(results, "prefill-amx-torch").ratio, 2)

    def test_many_sequences_against_as_many_singles(self):
        answer = judge(recorded(), "decode-160M-batch")
        self.assertAlmostEqual(answer.ratio, sorted(8 * b / a / 64 for a, b in zip([100, 90, 95], [520, 470, 500]))[1])
        self.assertEqual(answer.theirs, SEQUENCES * 95)
        self.assertTrue(answer.bound.startswith("memory: "))

    def test_a_peer_that_did_not_run_is_a_miss(self):
        answer = judge(recorded(), "prefill-avx512-llama")
        self.assertEqual(answer.verdict, "missed: peer not run")
        self.assertIn("LLAMA_BENCH_AVX512", answer.bound)

    def test_what_did_not_run_is_a_miss(self):
        results = recorded()
        del results["samples"]["cheems/default/doge-20M/decode"]
        self.assertEqual(judge(results, "decode-20M-llama").verdict, "missed: not run")
        results["limits"] = {}
        results["samples"]["cheems/default/cheems-1.3B/decode 512"]["limits"] = {}
        self.assertEqual(judge(results, "decode-1.3B-read").verdict, "missed: limit not measured")

    def test_no_amx_no_row(self):
        results = recorded()
        results["machine"]["features"].remove("amx_bf16")
        self.assertEqual(judge(results, "prefill-amx-torch").verdict, "not on this machine")


class Weights(unittest.TestCase):
    def test_rows_stand_beside_llama_cpp_and_ourselves(self):
        rows = {row.key: row for row in weights.rows()}
        self.assertEqual(len(rows), len(list(weights.rows())))
        self.assertEqual(rows["weights-int4-160M-llama"].peers[0], Job("llama.cpp", "", "doge-160M+int4", "decode"))
        self.assertEqual(rows["weights-int8-prefill"].threshold(["avx512_vnni"]), 1.3)
        self.assertEqual(rows["weights-int8-prefill"].threshold(["avx512vl"]), 0.8)

    def test_bytes_are_those_that_our_program_counts(self):
        results = recorded()
        row = next(row for row in weights.rows() if row.key == "weights-int8-1.3B-read")
        results["samples"][row.ours.key()] = dict(rates=[100.0], limits={"read": [20.0]}, notes={"bytes": 180e6})
        answer = table.judge(row, results)
        self.assertAlmostEqual(answer.ratio, 0.9)
        self.assertEqual(answer.verdict, "met")


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = pathlib.Path(folder.name) / "performance.md"

    def compare(self, *words):
        return subprocess.run([sys.executable, HERE / "compare.py", "--recorded", HERE / "recorded.json", *words],
                              capture_output=True, text=True)

    def test_table_has_every_row_and_pictures_are_beside_the_page(self):
        self.page.write_text("before\n" + "".join(f"<!-- {part}: begin -->\nold\n<!-- {part}: end -->\n" for part in PARTS) + "after\n")
        done = self.compare("--write", self.page)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
        self.assertIn("commit 0123456789, 2026-01-31", text)
        self.assertIn("| doge-shakespeare | int8 | KL divergence | 0.001500 | 0.001000 | missed |", text)
        self.assertIn("| cheems-1.3B | 17.2 | 900 MiB | 2690 MB | 0.21 |", text)
        self.assertIn("An empty parallel region costs 1.50 µs on 2 threads.", text)
        self.assertNotIn("old", text)
        for row in table.rows():
            self.assertEqual(sum(line.startswith(f"| {row.work} | {row.against} |") for line in text.splitlines()), 1, row.key)
        self.assertIn("amx_bf16", text)
        self.assertEqual({path.name for path in self.page.with_suffix("").iterdir()}, {"roofline.svg", "decode.svg", "prefill.svg"})
        again = text
        self.compare("--write", self.page)
        self.assertEqual(self.page.read_text(), again)

    def test_a_page_is_of_one_whole_run(self):
        self.page.write_text("old")
        for words in (["--only", "weights"], ["--quick"]):
            done = self.compare(*words, "--write", self.page)
            self.assertEqual(done.returncode, 2)
            self.assertIn("one whole run", done.stderr)
        self.assertEqual(self.page.read_text(), "old")

    def test_page_without_markers_stays(self):
        self.page.write_text("text\n<!-- machine: end -->\n<!-- machine: begin -->\n")
        done = self.compare("--write", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("machine: begin", done.stderr)
        self.assertIn("text", self.page.read_text())

    def test_only(self):
        lines = [line for line in self.compare("--only", "decode-20M").stdout.splitlines() if line.startswith("| decode, Doge")]
        self.assertEqual(len(lines), 1)
        self.assertEqual(self.compare("--only", "nothing").returncode, 2)

    def test_our_own_page_can_be_rewritten(self):
        page = HERE.parent / "docs" / "performance.md"
        self.page.write_text(page.read_text())
        self.assertEqual(self.compare("--write", self.page).returncode, 0)
        for name in ("roofline", "decode", "prefill"):
            self.assertIn(f"(performance/{name}.svg)", page.read_text())
            xml.parse(page.with_suffix("") / f"{name}.svg")


class Pictures(unittest.TestCase):
    SVG = "{http://www.w3.org/2000/svg}"

    def drawn(self, results):
        return {name: xml.fromstring(picture) for name, picture in pictures.all_pictures(results).items()}

    def test_nothing_from_outside_and_two_modes(self):
        for name, picture in pictures.all_pictures(recorded()).items():
            self.assertEqual(picture.count("http"), 1, name)  # the namespace
            self.assertIn("prefers-color-scheme: dark", picture)

    def test_everything_is_inside(self):
        for name, root in self.drawn(recorded()).items():
            width, height = float(root.get("width")), float(root.get("height"))
            for node in root.iter():
                for key, most in (("x", width), ("x1", width), ("x2", width), ("cx", width), ("y", height), ("y1", height), ("y2", height), ("cy", height)):
                    self.assertTrue(0 <= float(node.get(key, 0)) <= most, (name, node.attrib))

    def test_a_sign_for_each_decoding_rate_and_the_limit(self):
        root = self.drawn(recorded())["roofline"]
        titles = [node.text for node in root.iter(self.SVG + "title")][1:]
        decoded = [key for key in recorded()["samples"] if key.endswith("/decode")]
        self.assertEqual(len(titles), len(decoded))
        self.assertIn("cheems, doge-160M: 30.9 GB/s", titles)
        self.assertEqual([node.get("class") for node in root.iter(self.SVG + "line")].count("limit"), 1)
        words = [node.text for node in root.iter(self.SVG + "text")]
        self.assertIn("measured read bandwidth, 32.0 GB/s", words)

    def test_faster_is_longer(self):
        for name in ("decode", "prefill"):
            root = self.drawn(recorded())[name]
            bars = [float(node.get("width")) for node in root.iter(self.SVG + "rect")]
            self.assertEqual(len(bars), sum(key.endswith("/" + name) for key in recorded()["samples"]))
        # prefill is one group: in falling order, proportional to the rates
        rates = sorted((sorted(sample["rates"])[1] for key, sample in recorded()["samples"].items() if key.endswith("/prefill")), reverse=True)
        for bar, rate in zip(bars, rates):
            self.assertAlmostEqual(bar / bars[0], rate / rates[0], places=2)

    def test_without_rates_no_picture(self):
        results = recorded()
        results["samples"] = {}
        self.assertEqual(pictures.all_pictures(results), {})

    def test_names_are_escaped(self):
        self.assertIn("a &lt;b&gt; &amp;", pictures.text(0, 0, "a <b> &"))


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_published_sizes(self):
        millions = {name: round(model.parameters() / 1e6) for name, model in MODELS.items()}
        self.assertEqual({name: millions[name] for name in ("doge-20M", "doge-60M", "doge-160M", "doge-320M")},
                         {"doge-20M": 13, "doge-60M": 55, "doge-160M": 153, "doge-320M": 336})

    def test_folder_is_complete_and_finite(self):
        for dtype, width in (("bf16", 2), ("f32", 4)):
            model = Doge(64, 96, 2, 4, 2, 16)
            random_model.save(self.folder / dtype, model, dtype, 7)
            data = (self.folder / dtype / "model.safetensors").read_bytes()
            size = struct.unpack("<Q", data[:8])[0]
            header = json.loads(data[8 : 8 + size])
            self.assertEqual({name: tuple(entry["shape"]) for name, entry in header.items()}, dict(model.tensors()))
            self.assertEqual(max(entry["data_offsets"][1] for entry in header.values()), len(data) - 8 - size)
            self.assertEqual(len(data) - 8 - size, model.parameters() * width)
            config = json.loads((self.folder / dtype / "config.json").read_text())
            self.assertEqual((config["keep_window_size"], config["num_experts"]), (7, 16))
            start, end = header["model.layers.1.self_attn.A"]["data_offsets"]
            values = data[8 + size + start : 8 + size + end]
            values = struct.unpack(f"<{len(values) // width}f", values if width == 4 else b"".join(b"\0\0" + values[i : i + 2] for i in range(0, len(values), 2)))
            self.assertTrue(all(-1 < value < 0 for value in values), values)

    def test_rows_of_a_matrix_differ(self):
        with open(self.folder / "numbers", "wb") as file:
            at = random_model.write(file, 300000, "bf16", 1.0)
            random_model.write(file, 5, "bf16", 1.0, 0.0, at)
        data, pattern = (self.folder / "numbers").read_bytes(), random_model.pattern("bf16", 1.0, 0.0)
        self.assertEqual(data, (pattern * 2)[: 2 * 300005])
        count = len(pattern) // 2
        self.assertTrue(all(count % divisor for divisor in range(2, math.isqrt(count) + 1)))

    def test_gguf_holds_the_same_matrices(self):
        model = Doge(64, 96, 2, 4, 2)
        path = self.folder / "model.gguf"
        random_gguf.save(path, model)
        data = path.read_bytes()
        magic, version, tensors, pairs = struct.unpack("<4sIQQ", data[:24])
        self.assertEqual((magic, version, tensors, pairs), (b"GGUF", 3, 2 + 9 * model.layers, 14))
        ours = sorted(shape for name, shape in model.tensors() if len(shape) == 2 and "dt_proj" not in name)
        self.assertEqual(sorted(shape for _, shape in random_gguf.tensors(model) if len(shape) == 2), ours)
        at = data.index(b"output_norm.weight") + len("output_norm.weight")
        self.assertEqual(struct.unpack("<IQIQ", data[at : at + 24]), (1, 64, random_gguf.F32[0], VOCABULARY * 64 * 2))
        self.assertEqual(len(data) % random_gguf.ALIGNMENT, 0)

    def test_gguf_of_few_bits_is_as_long_as_its_tensors(self):
        model = Doge(256, 512, 1, 4, 2)
        inside = sum(math.prod(shape) for name, shape in random_gguf.tensors(model) if len(shape) == 2 and name != "token_embd.weight")
        for weights, bits, head in (("q8_0", 8.5, 8.5), ("q4_0", 4.5, 6.5625)):
            path = self.folder / f"{weights}.gguf"
            random_gguf.save(path, model, weights)
            data = path.read_bytes()
            expected = inside * bits / 8 + VOCABULARY * 256 * head / 8 + 3 * 256 * 4
            start = data.index(b"blk.0.ffn_down.weight") + len("blk.0.ffn_down.weight") + 32
            start += -start % random_gguf.ALIGNMENT
            self.assertEqual(len(data) - start, expected)

    def test_a_job_that_cannot_run_says_why(self):
        runner = Runner(self.folder, self.folder, 1, 8, 1)
        runner.features = ["avx2"]
        with self.assertRaisesRegex(Missing, "no amx_bf16"):
            runner.prepare(Job("cheems", "amx", "doge-20M", "decode"))
        with self.assertRaisesRegex(Missing, "import not_installed|not_installed"):
            runner.prepare(Job("not_installed", "", "doge-20M", "decode"))


    def test_what_dies_of_an_illegal_instruction_runs_once_more_a_set_lower(self):
        script = self.folder / "script.py"
        script.write_text("import os, signal\nif 'ONEDNN_MAX_CPU_ISA' not in os.environ: os.kill(os.getpid(), signal.SIGILL)\n"
                          "print(os.environ['ONEDNN_MAX_CPU_ISA'])\n")
        runner = Runner(self.folder, self.folder, 1, 8, 1)
        text, notes = runner.python(script)
        self.assertEqual(text.strip(), "AVX512_CORE_BF16")
        self.assertIn("illegal instruction", notes["forced"])
        results = recorded()
        results["samples"]["torch/bf16/doge-160M/decode"]["notes"].update(notes)
        self.assertIn(f"- torch: {notes['forced']}", table.machine_text(results))

    def test_a_peer_without_a_lower_set_is_missing_and_says_why(self):
        bench = self.folder / "llama-bench"
        bench.write_text("#!/bin/sh\nkill -ILL $$\n")
        bench.chmod(0o755)
        runner = Runner(self.folder, self.folder, 1, 8, 1)
        runner.made[self.folder / "doge-20M.gguf"] = True
        with unittest.mock.patch.dict("os.environ", LLAMA_BENCH=str(bench)), self.assertRaisesRegex(Missing, "illegal instruction; build it"):
            runner.sample(Job("llama.cpp", "flash", "doge-20M", "decode"))


class Disturbance(unittest.TestCase):
    def settings(self):
        return argparse.Namespace(threads=1, repeat=1, count=8, quick=False, only=["decode-20M"], bins=pathlib.Path("."), work=pathlib.Path(self.folder), patience=1)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_beside(self, others, prepare=lambda self, job: None):
        """A run of one job, where the watch says these numbers by turns."""
        job, said = Job("cheems", "", "doge-20M", "decode"), iter(others)
        with unittest.mock.patch.object(machine.Watch, "others", lambda self: (next(said), 0.0)), unittest.mock.patch("time.sleep"), \
             unittest.mock.patch.object(Runner, "prepare", prepare), unittest.mock.patch("os.sched_setaffinity"), \
             unittest.mock.patch.object(Runner, "sample", lambda self, job, due: (100.0, {}, {"read": 30.0})):
            return compare.measure([job], self.settings())

    def test_nothing_begins_beside_load(self):
        with self.assertRaisesRegex(SystemExit, "keep 0.50 CPUs busy"):
            self.run_beside([0.5], prepare=lambda self, job: self.fail("prepared"))

    def test_a_disturbed_round_is_made_again(self):
        # before; then at the beginning and at the end of each round
        results = self.run_beside([0.0, 0.0, 0.5, 0.0, 0.02])
        self.assertEqual(results["samples"]["cheems/default/doge-20M/decode"]["rates"], [100.0])
        self.assertEqual(results["busy"], [dict(others=0.02, stolen=0.0)])

    def test_after_three_disturbed_rounds_it_ends(self):
        with self.assertRaisesRegex(SystemExit, "3 rounds were disturbed"):
            self.run_beside([0.0] + [0.0, 0.5] * 3)


class Machine(unittest.TestCase):
    def test_as_many_cpus_as_asked_for(self):
        self.assertEqual(len(machine.cores(1)), 1)
        with self.assertRaisesRegex(SystemExit, "lower --threads"):
            machine.cores(1 << 20)

    def test_sizes(self):
        self.assertEqual([machine.size(words) for words in ("48K", "105M", "7", "")], [48 << 10, 105 << 20, 7, 0])


if __name__ == "__main__":
    unittest.main()
