"""PTX of a chain of matmuls, as launches and as one kernel with a barrier of the whole grid between matmuls.

A layer is an MLP for one row, as decoding has it: h = silu(gate x) * (up x), and then x += down h. Weights are bf16, and everything else is f32.
A warp computes an output, and each lane takes 8 weights at a time. Whatever the form is, a matmul has the same instructions in the same order,
so the results are the same bits.
"""
HIDDEN, WIDE = 768, 1536
WARPS = 4
THREADS = 32 * WARPS
LOADED = 256  # weights of a row that a warp loads at once

HEAD = """.version 8.0
.target %s
.address_size 64
"""

# %x0 is the row, %h the values between the matmuls, %counter what the blocks count up.
ENTRY = """
.visible .entry %(name)s(.param .u64 gate, .param .u64 up, .param .u64 down, .param .u64 x, .param .u64 h, .param .u64 counter,
                         .param .u32 number, .param .u32 layers) {
  .reg .pred %%p<8>;
  .reg .b32 %%r<32>, %%w<64>;
  .reg .b64 %%rd<32>, %%gate, %%up, %%down, %%x0, %%h, %%counter, %%target, %%blocks;
  .reg .f32 %%a<64>, %%s<8>, %%t<8>;
  ld.param.u64 %%gate, [gate];
  ld.param.u64 %%up, [up];
  ld.param.u64 %%down, [down];
  ld.param.u64 %%x0, [x];
  ld.param.u64 %%h, [h];
  ld.param.u64 %%counter, [counter];
  ld.param.u32 %%r0, [number];
  ld.param.u32 %%r1, [layers];
  mov.u32 %%r2, %%tid.x;
  and.b32 %%r3, %%r2, 31;
  shr.u32 %%r4, %%r2, 5;
  mov.u32 %%r5, %%ctaid.x;
  mov.u32 %%r6, %%nctaid.x;
  mad.lo.u32 %%r7, %%r5, %(warps)d, %%r4; // of all warps, this one
  mul.lo.u32 %%r8, %%r6, %(warps)d;
  mul.wide.u32 %%rd0, %%r3, 16; // bytes of weights before a lane's
  mul.wide.u32 %%rd1, %%r3, 32; // and of values
  setp.eq.u32 %%p0, %%r2, 0;
  setp.eq.u32 %%p1, %%r3, 0;
%(body)s
  ret;
}
"""


def pieces(length):
    return length // LOADED


def weights(matrices, length, outputs):
    """Loads the row of output %r9 of each matrix, if there is such an output."""
    lines = [f"  setp.lt.u32 %p2, %r9, {outputs};"]
    for number, matrix in enumerate(matrices):
        lines += [f"  mad.lo.u32 %r10, %r0, {outputs}, %r9;", f"  mul.wide.u32 %rd2, %r10, {2 * length};", f"  add.s64 %rd2, %rd2, {matrix};",
                  "  add.s64 %rd2, %rd2, %rd0;"]
        for piece in range(pieces(length)):
            at = 4 * (number * pieces(length) + piece)
            names = ", ".join(f"%w{at + i}" for i in range(4))
            lines.append(f"  @%p2 ld.global.nc.v4.b32 {{{names}}}, [%rd2 + {2 * LOADED * piece}];")
    return lines


def values(pointer, length):
    """A lane's part of the row that all outputs are products with."""
    lines = [f"  add.s64 %rd3, {pointer}, %rd1;"]
    for piece in range(pieces(length)):
        for half in range(2):
            names = ", ".join(f"%a{8 * piece + 4 * half + i}" for i in range(4))
            lines.append(f"  ld.global.v4.f32 {{{names}}}, [%rd3 + {4 * LOADED * piece + 16 * half}];")
    return lines


def sums(count, length):
    """%s0, ...: the products of the loaded rows with the values, in all lanes."""
    lines = [f"  mov.f32 %s{number}, 0f00000000;" for number in range(count)]
    for number in range(count):
        for piece in range(pieces(length)):
            for word in range(4):
                at = f"%w{4 * (number * pieces(length) + piece) + word}"
                lines += [f"  shl.b32 %r11, {at}, 16;", "  mov.b32 %t0, %r11;", f"  and.b32 %r12, {at}, 0xffff0000;", "  mov.b32 %t1, %r12;",
                          f"  fma.rn.f32 %s{number}, %t0, %a{8 * piece + 2 * word}, %s{number};",
                          f"  fma.rn.f32 %s{number}, %t1, %a{8 * piece + 2 * word + 1}, %s{number};"]
        for distance in (16, 8, 4, 2, 1):
            lines += [f"  mov.b32 %r11, %s{number};", f"  shfl.sync.bfly.b32 %r12, %r11, {distance}, 31, -1;", "  mov.b32 %t0, %r12;",
                      f"  add.rn.f32 %s{number}, %s{number}, %t0;"]
    return lines


