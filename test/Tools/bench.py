#!/usr/bin/env python3
"""What cheems-bench prints, held against the formulas of docs/bench.md, told here a second time; no time is judged.

    bench.py BIN_DIR SOURCE_DIR

What takes long, such as limits of the machine and code for GPUs, is done for cases that CHEEMS_TEST_SEED draws; for all of them where
CHEEMS_TEST_LONG is set.
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

KEYS = {"test", "tokens_per_second", "threads", "seconds", "bytes", "operations", "gigabytes_per_second", "percent_of_read",
        "gigaflops_per_second", "percent_of_peak", "time_to_first_token_seconds", "load_seconds", "peak_memory_bytes",
        "artefact_bytes", "compile_seconds", "compile_peak_memory_bytes", "model_name", "variant", "weights", "parameters", "machine",
        "op", "shape", "chunk", "passes", "seconds_per_token", "loops", "working_set_bytes", "limit", "percent_of_limit"}
ONE_VARIANT = ("--cpu", "native")  # or compiling takes most of the time
SIZES = {"f32": 4, "bf16": 2, "i32": 4}


def run(tool, *arguments, code=0, **environment):
    words = [str(BIN / tool), *map(str, arguments)]
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, env=os.environ | environment)
    if result.returncode != code:
        raise AssertionError(f"exit {result.returncode}, not {code}: {' '.join(words)}\n{result.stderr}")
    return result.stdout, result.stderr


def rows(*arguments, limits=False, **environment):
    """Limits take far longer to measure than these tests, so few of them do."""
    out, err = run("cheems-bench", *arguments, *([] if limits else ["--no-limits"]), "-o", "json", **environment)
    return json.loads(out)


def drawn(*cases):
    """One of the cases, as a list, or all of them in long runs."""
    if "CHEEMS_TEST_LONG" in os.environ:
        return list(cases)
    return [random.Random(f"{os.environ.get('CHEEMS_TEST_SEED', '1')} {cases}").choice(cases)]


def work(op, numbers, chunk, rows, position, number):
    """Operations and bytes of a step of so many rows after others; `number` is the bytes of a weight, key or value."""
    if op == "ssd":
        heads, size, state, groups = (*numbers, 1)[:4]
        chunk = min(rows, chunk)
        row = heads * (4 * state * size + chunk * size) + groups * chunk * state if rows > 1 else 5 * heads * state * size
        return rows * row, 4 * (rows * (2 * heads * size + heads + 2 * groups * state) + 2 * heads * state * size)
    if op == "attention":
        heads, size, window = (*numbers, math.inf)[:3]
        seen = [min(position + row + 1, window) for row in range(rows)]
        return 4 * heads * size * sum(seen), 4 * rows * heads * (4 * size + 1) + 2 * number * heads * size * seen[-1]
    hidden, experts, per_head, heads = (*numbers, 1)[:4]
    each = 2 * hidden * 64 + 2 * 64 * math.isqrt(experts) + 4 * hidden * per_head
    return rows * heads * each, 2 * number * hidden * min(rows * per_head * heads, experts)


def numbers_of(folder):
    """Numbers in a checkpoint's safetensors files."""
    count = 0
    for path in folder.glob("model*.safetensors"):
        with open(path, "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        count += sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")
    return count


def step_bytes(model, sequences, length, position, logits):
    """Bytes a step must read, from what cheems-run --describe says of a model."""
    parameters = model["parameters"]
    tokens = sequences * length
    total = 0
    for p in parameters:
        use, stored, count = p.get("use", "vector"), p["shape"], p.get("logical", p["shape"])[0]
        size = SIZES[p["type"]] * math.prod(stored)
        rows = stored[0] * stored[2] if len(stored) == 4 else stored[0]  # padded
        if use == "experts":
            total += size // rows * min(count, tokens * model["experts_per_token"])
        elif use == "embedding" or (use == "tied" and not logits):
            total += size // rows * min(count, tokens)
        elif use not in ("head", "head_bias") or logits:
            total += size
    keys = position + length
    if model["keep_window"]:
        keys = min(keys, model["keep_window"])
    for kind in model["state"]:
        ring = "ring" in kind["shape"]
        growing = ring or "capacity" in kind["shape"]
        size = SIZES[kind["type"]] * math.prod(extent for extent in kind["shape"] if isinstance(extent, int))
        total += sequences * size * (min(keys, model["ring_window"]) if ring else keys if growing else position > 0)
    return total


