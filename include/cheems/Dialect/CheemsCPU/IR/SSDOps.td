// State-space duality: the sequence transformation with a running state.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_SSDOPS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_SSDOPS_TD

include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_SSDOp : CheemsCPU_DestinationOp<"ssd", [DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "init == getState()";
  let summary = "State-space duality over one sequence, state in and out";
  let description = [{
    The recurrence of a selective state space, with one scalar decay per head.

    Equation: for t = 0, 1, ..., T - 1, with group g = h / (H/G) of head h:
    - state[h, n, p] <- exp(a[h] * step[t, h]) * state[h, n, p] + step[t, h] * b[t, g, n] * x[t, h, p]
    - y[t, h, p] = sum_n c[t, g, n] * state[h, n, p] + skip[h] * x[t, h, p]   (no second term without `skip`)

    Operands and state: `x` [T, H, P] f32; `step` [T, H] f32, positive; `a` [H] f32, of any sign; `b`, `c` [T, G, N] f32;
    optionally `skip` [H] f32. Destinations: `y` [T, H, P] f32, written; `state` [H, N, P] f32, read and written, which is zero before
    the first row of a sequence. P is the last dimension of the state, so that a row of it is multiplied by scalars of b and c.

    Constraints:
    - C1: `x` and `y` have the same shape [T, H, P].
    - C2: `step` is [T, H]; `a` and `skip` are [H].
    - C3: `b` and `c` have the same shape [T, G, N].
    - C4: `state` is [H, N, P].
    - C5: H, G, N and P are static and not zero, and G divides H.

    Edges: T = 0 leaves the state as it is. How T is cut into chunks is no part of the meaning: tiling along T gives `ssd_chunk`
    ops of any size, whose results agree within the rounding of f32. With a positive `a` the state grows, as the equation says.

    Accumulation: f32, also for the state. If a lowering sums logarithms of decays over many rows, it sums in f64. With `allow_bf16`, the
    factors of a chunk's matmuls may be rounded to bf16, as `ssd_chunk` says. The factors of a single row are never rounded.

    Cost: in chunks of Q rows, a row takes H * (4 * N * P + Q * P) + G * Q * N additions and multiplications. Each row reads from the
    state and adds to it. There is half a square of rows by rows per head, and another half per group.

    Example:
    ```mlir
    %o, %s = cheems_cpu.ssd ins(%x, %dt, %a, %b, %c : tensor<?x2x64xf32>, tensor<?x2xf32>, tensor<2xf32>, tensor<?x1x32xf32>, tensor<?x1x32xf32>)
        skip(%d : tensor<2xf32>)
        outs(%y, %h : tensor<?x2x64xf32>, tensor<2x32x64xf32>) -> tensor<?x2x64xf32>, tensor<2x32x64xf32>
    ```
  }];
  let arguments = (ins Cheems_Shaped<[F32], [3]>:$x, Cheems_Shaped<[F32], [2]>:$step, Cheems_Shaped<[F32], [1]>:$a,
                       Cheems_Shaped<[F32], [3]>:$b, Cheems_Shaped<[F32], [3]>:$c, Optional<Cheems_Shaped<[F32], [1]>>:$skip,
                       Cheems_Shaped<[F32], [3]>:$y, Cheems_Shaped<[F32], [3]>:$state, UnitAttr:$allow_bf16);
  let assemblyFormat = [{
    (`allow_bf16` $allow_bf16^)? attr-dict `ins` `(` $x `,` $step `,` $a `,` $b `,` $c `:` type($x) `,` type($step) `,` type($a) `,` type($b) `,` type($c) `)`
    (`skip` `(` $skip^ `:` type($skip) `)`)?
    `outs` `(` $y `,` $state `:` type($y) `,` type($state) `)` (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, getOperation()->getNumOperands() - 2, 2);
    }
  }];
}

def CheemsCPU_SSDChunkOp : CheemsCPU_DestinationOp<"ssd_chunk", [DeclareOpInterfaceMethods<TilingInterface,
    ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition"]>]> {
  let readsInit = "init == getState()";
  let summary = "State-space duality over one chunk, in its quadratic form";
  let description = [{
    Computes what `ssd` computes over a few rows, as matmuls. This is the dual form.

    Equation: with l[t] = sum_{u <= t} a[h] * step[u, h] and group g = h / (H/G):
    - y[t, h, p] = exp(l[t]) * sum_n c[t, g, n] * state[h, n, p]
      + sum_{u <= t} exp(l[t] - l[u]) * step[u, h] * (sum_n c[t, g, n] * b[u, g, n]) * x[u, h, p] + skip[h] * x[t, h, p]
    - state[h, n, p] <- exp(l[T-1]) * state[h, n, p] + sum_u exp(l[T-1] - l[u]) * step[u, h] * b[u, g, n] * x[u, h, p]

    Operands and state: as `ssd`.

    Constraints:
    - C1 to C5: as `ssd`.

    Edges: one row is computed as the recurrence, so a chunk of one row and a decoded token give the same bits.

    Accumulation: f32. l is summed and subtracted in f64. Only differences are rounded to f32 and exponentiated. A decay is never a
    ratio, so nothing overflows that the recurrence would not overflow. Between rows of different blocks, a decay may be the product of
    two decays: up to the block, and inside of it. `step` is positive, so both grow or both shrink, and neither overflows before
    their product does.

    With `allow_bf16` and more than one row, a target that multiplies bf16 rounds these factors to bf16: b, c, exp(l[t]) * c and the state that
    it is multiplied with, x, the weights of x in y (`skip` is a part of the weight of a row's own x), and the factors of b in the sum of
    the state. Sums and the state stay f32. If a row has an infinite x, earlier rows of the same chunk may then be NaN.

    Example:
    ```mlir
    %o, %s = cheems_cpu.ssd_chunk ins(%x, %dt, %a, %b, %c : tensor<?x1x64xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x32xf32>, tensor<?x1x32xf32>)
        outs(%y, %h : tensor<?x1x64xf32>, tensor<1x32x64xf32>) -> tensor<?x1x64xf32>, tensor<1x32x64xf32>
    ```
  }];
  let arguments = CheemsCPU_SSDOp.arguments;
  let assemblyFormat = CheemsCPU_SSDOp.assemblyFormat;
  let extraClassDeclaration = CheemsCPU_SSDOp.extraClassDeclaration;
}

#endif
