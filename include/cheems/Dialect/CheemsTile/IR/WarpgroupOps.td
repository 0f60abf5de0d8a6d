// Matmuls whose operands tensor cores read from shared memory by themselves.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_WARPGROUPOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_WARPGROUPOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsTile_WarpgroupMmaOp : CheemsTile_Op<"warpgroup_mma", [AllTypesMatch<["c", "result"]>]> {
  let summary = "Begins a matmul of buffers, on tensor cores";
  let description = [{
    Four neighbouring warps are a warpgroup. Each warpgroup begins to multiply 64 rows of `a` with its rows of `b` (`wgmma.mma_async`, which
    sm_90a alone has), and goes on. Its sums are there when `warpgroup_wait` has waited for them. Until then nobody may write the stages.

    The sums have the layout of `mma`: a fragment of role `c` with 16 rows a warp is what the instruction gives.

    Equation: result[m, n] = c[m, n] + sum_k a[stage_a, m, k] * b[stage_b, n, k]

    Operands: `a` [S, M, K] and `b` [S', N, K] buffers of f16 or bf16, with a stage each; `c` [M, N] f32.

    Constraints:
    - C1: a stage of `a` is [M, K], one of `b` is [N, K], and `c` is [M, N].
    - C2: `a` and `b` have one element type, f16 or bf16.
    - C3: `a` and `b` are swizzled, and their rows have 32, 64 or 128 bytes: this is how the hardware swizzles by itself.
    - C4: the layout of `c` is a fragment of role c with `warps_k` 1 and a multiple of 4 as `warps_m`, M is 16 `warps_m`, and N / `warps_n`
      is at most 256.
    - C5: only `warpgroup_wait`, another matmul (as `c`) and the end of a loop's or branch's body take the result.

    Edges: NaNs and infinities as in the hardware. What threads wrote to the stages is seen after `fence` and `barrier`.

    Accumulation: f32. Products of 16 k are added to the accumulator one after the other, k ascending; within them the order is the
    hardware's. It need not be that of `mma`.

    Example:
    ```mlir
    %d = cheems_tile.warpgroup_mma %x[%s], %w[%s], %c
        : !cheems_tile.buffer<4x128x64xbf16, swizzled>, !cheems_tile.buffer<4x256x64xbf16, swizzled>, tensor<128x256xf32, #acc>
    ```
  }];
  let arguments = (ins CheemsTile_BufferType:$a, Index:$stage_a, CheemsTile_BufferType:$b, Index:$stage_b, CheemsTile_F32Tile:$c);
  let results = (outs CheemsTile_F32Tile:$result);
  let assemblyFormat = [{
    $a `[` $stage_a `]` `,` $b `[` $stage_b `]` `,` $c attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) `,` type($c)
  }];
  let hasVerifier = 1;
}

def CheemsTile_WarpgroupMmaRegistersOp : CheemsTile_Op<"warpgroup_mma_registers", [AllTypesMatch<["c", "result"]>]> {
  let summary = "Begins a matmul of a tile with buffers, on tensor cores";
  let description = [{
    As `warpgroup_mma`, but each warpgroup has its 64 rows of `a` in registers, and all columns. Rows of a stage of `b` are k; the columns
    of wide sums are in several stages, one after the other.

    Equation: with the columns N' of a stage, result[m, n] = c[m, n] + sum_k a[m, k] * b[stage_b + n / N', k, n % N']

    Operands: `a` [M, K] f16 or bf16; `b` [S, K, N'] a buffer, with its first stage; `c` [M, N] f32.

    Constraints:
    - C1: `a` is [M, K], a stage of `b` is [K, N'], and `c` is [M, N], where N is a multiple of N' and `b` has N / N' stages or more.
    - C2: `a` and `b` have one element type, f16 or bf16.
    - C3: `b` is swizzled, and its rows have 32, 64 or 128 bytes.
    - C4: the layout of `c` is as for `warpgroup_mma`, with `warps_n` 1, and that of `a` is a fragment of role a with the same warps and
      `k_width` 2.
    - C5: one `warpgroup_wait` takes the result, in the same body, and nothing else does.
    - C6: that `warpgroup_wait` has `pending` 0 and holds `a`: until the matmul is done, its registers must stay as they are.

    Edges: as for `warpgroup_mma`.

    Accumulation: as for `warpgroup_mma`.

    Example:
    ```mlir
    %d = cheems_tile.warpgroup_mma_registers %w, %v[%s], %c
        : tensor<64x64xbf16, #a>, !cheems_tile.buffer<4x64x64xbf16, swizzled>, tensor<64x128xf32, #acc>
    ```
  }];
  let arguments = (ins CheemsTile_FactorTile:$a, CheemsTile_BufferType:$b, Index:$stage_b, CheemsTile_F32Tile:$c);
  let results = (outs CheemsTile_F32Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `[` $stage_b `]` `,` $c attr-dict
    `:` type($a) `,` qualified(type($b)) `,` type($c)
  }];
  let hasVerifier = 1;
}

def CheemsTile_WarpgroupWaitOp : CheemsTile_Op<"warpgroup_wait", [AllTypesMatch<["tile", "result"]>]> {
  let summary = "Waits for matmuls that were begun";
  let description = [{
    Waits until at most `pending` of the newest `warpgroup_mma` and `warpgroup_mma_registers` of this warpgroup are under way.

    Equation: result = tile

    Operands: `tile`, sums of such matmuls; `held`, if any, what one of them reads from registers.

    Constraints:
    - C1: `pending` is not negative.

    Edges: if the tile's own matmul is one of those that are pending, the result is still under way. It waits for this warpgroup alone: a
    `barrier` follows before a stage that was read is written.

    Accumulation: none.

    Example:
    ```mlir
    %y = cheems_tile.warpgroup_wait pending 0 %d : tensor<128x256xf32, #acc>
    %z = cheems_tile.warpgroup_wait pending 0 %e holding %w of tensor<64x64xbf16, #a> : tensor<64x128xf32, #acc>
    ```
  }];
  let arguments = (ins CheemsTile_F32Tile:$tile, I64Attr:$pending, Optional<CheemsTile_FactorTile>:$held);
  let results = (outs CheemsTile_F32Tile:$result);
  let assemblyFormat = "`pending` $pending $tile (`holding` $held^ `of` type($held))? attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def CheemsTile_FenceOp : CheemsTile_Op<"fence"> {
  let summary = "What was written to shared memory is there for tensor cores";
  let description = [{
    What this thread wrote to shared memory, and its copies that it has waited for, are seen by `warpgroup_mma` of all threads after a
    `barrier`. Tensor cores read by another way than threads do (`fence.proxy.async`).

    Equation: none.

    Operands and state: none.

    Constraints: none.

    Edges: it orders nothing for `read`: `barrier` does.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.fence
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