class Bench(unittest.TestCase):
    def check(self, row, threads, limits=False):
        self.assertLessEqual(KEYS, set(row))
        self.assertEqual(row["threads"], threads)
        self.assertEqual(row["machine"]["threads"], threads)
        rates = [1 / seconds for seconds in row["seconds"]]
        mean = sum(rates) / len(rates)
        machine = row["machine"]
        for value, amount in (("tokens_per_second", row["tokens"]), ("gigabytes_per_second", row["bytes"] / 1e9),
                              ("gigaflops_per_second", row["operations"] / 1e9)):
            self.assertAlmostEqual(row[value] / (amount * mean), 1, 6, value)
        self.assertGreater(row["peak_memory_bytes"], row["artefact_bytes"] // 4)
        if row["op"] is None:
            self.assertEqual({row[key] for key in ("shape", "chunk", "passes", "loops", "limit", "percent_of_limit")}, {None})
        else:
            self.assertAlmostEqual(row["seconds_per_token"] * row["tokens"] / statistics.median(row["seconds"]), 1, 6)
        if limits:
            self.check_limits(row, machine)
            return
        self.assertEqual({row[key] for key in ("percent_of_read", "percent_of_peak", "limit", "percent_of_limit")}, {None})
        self.assertEqual({key for key, value in machine.items() if value is not None}, {"processor", "threads", "peak_unit"})

    def check_limits(self, row, machine):
        self.assertAlmostEqual(row["percent_of_read"] * machine["read_gigabytes_per_second"] / (100 * row["gigabytes_per_second"]), 1, 6)
        self.assertAlmostEqual(row["percent_of_peak"] * machine["peak_gigaflops_per_second"] / (100 * row["gigaflops_per_second"]), 1, 6)
        self.assertEqual(machine["gigaflops_per_second"][machine["peak_unit"]], machine["peak_gigaflops_per_second"])
        if row["op"] is None:
            return
        seconds = statistics.median(row["seconds"])
        near = row["working_set_bytes"] <= (machine["l2_bytes"] or 0)
        speed = machine["l2_gigabytes_per_second" if near else "read_gigabytes_per_second"]
        least = {"L2" if near else "memory": row["bytes"] / speed / 1e9,
                 machine["peak_unit"]: row["operations"] / machine["peak_gigaflops_per_second"] / 1e9}
        self.assertEqual(row["limit"], max(least, key=least.get))
        self.assertAlmostEqual(row["percent_of_limit"] * seconds / 100 / max(least.values()), 1, 6)

    def test_rows_follow_the_formula(self):
        limited = "demo" if "rows, operations for people" in LIMITED else None
        for name, path in MODELS.items():
            model = json.loads(run("cheems-run", path, "--describe=json")[0])
            got = rows(path, "-p", "5,70", "-n", 3, "-d", "0,9", "-b", 1, "-b", 3, "-r", 2, "-t", 1, "--prefill-chunk", 64, limits=name == limited)
            expected = {}
            for depth in (0, 9):
                at = f" @ d{depth}" if depth else ""
                expected["pp5" + at] = step_bytes(model, 1, 5, depth, True)
                expected["pp70" + at] = step_bytes(model, 1, 64, depth, False) + step_bytes(model, 1, 6, depth + 64, True)
                for sequences in (1, 3):
                    batch = f" b{sequences}" if sequences > 1 else ""
                    expected["tg3" + batch + at] = sum(step_bytes(model, sequences, 1, depth + i, True) for i in range(3))
            self.assertEqual({row["test"]: row["bytes"] for row in got}, expected, name)
            self.assertEqual([row["test"] for row in got], ["pp5", "pp70", "tg3", "tg3 b3", "pp5 @ d9", "pp70 @ d9", "tg3 @ d9", "tg3 b3 @ d9"])
            for row in got:
                self.check(row, 1, limits=name == limited)
                self.assertEqual(len(row["seconds"]), 2)
                self.assertEqual(row["artefact_bytes"], os.path.getsize(path))
                self.assertEqual(row["parameters"], numbers_of(FOLDERS[name]))
                self.assertEqual(row["variant"], model["file"]["variant"])
                self.assertEqual(row["time_to_first_token_seconds"] is None, row["test"].startswith("tg"))
                self.assertIsNone(row["compile_seconds"])
                self.assertGreater(row["load_seconds"], 0)

    def test_greedy_generation_looks_at_the_logits(self):
        for sequences in (1, 3):
            plain, greedy = (rows(MODELS["demo"], "-p", 0, "-n", 3, "-b", sequences, "-r", 1, "-t", 2, *more)[0] for more in ((), ("--greedy",)))
            self.assertEqual(greedy["test"], plain["test"] + " greedy")
            self.assertEqual((plain["greedy"], greedy["greedy"]), (False, True))
            self.assertEqual(greedy["bytes"], plain["bytes"])
        # a norm that gives NaN: random tokens do not care, what is chosen does
        broken, tensor = FOLDER / "broken", "model.norm.weight"
        shutil.copytree(FOLDERS["untied"], broken)
        with open(broken / "model.safetensors", "r+b") as file:
            size = int.from_bytes(file.read(8), "little")
            begin, end = json.loads(file.read(size))[tensor]["data_offsets"]
            file.seek(8 + size + begin)
            file.write(b"\xc0\x7f" * ((end - begin) // 2))
        run("cheems-compile", broken, "-o", FOLDER / "broken.cheems", *ONE_VARIANT)
        words = (FOLDER / "broken.cheems", "-p", 0, "-n", 2, "-r", 1, "--no-limits")
        run("cheems-bench", *words)
        self.assertIn("--greedy: the model gave a logit", run("cheems-bench", *words, "--greedy", code=1)[1])

    def test_a_table_for_people(self):
        limited = "operations, rows for people" in LIMITED
        out, err = run("cheems-bench", "-m", MODELS["demo"], "-p", 0, "-n", 2, "-r", 1, "-t", "1,2", *([] if limited else ["--no-limits"]))
        self.assertEqual(err, "")
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
        empty = lines.index([""])
        first, second = lines[:empty], lines[empty + 1 :]
        for table in (first, second):
            self.assertEqual({len(cells) for cells in table}, {len(table[0])})
            self.assertTrue(all(re.fullmatch("-+:?", cell) for cell in table[1]))
        self.assertEqual([(row[first[0].index("test")], row[first[0].index("threads")]) for row in first[2:]], [("tg2", "1"), ("tg2", "2")])
        self.assertRegex(first[2][first[0].index("t/s")], r"^\d+\.\d+ ± \d+\.\d+$")
        facts = dict(second[2:])
        for fact in ("processor", "peak memory", "demo: load to first token"):
            self.assertIn(fact, facts)
        for fact in ("read bandwidth, threads: 1", "read bandwidth, threads: 2"):
            self.assertEqual(fact in facts, limited)
        self.assertEqual(sum("% peak is of this" in value for value in facts.values()), 2 if limited else 0)

    def test_several_models_are_in_one_table(self):
        names = ["demo", "untied", "window"]
        paths = [MODELS[name] for name in names]
        for given in ((*paths, "-p", 2), ("-p", 2, *paths), ("-m", paths[0], "-m", paths[1], "-m", paths[2], "-p", 2)):
            got = rows(*given, "-n", "1,2", "-r", 1, "-t", 1)
            self.assertEqual([(row["model"], row["model_name"], row["test"]) for row in got],
                             [(str(MODELS[name]), name, test) for name in names for test in ("pp2", "tg1", "tg2")])
        for row in got:
            self.check(row, 1)
            self.assertEqual(row["parameters"], numbers_of(FOLDERS[row["model_name"]]))
        out, err = run("cheems-bench", *paths, "-p", 0, "-n", 1, "-r", 1, "-t", 1, "--no-limits")
        self.assertEqual(err, "")
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()]
        self.assertEqual([row[0].split()[0] for row in cells[2:5]], names)
        for share in ("% read", "% peak"):
            self.assertEqual({row[cells[0].index(share)] for row in cells[2:5]}, {"-"})
        self.assertNotIn("bandwidth", out)
        for name in names:
            for fact in ("load to first token", "peak memory"):
                self.assertIn(f"{name}: {fact}", [row[0] for row in cells])
        other = FOLDER / "other"
        other.mkdir()
        copy = pathlib.Path(shutil.copy(paths[1], other / "demo.cheems"))  # of the same name
        self.assertEqual([row["model_name"] for row in rows(paths[0], copy, "-p", 0, "-n", 1, "-r", 1, "-t", 1)], list(map(str, (paths[0], copy))))

    def test_a_model_folder_is_compiled_with_what_is_asked_for(self):
        folder = SOURCE / "test/golden/models/doge-tiny"
        cache = {"XDG_CACHE_HOME": str(FOLDER / "cache")}
        (row,) = rows(folder, "--weights", "int8", "--compile-args", " ".join(ONE_VARIANT), "-p", 0, "-n", 1, "-r", 1, "-t", 1, **cache)
        self.assertEqual((row["model_name"], row["weights"], row["parameters"]), ("doge-tiny", "int8", numbers_of(folder)))
        err = run("cheems-bench", MODELS["demo"], "--weights", "int8", code=2)[1]
        self.assertRegex(err, r"^cheems-bench: [^\n]+ was compiled already: --weights int8 [^\n]+\n$")

    def test_compiling_is_timed(self):
        folder = SOURCE / "test/golden/models/doge-tiny"
        (row,) = rows("--compile", folder, "--compile-args", " ".join(ONE_VARIANT), "-p", 4, "-n", 0, "-r", 1, "-t", 1)
        self.check(row, 1)
        self.assertEqual((row["model_name"], row["test"]), ("doge-tiny", "pp4"))
        self.assertGreater(row["compile_seconds"], 0)
        self.assertGreater(row["compile_peak_memory_bytes"], 1 << 20)
        self.assertEqual([path for path in FOLDER.iterdir() if "cheems-bench" in path.name], [])

    def test_a_model_whose_default_context_does_not_fit_is_timed_with_another(self):
        folder, path = FOLDER / "all keys", FOLDER / "long.cheems"
        shutil.copytree(FOLDERS["untied"], folder, copy_function=shutil.copyfile)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"keep_window_size": None}))
        run("cheems-compile", folder, "--cpu", "native", "--max-context", (1 << 31) - 1, "-o", path)  # 0.8 TB of keys and values
        (row,) = rows(path, "-c", 8, "-p", 0, "-n", 1, "-r", 1, "-t", 1)
        self.assertEqual(row["test"], "tg1")

    def test_matmuls_alone(self):
        got = rows("--ops", "matmul", "--shapes", "1x48x32,5x48x32", "--shapes", "7x16x40", "-r", 2, "-t", 1, "--weights", "f32")
        self.assertEqual([row["test"] for row in got], ["matmul 1x48x32", "matmul 5x48x32", "matmul 7x16x40"])
        for row, (m, n, k) in zip(got, ((1, 48, 32), (5, 48, 32), (7, 16, 40))):
            self.check(row, 1)
            self.assertEqual(row["operations"], 2 * m * n * k)
            self.assertEqual(row["bytes"], 4 * (n * k + k))  # the matrix and the norm's weights
            self.assertEqual((row["tokens"], row["weights"], row["load_seconds"]), (m, "f32", None))
        tests = [row["test"] for row in rows(MODELS["demo"], "--ops", "-p", 2, "-r", 1, "-t", 1)]
        model = json.loads(run("cheems-run", MODELS["demo"], "--describe=json")[0])
        head = next(p["logical"] for p in model["parameters"] if p.get("use") == "tied")
        shape = f"{head[0]}x{head[1]}"
        self.assertEqual({f"matmul 1x{shape}", f"matmul 2x{shape}"} - set(tests), set())
        self.assertEqual(len(tests), len(set(tests)))

    def test_matmuls_of_int4_are_refused_wherever_they_come_from(self):
        path = FOLDER / "int4.cheems"
        run("cheems-compile", FOLDERS["untied"], *ONE_VARIANT, "--weights", "int4", "-o", path)
        for arguments in ([path], ["--compile", FOLDERS["untied"], "--compile-args", "--weights int4 --cpu native"]):
            out, err = run("cheems-bench", *arguments, "--ops", "matmul", "-t", 1, code=2)
            self.assertEqual(out, "")
            self.assertRegex(err, r"^cheems-bench: [^\n]+ has int4 weights, [^\n]+ f32, bf16 or int8; [^\n]+\n$")

    def operation(self, op, shapes, *arguments, number=2, chunk=64, limits=False):
        """Rows of `op`, each held against its formula; steps of a prompt have at most `chunk` rows. One variant is made."""
        got = rows("--ops", op, "--shapes", ",".join(shapes), "-r", 2, "-t", 1, "--prefill-chunk", chunk, *arguments, limits=limits, CHEEMS_CPU="avx2")
        depths = [int(depth) for depth in arguments[1].split(",")] if arguments[:1] == ("-d",) else [0]
        self.assertEqual([(row["test"].split(" @ d")[0], row["depth"]) for row in got], [(f"{op} {shape}", depth) for shape in shapes for depth in depths])
        for row in got:
            self.check(row, 1, limits)
            count, *numbers = map(int, row["test"].split()[1].split("x"))
            self.assertEqual(row["op"], op)
            self.assertEqual(list(row["shape"].values())[: len(numbers) + 1], [count, *numbers])
            self.assertEqual((row["tokens"], row["variant"], row["chunk"] is not None), (count, "avx2", op == "ssd"))
            steps = [work(op, numbers, row["chunk"], min(chunk, count - done), row["depth"] + done, number) for done in range(0, count, chunk)]
            self.assertEqual((row["operations"], row["bytes"]), tuple(map(sum, zip(*steps))), row["test"])
            self.assertGreater(min(row["seconds"]), 0)
            self.assertGreaterEqual(row["passes"], 1)
            self.assertLessEqual(sum(row["loops"].values()), 1.0001 * sum(row["seconds"]) / 2)
            self.assertTrue(any(re.search({"ssd": "^ssd", "attention": "attention", "experts": "mix_experts"}[op], name) for name in row["loops"]), row["loops"])
        self.assertEqual([path for path in FOLDER.iterdir() if "cheems-bench" in path.name], [])
        return got

    def test_ssd_alone(self):
        self.operation("ssd", ["70x4x16x32x2", "1x4x16x32x2"], "-d", "0,9")

    def test_attention_alone(self):
        long, short = self.operation("attention", ["70x2x16x8", "1x2x16x8"], "-d", "20")
        self.assertEqual((long["shape"]["window"], long["working_set_bytes"]), (8, work("attention", (2, 16, 8), 0, 64, 20, 2)[1]))
        (row,) = self.operation("attention", ["70x2x16"])
        self.assertIsNone(row["shape"]["window"])

    def test_experts_alone(self):
        one, many = self.operation("experts", ["1x128x64x4x2", "9x128x64x4x2"], limits="operations, rows for people" in LIMITED)
        self.assertEqual(many["working_set_bytes"], 2 * 2 * 64 * 128)
        self.assertGreater(many["bytes"], one["bytes"])
        for shape, flag, value, number in drawn(("9x128x65x1", "--dtype", "f32", 4), ("9x128x64x4x2", "--group-experts", 4, 2),
                                                ("9x128x64x8", "--weights", "int8", (128 + 4) / 128)):  # integers and a scale
            self.operation("experts", [shape], flag, value, number=number)

    def test_operations_on_a_gpu(self):
        gpu = BIN.resolve().parent / "lib/libcheems-cuda-emulator.so"
        if not gpu.exists():
            print("skipped: cheems-bench on a GPU: no software GPU")
            self.skipTest("no software GPU")
        settings = {"CHEEMS_CUDA_DRIVER": str(gpu)}
        own = {"ssd": "^ssd_", "attention": "^(attention|store_entries|merge_splits)", "experts": "^(experts|key_scores)", "matmul": "^matmul"}
        long = drawn(("ssd", "70x4x16x32x2"), ("ssd", "1x4x16x32x2"), ("attention", "9x2x16"), ("experts", "9x128x64x4x2"))
        for op, shape in (*long, ("matmul", "5x64x32")):
            arguments = ["--ops", op, "--shapes", shape, "--device", "cuda", "-r", 1]
            out, err = run("cheems-bench", *arguments, "--no-limits", "-o", "json", **settings)
            (row,) = json.loads(out)
            self.assertEqual((row["test"], row["device"], row["variant"]), (f"{op} {shape}", "cuda:0", "cuda"))
            self.assertIn("warning: times of the software GPU mean nothing", err)
            self.assertGreater(min(row["seconds"]), 0)
            count, *numbers = map(int, shape.split("x"))
            if op != "matmul":
                operations, size = work(op, numbers, 1, count, 0, 2)
                # on a GPU rows of SSD are counted one by one
                operations = count * work(op, numbers, 1, 1, 0, 2)[0] if op == "ssd" else operations
                self.assertEqual((row["operations"], row["bytes"], row["chunk"]), (operations, size, None))
                self.assertTrue(row["loops"] and all(re.search(own[op], name) for name in row["loops"]), row["loops"])
            (counted,) = json.loads(run("cheems-bench", *arguments, "--counts", "-o", "json", **settings)[0])
            self.assertEqual((counted["of"], counted["test"], counted["bytes"]), (op, row["test"], row["bytes"]))
            (step,) = counted["counts"]["steps"]
            self.assertTrue(any(re.search(own[op], kernel["kernel"]) for kernel in step["kernels"]), step)
        self.assertEqual([path for path in FOLDER.iterdir() if "cheems-bench" in path.name], [])
        (step,) = json.loads(run("cheems-bench", SOURCE / "test/golden/models/cheems-moe", "--device", "cuda", "--compile-args", "--cuda-arch sm_90a",
                                 "-p", 0, "-n", 1, "-d", 9, "-b", 3, "--counts", "-o", "json", XDG_CACHE_HOME=str(FOLDER / "cache"), **settings)[0])
        names = [kernel["kernel"] for kernel in step["counts"]["steps"][0]["kernels"]]
        for part in ("ssd", "attention", "experts", "product"):
            self.assertTrue(any(name.startswith(part) for name in names), names)

    def test_compiled_operations_are_kept_and_taken(self):
        kept = FOLDER / "operations"
        kept.mkdir()
        ssd, product = ("--ops", "ssd", "--shapes", "3x2x16x16"), ("--ops", "matmul", "--shapes", "2x64x32")
        for arguments in (ssd, product):
            self.assertEqual(run("cheems-bench", *arguments, "--compiled", kept, "--compile-only", CHEEMS_CPU="avx2"), ("", ""))
        names = ["matmul-64x32-bf16-avx2.cheems", "ssd-2x16x16-bf16-avx2.cheems"]
        self.assertEqual(sorted(path.name for path in kept.iterdir()), names)
        before = [(kept / name).stat().st_mtime_ns for name in names]
        # a program with no compiler beside it
        alone = FOLDER / "alone"
        alone.mkdir()
        shutil.copy(BIN / "cheems-bench", alone)
        for arguments, test in ((ssd, "ssd 3x2x16x16"), (product, "matmul 2x64x32")):
            words = [alone / "cheems-bench", *arguments, "--compiled", kept, "-r", "1", "--no-limits", "-o", "json"]
            done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"CHEEMS_CPU": "avx2"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            (row,) = json.loads(done.stdout)
            self.assertEqual((row["test"], row["variant"]), (test, "avx2"))
        self.assertEqual([(kept / name).stat().st_mtime_ns for name in names], before)
        missing = subprocess.run([alone / "cheems-bench", "--ops", "ssd", "--shapes", "3x4x16x16", "--compiled", kept], capture_output=True, text=True)
        self.assertEqual(missing.returncode, 1)
        self.assertRegex(missing.stderr, r"^cheems-bench: there is no [^\n]*cheems-compile to compile [^\n]*\n$")

    def test_operations_for_people(self):
        limited = "rows, operations for people" in LIMITED
        out, err = run("cheems-bench", "--ops", "ssd", "--shapes", "3x2x16x16", "-r", 1, "-t", 1, *([] if limited else ["--no-limits"]), CHEEMS_CPU="avx2")
        self.assertEqual(err, "")
        head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in out.splitlines()[:3])
        self.assertEqual((head[0], row[0], head[-1]), ("operation", "ssd 3x2x16x16", "% of limit"))
        self.assertEqual(row[-1] == "-", not limited)
        if limited:
            self.assertGreater(float(row[-1]), 0)

    def test_an_operation_that_does_not_fit_is_refused(self):
        for op, shape in (("matmul", "1x16777216x16777216"), ("experts", "1x16777216x16777216x4"),
                          ("attention", "1x16777216x16777216"), ("ssd", "1x1x8388608x16777216")):
            out, err = run("cheems-bench", "--ops", op, "--shapes", shape, code=1)
            self.assertRegex(err, rf"^cheems-bench: {op} {shape} needs [0-9.]+ GiB of (disk|memory)[^\n]* are free\n$")
        self.assertEqual([path for path in FOLDER.iterdir() if "cheems-bench" in path.name], [])

    def test_ctrl_c_removes_the_folder(self):
        process = subprocess.Popen([str(BIN / "cheems-bench"), "--ops", "experts", "--shapes", "1x2048x65536x4"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not list(FOLDER.glob("cheems-bench-*/model.safetensors")) and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (130, b""))
        self.assertEqual(list(FOLDER.glob("cheems-bench-*")), [])

    def test_wrong_use_is_one_line(self):
        demo = MODELS["demo"]
        for arguments in ([], ["-p", "x", demo], [demo, "-r", 0], [demo, "-b", 0], [demo, "-t", 5000], [demo, "-p", -1], [demo, "-o", "xml"],
                          [demo, "--shapes", "1x2x3"], ["--ops", "matmul"], ["--ops", "other", "--shapes", "1x2x3"],
                          ["--ops", "matmul", "--shapes", "1x2"], ["--ops", "matmul", "--shapes", "1x2x0"],
                          ["--ops", "matmul", "--shapes", "1x2x3x"], ["--ops", "ssd", demo], ["--ops", "ssd", "--shapes", "1x2x3"],
                          ["--ops", "ssd", "--shapes", "8x4x16x15"], ["--ops", "ssd", "--shapes", "8x4x16x16x3"],
                          ["--ops", "attention", "--shapes", "8x4"], ["--ops", "attention", "--shapes", "8x4x3"],
                          ["--ops", "attention", "--shapes", "8x4x16x0"], ["--ops", "experts", "--shapes", "1x64x10x10"],
                          ["--ops", "experts", "--shapes", "1x64x99999999x1"], ["--ops", "experts", "--shapes", "1x64x-4x1"],
                          ["--ops", "ssd", "--shapes", "9x2x4x4", "--dtype", "f16"], ["--ops", "matmul", "--shapes", "1x2x3", "--weights", "int4"],
                          ["--ops", "matmul", "--shapes", "1x2x3", "--weights", "f16", "--device", "cuda"],
                          [SOURCE, "--ops", "--weights", "int4"], [SOURCE, "--ops", "-p", "9,65537"],
                          ["--ops", "ssd", "--compile-only"], ["--ops", "ssd", "--compiled", FOLDER / "none"], [demo, "--compiled", FOLDER],
                          ["--ops", "ssd", "--group-experts", 8], ["--ops", "ssd", "--kv", "int8"], ["--ops", "ssd", "--weights", "stored"],
                          ["--ops", "experts", "--group-experts", -1], [demo, "--compile", SOURCE], [demo, "-p", 9, "-c", 8], [demo, "--unknown"],
                          [demo, "-ngl", 9], [demo, "-p", 1, "-n4"], [demo, "-r", 10**20], [demo, "-p", f"5,{10**20}"]):
            out, err = run("cheems-bench", *arguments, code=2)
            self.assertEqual(out, "")
            self.assertRegex(err, r"^cheems-bench: [^\n]+\n$", arguments)
            if arguments[1:2] == ["-ngl"]:
                self.assertIn("no -ngl: ", err)
            if str(10**20) in str(arguments):
                self.assertIn(f"'{10**20}'", err)
        for arguments, code in ((["no-such-file"], 1), (["--compile", FOLDER], 1)):
            out, err = run("cheems-bench", *arguments, code=code)
            self.assertEqual((out, len(err.splitlines())), ("", 1))

    def test_ctrl_c_ends_it(self):
        process = subprocess.Popen([str(BIN / "cheems-bench"), str(MODELS["demo"]), "-r", "100000", "-t", "1"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out, err), (130, b"", b"cheems-bench: interrupted\n"))


# of tables and lists, of models and operations: each of these has both
LIMITED = drawn("rows, operations for people", "operations, rows for people")

if __name__ == "__main__":
    BIN, SOURCE = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        os.environ["TMPDIR"] = folder
        MODELS = {"demo": SOURCE / "models/cheems-shakespeare", "window": SOURCE / "test/golden/models/cheems-window",
                  "untied": SOURCE / "test/golden/models/doge-untied-bf16"}
        FOLDERS = dict(MODELS)
        for name, source in FOLDERS.items():
            MODELS[name] = FOLDER / f"{name}.cheems"
            run("cheems-compile", source, "-o", MODELS[name], *ONE_VARIANT)
        unittest.main()
