"""One kernel for each instruction whose bits a GPU alone can show: what its lanes compute of given words.

Where the ISA says what an instruction computes, the GPU must give the software GPU's bits. Where it says a largest error, both may have
it, so they may differ by twice as much: by `relative` of the number and `absolute`.
"""
import random
import struct
from dataclasses import dataclass

WORDS = 1024  # of each input, a lane each
THREADS = 128
SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 2.0**-149, -(2.0**-140), 2.0**-126, 2.0**-25, 65504.0,
           3.4028234e38]


@dataclass(frozen=True)
class Probe:
    name: str
    inputs: str  # a letter each, see `word`
    output: str = "f32"
    relative: float = 0
    absolute: float = 0
    form: str = ""  # of the operands, if it is not d, a, b, ...

    @property
    def exact(self):
        return not (self.relative or self.absolute)

    def statement(self):
        operands = ["%d", "%a", "%b", "%c"][: 1 + len(self.inputs)]
        return f"{self.name} {self.form or ', '.join(operands)};"


APPROXIMATE = [
    Probe("ex2.approx.ftz.f32", "e", relative=2**-21),
    Probe("ex2.approx.f32", "e", relative=2**-21),
    Probe("lg2.approx.ftz.f32", "p", relative=2**-21, absolute=2**-21),
    Probe("rcp.approx.ftz.f32", "f", relative=2**-22),
    Probe("rsqrt.approx.ftz.f32", "p", relative=2**-21),
    Probe("sqrt.approx.ftz.f32", "p", relative=2**-22),
    Probe("sin.approx.ftz.f32", "a", absolute=2**-19),
    Probe("cos.approx.ftz.f32", "a", absolute=2**-19),
    Probe("tanh.approx.f32", "e", relative=2**-10),
    Probe("div.approx.ftz.f32", "ff", relative=2**-21),
    Probe("div.full.ftz.f32", "ff", relative=2**-21),
    Probe("div.full.f32", "ff", relative=2**-21),
]
EXACT = [
    *(Probe(name, "ss") for name in ("add.rn.f32", "mul.rn.f32", "div.rn.f32", "add.rn.ftz.f32", "mul.rn.ftz.f32", "min.f32", "max.f32")),
    *(Probe(name, "sss") for name in ("fma.rn.f32", "fma.rn.ftz.f32")),
    *(Probe(name, "s") for name in ("rcp.rn.f32", "sqrt.rn.f32", "cvt.rni.f32.f32", "cvt.rzi.f32.f32")),
    Probe("cvt.rn.bf16x2.f32", "ss", "bf16"),
    Probe("cvt.rn.f16x2.f32", "ss", "f16"),
    Probe("cvt.rna.tf32.f32", "f"),
    Probe("cvt.rni.s32.f32", "s", "i32"),
    Probe("cvt.rn.f32.s32", "w"),
    *(Probe(f"{name}.rn.bf16x2", "bbb", "bf16") for name in ("fma",)),
    *(Probe(f"{name}.rn.f16x2", "hhh"[: 2 + (name == "fma")], "f16") for name in ("add", "mul", "fma")),
    *(Probe(name, "ww", "i32") for name in ("mul.lo.s32", "mul.hi.s32", "mul.hi.u32", "and.b32")),
    *(Probe(name, "www", "i32") for name in ("mad.lo.s32", "prmt.b32", "dp4a.s32.s32", "shf.l.wrap.b32")),
    Probe("lop3.b32", "www", "i32", form="%d, %a, %b, %c, 0x96"),
    Probe("shfl.sync.bfly.b32", "w", "i32", form="%d, %a, 5, 31, -1"),
    Probe("redux.sync.add.s32", "w", "i32", form="%d, %a, -1"),
]
# (name, registers of A, of B, letter of their words, element of the sums, letter of the sums, exact)
PRODUCTS = [(f"mma.sync.aligned.m16n8k{k}.row.col.{sums}.{type_}.{type_}.{sums}", a, b, letter, element, kind, exact)
            for k, a, b, type_, sums, element, letters in
            ((16, 4, 2, "bf16", "f32", "f32", "bj"), (16, 4, 2, "f16", "f32", "f32", "hi"), (8, 4, 2, "tf32", "f32", "f32", "tk"),
             (32, 4, 2, "s8", "s32", "i32", " w"))
            for letter, kind, exact in ((letters[0], "u", False), (letters[1], "n", True)) if letter != " "]
PRODUCT_BOUND = 2**-17  # 16 products of at most 1 and a sum of at most 1, each step wrong by 2^-22 at most, on both sides