def phase(label, matrices, length, outputs, pointer, end, wait, ahead):
    """One matmul. `wait` makes `pointer` readable; the first weights are loaded before it or after it."""
    first = ["  mov.u32 %r9, %r7;", *weights(matrices, length, outputs)]
    return [*([*first, *wait] if ahead else [*wait, *first]), *values(pointer, length),
            f"{label}:", f"  setp.ge.u32 %p3, %r9, {outputs};", f"  @%p3 bra {label}_end;", *sums(len(matrices), length), *end,
            "  add.u32 %r9, %r9, %r8;", *weights(matrices, length, outputs), f"  bra {label};", f"{label}_end:"]


def between(wait, ahead):
    """h = silu(gate x) * (up x)"""
    end = ["  mul.rn.f32 %t0, %s0, 0fBFB8AA3B;", "  ex2.approx.ftz.f32 %t0, %t0;", "  add.rn.f32 %t0, %t0, 0f3F800000;",
           "  rcp.approx.ftz.f32 %t0, %t0;", "  mul.rn.f32 %t0, %t0, %s0;", "  mul.rn.f32 %t0, %t0, %s1;", "  mul.wide.u32 %rd4, %r9, 4;",
           "  add.s64 %rd4, %rd4, %h;", "  @%p1 st.global.f32 [%rd4], %t0;"]
    return phase("between", ["%gate", "%up"], HIDDEN, WIDE, "%x0", end, wait, ahead)


def back(wait, ahead):
    """x += down h"""
    end = ["  mul.wide.u32 %rd4, %r9, 4;", "  add.s64 %rd4, %rd4, %x0;", "  @%p1 ld.global.f32 %t0, [%rd4];", "  @%p1 add.rn.f32 %t0, %t0, %s0;",
           "  @%p1 st.global.f32 [%rd4], %t0;"]
    return phase("back", ["%down"], WIDE, HIDDEN, "%h", end, wait, ahead)


# Thread 0 of each block counts its block and waits until all are counted. The others wait at the block's own barriers. Those, the release and the
# acquire order what any thread wrote before it before what any thread reads after it.
def grid_barrier(label):
    return ["  add.s64 %target, %target, %blocks;", "  bar.sync 0;", f"  @!%p0 bra {label}_passed;",
            "  red.release.gpu.global.add.u64 [%counter], 1;", f"{label}_poll:", "  ld.acquire.gpu.global.u64 %rd5, [%counter];",
            "  setp.lt.u64 %p4, %rd5, %target;", f"  @%p4 bra {label}_poll;", f"{label}_passed:", "  bar.sync 0;"]


# The count is never set back. Until a block has passed a launch's first barrier, it is less than a grid above what earlier launches left.
BEGIN = ["  mul.lo.u32 %r13, %r1, 2;", "  sub.u32 %r13, %r13, 1;", "  mul.wide.u32 %rd6, %r13, %r6;", "  cvt.u64.u32 %blocks, %r6;",
         "  mov.b64 %target, 0;", "  @%p0 ld.relaxed.gpu.global.u64 %target, [%counter];",
         "  div.u64 %target, %target, %rd6;", "  mul.lo.u64 %target, %target, %rd6;"]


def entry(name, body):
    return ENTRY % {"name": name, "warps": WARPS, "body": "\n".join(body)}


def launched(architecture, ahead):
    """The two kernels of a layer. On sm_90 they may start while the kernel in front still runs, and wait for it."""
    wait = ["  griddepcontrol.wait;", "  griddepcontrol.launch_dependents;"] if architecture >= "sm_90" else []
    return HEAD % architecture + entry("between", between(wait, ahead)) + entry("back", back(wait, ahead))


def persistent(architecture, ahead, synchronized=True):
    """All layers in one kernel; every block must be resident. Without barriers it is wrong, which the software GPU has to find."""
    second = grid_barrier("second") if synchronized else []
    first = ["  setp.eq.u32 %p5, %r0, 0;", "  @%p5 bra begun;", *grid_barrier("first"), "begun:"] if synchronized else []
    body = [*BEGIN, "  mov.u32 %r0, 0;", "layer:", *between(first, ahead), *back(second, ahead), "  add.u32 %r0, %r0, 1;",
            "  setp.lt.u32 %p5, %r0, %r1;", "  @%p5 bra layer;"]
    return HEAD % architecture + entry("persistent", body)
