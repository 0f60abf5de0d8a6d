"""How each contender is run: one job is one program, model and test, and a sample is what one run of it says."""
import dataclasses, json, math, os, pathlib, re, signal, statistics, subprocess, sys, tempfile, time
import machine, random_gguf, random_model
from models import MODELS, VOCABULARY, weights_of

HERE = pathlib.Path(__file__).resolve().parent
PROMPT = DEPTH = 512
SEQUENCES = 8
OPS = ("ssd", "attention", "experts")
# tokens from which on a prompt runs once, in cheems-run, which has no warm-up
LONG = 16384
LOOP_PATIENCE = 15  # seconds that a loop over experts may take
# what a forced variant needs of the CPU
VARIANTS = {"amx": "amx_bf16", "avx512bf16": "avx512_bf16", "avx512": "avx512vl", "avx2": "avx2"}

# of expert retrieval in PyTorch
KINDS = ("cdmoe", "pkm", "peer", "loop", "onehot")


# What oneDNN is kept to where its AMX code ends with an illegal instruction, as it does on some virtual machines.
LOWER_ISA = "AVX512_CORE_BF16"


class Missing(Exception):
    """A contender that cannot run here; the message says what it lacks."""


class IllegalInstruction(Missing):
    """It ran code that this CPU, or the host below it, does not."""


@dataclasses.dataclass(frozen=True)
class Job:
    by: str  # cheems, llama.cpp, torch, transformers
    how: str  # words: a forced variant; a build, flash attention; a kind of expert retrieval, a type, whether compiled; empty: as it comes
    model: str  # of a single operation its shape, as cheems-bench spells it
    test: str  # prefill, decode, the same with a number of tokens, batch: decoding of several sequences at once, or an operation

    def name(self):
        return " ".join(filter(None, (self.by, self.how)))

    def key(self):
        return "/".join((self.by, self.how or "default", self.model, self.test))

    def tokens(self):
        """Returns the tokens of a prompt, or those that are there before decoding."""
        return int(self.test.split()[1]) if " " in self.test else PROMPT if self.test == "prefill" else DEPTH


def run(command, environment={}):
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    except OSError as error:
        raise Missing(f"cannot run {command[0]}: {error.strerror}")
    if done.returncode == -signal.SIGILL:
        raise IllegalInstruction(f"{pathlib.Path(command[0]).name} ended with an illegal instruction")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Missing(f"{pathlib.Path(command[0]).name} failed ({done.returncode}): {last}")
    return done.stdout


def watched(command):
    """The most memory that a program took, and what it said on stderr."""
    with tempfile.TemporaryFile("w+") as log:
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        peak = 0
        while child.poll() is None:
            # its own high-water mark: rusage would have that of this process before exec in it
            peak = max([peak] + [int(kib) << 10 for kib in re.findall(r"VmHWM:\s+([0-9]+) kB", machine.text(pathlib.Path(f"/proc/{child.pid}/status")))])
            time.sleep(0.005)
        log.seek(0)
        said = log.read()
    if child.returncode:
        raise Missing(f"{pathlib.Path(command[0]).name} failed ({child.returncode}): {(said.strip().splitlines() or ['no message'])[-1]}")
    return peak, said