def bf16(value):
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def f16(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def word(letter, generator):
    """The bits of a random input."""
    small, whole = lambda: generator.uniform(-1, 1), lambda: float(generator.randint(-8, 8))
    gauss = lambda power: generator.gauss(0, 1) * 2.0 ** generator.randint(-power, power)
    f32 = lambda value: struct.unpack("<I", struct.pack("<f", value))[0]
    pair = lambda bits, value: bits(value()) | bits(value()) << 16
    return {
        "f": lambda: f32(gauss(20)),
        "s": lambda: f32(generator.choice(SPECIAL) if generator.random() < 0.2 else gauss(8)),
        "e": lambda: f32(generator.uniform(-20, 20)),
        "p": lambda: f32(2.0 ** generator.uniform(-20, 20)),
        "a": lambda: f32(generator.uniform(-3.14, 3.14)),
        "u": lambda: f32(small()),
        "n": lambda: f32(whole()) if generator.integral is None else generator.randint(0, 1000),
        "b": lambda: pair(bf16, small), "j": lambda: pair(bf16, whole),
        "h": lambda: pair(f16, small), "i": lambda: pair(f16, whole),
        "t": lambda: f32(small()) & 0xFFFFE000, "k": lambda: f32(whole()),
        "w": lambda: generator.getrandbits(32),
    }[letter]()


def words(letter, count, seed, integral=None):
    generator = random.Random(seed)
    generator.integral = integral
    return struct.pack(f"<{count}I", *(word(letter, generator) for _ in range(count)))


HEAD = """.version 7.8
.target sm_80
.address_size 64
.visible .entry probe({parameters}) {{
  .reg .b32 %d, %a, %b, %c, %d<4>, %a<4>, %b<4>, %c<4>, %i<4>;
  .reg .b64 %at, %p<4>;
  mov.u32 %i0, %ctaid.x;
  mov.u32 %i1, %tid.x;
  mad.lo.s32 %i0, %i0, {threads}, %i1;
  mul.wide.u32 %at, %i0, 4;
"""


def text(names, body, threads):
    lines = HEAD.format(parameters=", ".join(f".param .u64 {name}" for name in names), threads=threads)
    for i, name in enumerate(names):
        lines += f"  ld.param.u64 %p{i}, [{name}];\n  add.s64 %p{i}, %p{i}, %at;\n"
    return lines + "".join(f"  {line}\n" for line in body) + "  ret;\n}\n"


def buffer(kind, name, element, count):
    return {"kind": kind, "name": name, "dtype": element, "shape": [count]}


def entry(name, ptx, grid, threads, parameters, probe):
    return {"name": name, "instruction": name.split(",")[0], "target": "sm_80", "entry": "probe", "grid": [grid], "block": threads,
            "shared": 0, "params": parameters, "text": ptx, **probe}


def simple(probe, seed):
    """(entry, bytes of each buffer)"""
    names = "abc"[: len(probe.inputs)]
    body = [f"ld.global.b32 %{name}, [%p{i}];" for i, name in enumerate(names)]
    body += [probe.statement(), f"st.global.b32 [%p{len(names)}], %d;"]
    per_word = 2 if probe.output in ("bf16", "f16") else 1
    parameters = [buffer("in", name, "i32", WORDS) for name in names] + [buffer("out", "d", probe.output, WORDS * per_word)]
    buffers = {name: words(letter, WORDS, seed + i) for i, (name, letter) in enumerate(zip(names, probe.inputs))}
    buffers["d"] = bytes(4 * WORDS)
    bounds = {"exact": probe.exact, "relative": probe.relative, "absolute": probe.absolute}
    return entry(probe.name, text([*names, "d"], body, THREADS), WORDS // THREADS, THREADS, parameters, bounds), buffers


def product(name, a, b, letter, element, sums, exact, seed):
    """A warp's product; register r of lane l is word 32 r + l."""
    registers = {"a": a, "b": b, "c": 4, "d": 4}
    vector = lambda one: "{" + ", ".join(f"%{one}{r}" for r in range(registers[one])) + "}"
    body = [f"ld.global.b32 %{one}{r}, [%p{i} + {128 * r}];" for i, one in enumerate("abc") for r in range(registers[one])]
    body += [f"{name} {', '.join(map(vector, 'dabc'))};"]
    body += [f"st.global.b32 [%p3 + {128 * r}], %d{r};" for r in range(4)]
    parameters = [buffer("in", one, "i32", 32 * registers[one]) for one in "abc"] + [buffer("out", "d", element, 128)]
    integral = True if element == "i32" else None
    buffers = {one: words(sums if one == "c" else letter, 32 * registers[one], seed + i, integral) for i, one in enumerate("abc")}
    buffers["d"] = bytes(512)
    bounds = {"exact": exact, "relative": 0, "absolute": 0 if exact else PRODUCT_BOUND}
    return entry(name + (", whole numbers" if exact else ""), text("abcd", body, 32), 1, 32, parameters, bounds), buffers


def all_probes():
    for seed, probe in enumerate(APPROXIMATE + EXACT):
        yield simple(probe, 100 * seed)
    for seed, one in enumerate(PRODUCTS):
        yield product(*one, 10000 + 100 * seed)
