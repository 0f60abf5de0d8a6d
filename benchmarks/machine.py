"""What this machine is, which of its CPUs to take, and whether anyone else uses them."""
import os, pathlib, platform, re

SYSTEM = pathlib.Path("/sys/devices/system/cpu")
SHOWN = ["avx2", "fma", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni", "avx512_bf16", "avx512_fp16",
         "avx_vnni", "amx_tile", "amx_bf16", "amx_int8"]


def text(path, default=""):
    try:
        return path.read_text().strip()
    except OSError:
        return default


def cores(count):
    """`count` CPUs that this process may use, on different physical cores as long as there are such."""
    siblings, first, rest = set(), [], []
    for cpu in sorted(os.sched_getaffinity(0)):
        topology = SYSTEM / f"cpu{cpu}" / "topology"
        core = (text(topology / "physical_package_id"), text(topology / "core_id", str(cpu)))
        (rest if core in siblings else first).append(cpu)
        siblings.add(core)
    chosen = (first + rest)[:count]
    if len(chosen) < count:
        raise SystemExit(f"compare: {count} threads asked for, {len(chosen)} CPUs may be used here; lower --threads")
    return chosen


def size(words):
    """Bytes of "2048K" or "105M"."""
    number, unit = re.fullmatch(r"([0-9]+)([KMG]?)", words or "0").groups()
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit]


def describe():
    info = text(pathlib.Path("/proc/cpuinfo"))
    field = lambda name: (re.search(rf"^{name}\s*:\s*(.*)$", info, re.M) or [None, "?"])[1]
    flags = set(field("flags").split())
    caches = {}
    for index in sorted((SYSTEM / "cpu0" / "cache").glob("index*")):
        if text(index / "type") != "Instruction":
            caches["L" + text(index / "level")] = size(text(index / "size"))
    memory = re.search(r"MemTotal:\s+([0-9]+)", text(pathlib.Path("/proc/meminfo")))
    return dict(cpu=field("model name"), family=field("cpu family"), model=field("model"), stepping=field("stepping"),
                cpus=os.cpu_count(), virtual="hypervisor" in flags, features=[name for name in SHOWN if name in flags],
                caches=caches, memory=int(memory[1]) << 10 if memory else 0, system=f"{platform.system()} {platform.release()}")


class Watch:
    """Says how many CPUs were, since the last time it was asked, busy with what is not ours, and how many the host took.
    What a child used counts as ours once it has ended."""

    def __init__(self):
        self.last = self.now()

    @staticmethod
    def now():
        fields = [int(word) / os.sysconf("SC_CLK_TCK") for word in text(pathlib.Path("/proc/stat")).splitlines()[0].split()[1:9]]
        times = os.times()
        own = times.user + times.system + times.children_user + times.children_system
        return times.elapsed, sum(fields[:3]) + sum(fields[5:7]) - own, fields[7]

    def others(self):
        before, self.last = self.last, self.now()
        wall, busy, stolen = (new - old for new, old in zip(self.last, before))
        return (max(0.0, busy / wall), stolen / wall) if wall > 0 else (0.0, 0.0)