class Runner:
    def __init__(self, bins, work, threads, count, repeat, patience=200):
        self.bins, self.work, self.threads, self.count, self.repeat = bins, work, threads, count, repeat
        self.patience = patience  # seconds that one long prompt may take
        self.features = machine.describe()["features"]
        self.made, self.told, self.taken = {}, {}, {}
        self.lowered = {}  # environment of the Python programs that died of an illegal instruction

    def once(self, path, make):
        """`path`, made by the first call that asks for it."""
        if path not in self.made:
            make()
            self.made[path] = path
        return path

    def folder(self, model):
        model, _ = weights_of(model)
        folder = self.work / model
        return self.once(folder, lambda: (folder / "config.json").exists() or random_model.save(folder, MODELS[model]))

    def artefact(self, model):
        path, compiler = self.work / f"{model}.cheems", self.bins / "cheems-compile"
        sources = (compiler, self.folder(model) / "config.json")
        fresh = lambda: path.exists() and all(source.exists() and source.stat().st_mtime < path.stat().st_mtime for source in sources)
        _, weights = weights_of(model)
        return self.once(path, lambda: fresh() or run([compiler, self.folder(model), "-o", path, *(["--weights", weights] if weights else [])]))

    def costs(self, model):
        """What compiling a model takes, and how long it takes to its first token."""
        folder, path = self.folder(model), self.work / f"{model}.cheems"
        _, weights = weights_of(model)
        flags = [word for pair in (("--weights", weights),) if weights for word in pair]
        begin = time.monotonic()
        peak, _ = watched([self.bins / "cheems-compile", folder, "-o", path, *flags])
        seconds = time.monotonic() - begin
        self.made[path] = path
        row = json.loads(run([self.bins / "cheems-bench", path, "-t", self.threads, "-r", 1, "-p", 0, "-n", 1, "-o", "json"]))[-1]
        return dict(seconds=seconds, peak=peak, bytes=path.stat().st_size, load=row["load_seconds"])

    def gguf(self, model):
        path = self.work / f"{model}.gguf"
        name, weights = weights_of(model)
        kind = {None: "bf16", "int8": "q8_0", "int4": "q4_0"}[weights]
        return self.once(path, lambda: path.exists() or random_gguf.save(path, MODELS[name], kind))

    def prepare(self, job):
        """Makes what a job runs on, and says whether it can run here."""
        if job.by == "cheems":
            if job.how and VARIANTS[job.how] not in self.features:
                raise Missing(f"no {VARIANTS[job.how]} in this CPU")
            if job.test not in OPS:
                self.artefact(job.model)
        elif job.by == "llama.cpp":
            self.llama_bench(job)
            self.gguf(job.model)
        else:
            self.once(job.by, lambda: run([sys.executable, "-c", f"import {job.by}"]))
            if job.test not in OPS:
                self.folder(job.model)

    def sample(self, job, beside=()):
        """Tokens a second, what else the program says about the run, and the limits of this machine that it measured.
        `by_columns` are jobs that a run of this one's program may time as well; their samples are kept until asked for."""
        if job.test in OPS:
            return self.operation(job, [job, *(other for other in beside if other != job and self.together(other) == self.together(job))])
        if job.test.startswith("prefill ") and (job.tokens() >= LONG or job.model.endswith("-pair")):
            return self.prompt(job)
        return {"cheems": self.cheems, "llama.cpp": self.llama}.get(job.by, self.torch)(job)

    def llama_bench(self, job):
        build = " ".join(word for word in job.how.split() if word != "flash")
        name = "LLAMA_BENCH_" + build.upper() if build else "LLAMA_BENCH"
        path = os.environ.get(name, "")
        if not path and build and not {"avx512_vnni", "avx512_bf16"} & set(self.features):
            path = os.environ.get("LLAMA_BENCH", "")  # a native build has no more than AVX-512 here
        if not path:
            raise Missing(f"{name} names no llama-bench")
        return path

    def tests(self, job):
        return ["-p", job.tokens(), "-n", 0] if job.test.startswith("prefill") else ["-p", 0, "-n", self.count, "-d", job.tokens()]

    def cheems(self, job):
        more = ["-b", SEQUENCES] if job.test == "batch" else []
        repeat = 1 if job.test.startswith("prefill ") and job.tokens() > PROMPT else self.repeat
        row = json.loads(run([self.bins / "cheems-bench", self.artefact(job.model), "-t", self.threads, "-r", repeat,
                              "-o", "json", *self.tests(job), *more], {"CHEEMS_CPU": job.how} if job.how else {}))[-1]
        if job.test.startswith("prefill"):
            self.took(job, job.tokens() / row["tokens_per_second_median"])
        return self.measured(row)

    def took(self, job, seconds):
        """Remembers it, and with which power of its length the time of a token grew since the last time."""
        tokens, (before, last, growth) = job.tokens(), self.taken.get(job.model, (0, 0, 0))
        if before and tokens > before:
            growth = max(0, math.log(seconds / tokens * before / last) / math.log(tokens / before))
        self.taken[job.model] = (tokens, seconds, growth)

    @staticmethod
    def measured(row):
        limits = {"read": row["machine"]["read_gigabytes_per_second"], "region": row["machine"]["region_microseconds"],
                  **row["machine"]["gigaflops_per_second"]}
        notes = dict(variant=row["variant"], unit=row["machine"]["peak_unit"], bytes=row["bytes"] / row["tokens"],
                     operations=row["operations"] / row["tokens"], peak_memory=row["peak_memory_bytes"])
        if row.get("op"):
            notes.update(limit=row["limit"], share=row["percent_of_limit"] / 100, chunk=row["chunk"])
            gather = sum(seconds for loop, seconds in (row.get("loops") or {}).items() if "mix_experts" in loop)
            if gather:
                notes.update(gathered=row["bytes"] / gather / 1e9)
        return row["tokens_per_second_median"], notes, limits

    def llama(self, job):
        flash = int("flash" in job.how.split())
        try:
            text = run([self.llama_bench(job), "-m", self.gguf(job.model), "-t", self.threads, "-r", self.repeat, "-fa", flash, "-o", "json", *self.tests(job)])
        except IllegalInstruction as reason:
            raise Missing(f"{reason}; build it without the instruction set that this host lacks (GGML_NATIVE=OFF) and name that")
        rows = json.loads(text)
        return statistics.median(rows[-1]["samples_ts"]), {"build": rows[-1]["build_commit"]}, {}

    def python(self, script, *words):
        """What a script of ours prints. Where it dies of an illegal instruction, once more with oneDNN kept to a lower set,
        and so from then on; what then was forced."""
        command = [sys.executable, HERE / script, "--threads", self.threads, *words]
        if not self.lowered:
            try:
                return run(command), {}
            except IllegalInstruction:
                self.lowered = {"ONEDNN_MAX_CPU_ISA": LOWER_ISA}
        return run(command, self.lowered), {"forced": f"{LOWER_ISA} at most, because AMX code ended with an illegal instruction"}

    @staticmethod
    def mode(job):
        """Flags of a script for a job's type and for whether it is compiled."""
        words = job.how.split()
        return ["--dtype", "bf16" if "bf16" in words else "f32", *(["--compile"] if "compiled" in words else [])]

    def torch(self, job):
        counts = ["--prefill", PROMPT] if job.test == "prefill" else ["--depth", DEPTH, "--count", self.count]
        text, notes = self.python("torch_doge.py", self.folder(job.model), "--by", job.by, *self.mode(job), "--repeat", 1, *counts)
        row = json.loads(text)
        return row[job.test], {"version": row["version"], **notes}, {}

    @staticmethod
    def together(job):
        """What operations share that one run of a program times: experts their tables, which take long to make."""
        mode = [word for word in job.how.split() if word not in KINDS]
        return job.by, job.test, mode, job.model.split("x")[1:3] if job.test == "experts" else job.model

    def operation(self, job, jobs):
        """A sample of each of the jobs by one run of the program, and that of the first."""
        if job.key() not in self.told:
            jobs = [other for other in jobs if self.expected(other) <= LOOP_PATIENCE]
            if job not in jobs:
                raise Missing(f"{job.model.split('x')[2]} experts would take {self.expected(job):.0f} s")
            shapes, repeat = [job.model for job in jobs], max(2, self.repeat)
            if job.by == "cheems":
                rows = json.loads(run([self.bins / "cheems-bench", "--ops", job.test, "--shapes", ",".join(shapes), "-t", self.threads,
                                       "-r", repeat, "-o", "json"], {"CHEEMS_CPU": job.how} if job.how else {}))
                samples = [self.measured(row) for row in rows]
            else:
                kind = lambda job: next((word for word in job.how.split() if word in KINDS), job.test)
                text, notes = self.python("torch_modules.py", *self.mode(job), "--repeat", repeat, *(f"{kind(other)}={other.model}" for other in jobs))
                samples = [(row["tokens_per_second"], {"version": row["version"], **notes}, {}) for row in map(json.loads, text.splitlines())]
            for other, sample in zip(jobs, samples):
                self.told[other.key()] = sample
                if other.how == "loop":
                    rows, _, count, _ = (int(word) for word in other.model.split("x"))
                    self.taken[other.how] = rows / sample[0] / count
        return self.told.pop(job.key())

    def expected(self, job):
        """Seconds of a loop over experts, as one before let expect; of all else nothing."""
        return self.taken.get(job.how, 0) * int(job.model.split("x")[2]) if job.how == "loop" else 0

    def prompt(self, job):
        """One prompt in a process of its own, with the most memory that it took, and 32 tokens after it."""
        tokens, (before, seconds, growth) = job.tokens(), self.taken.get(job.model, (0, 0, 0))
        expected = before and seconds * (tokens / before) ** (1 + growth)
        if expected > self.patience:
            raise Missing(f"{tokens} tokens would take {expected:.0f} s")
        with tempfile.NamedTemporaryFile("w") as ids:
            ids.write(",".join(str(i * 7919 % VOCABULARY) for i in range(tokens)))
            ids.flush()
            peak, said = watched([self.bins / "cheems-run", self.artefact(job.model), "--prompt-ids", f"@{ids.name}", "-n", 33, "-c", tokens + 64,
                                  "--temp", 0, "--ignore-eos", "--print-ids", "-t", self.threads])
        prefill, decode = (float(rate) for rate in re.findall(r"([0-9.]+) tokens/s", said)[-2:])
        self.took(job, tokens / prefill)
        return prefill, dict(peak_memory=peak, decode=decode), {}
