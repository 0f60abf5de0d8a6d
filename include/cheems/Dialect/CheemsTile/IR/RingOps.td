// Rings of stages that a warp of its own fills ahead of their use.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_RINGOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_RINGOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsTile_RingOp : CheemsTile_Op<"ring", [
    RecursiveMemoryEffects, SingleBlock, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "A loop over stages that a warp of its own fills";
  let description = [{
    In each step, `fill` begins to copy into a stage of one or more buffers, and `use` takes what is there. Threads with tiles execute `use`.
    One thread of the kernel's fillers executes `fill`, as many steps ahead as there are stages to fill. A barrier in shared memory for each
    stage counts the bytes that have come (`mbarrier`), and another one the warps that have used them. `at` is where the barriers are, in
    bytes; `cheems-tile-plan-shared` chooses it.

    Equation: for i < steps, with s = i mod stages: fill(i, s); carried = use(i, s, carried). The result is what is carried at the end.

    Operands and state: `steps`; `inits`, what is carried at first. `fill` has the step and the stage, `use` also what is carried.

    Constraints:
    - C1: `stages` is at least 2.
    - C2: `fill` has two arguments of type index. Its ops are `bulk_copy`, at least one, and arithmetic on numbers.
    - C3: `use` has two arguments of type index, and one for each of `inits`, and hands on as many, of the same types.
    - C4: the buffers that `fill` copies to have as many stages as the ring.
    - C5: around it there are branches alone.
    - C6: `at` is not negative, and a multiple of 8.

    Edges: a block runs at most one ring for each buffer, and nothing but the ring writes the buffer. At the end of `use`, products of that
    step may still read its stage, and those of earlier steps may not. There may be no steps.

    Accumulation: none.

    Example:
    ```mlir
    %sums = cheems_tile.ring %steps stages 4 carries(%zero : tensor<128x256xf32, #acc>) fill {
    ^bb0(%step: index, %stage: index):
      %k = arith.muli %step, %c64 : index
      cheems_tile.bulk_copy %x[%row, %k] to %xs[%stage] : !cheems_tile.tensor_map<128x64xbf16>, !cheems_tile.buffer<4x128x64xbf16, swizzled>
      cheems_tile.bulk_copy %w[%column, %k] to %ws[%stage] : !cheems_tile.tensor_map<256x64xbf16>, !cheems_tile.buffer<4x256x64xbf16, swizzled>
      cheems_tile.ring_yield
    } use {
    ^bb0(%step: index, %stage: index, %part: tensor<128x256xf32, #acc>):
      %d = cheems_tile.warpgroup_mma %xs[%stage], %ws[%stage], %part
          : !cheems_tile.buffer<4x128x64xbf16, swizzled>, !cheems_tile.buffer<4x256x64xbf16, swizzled>, tensor<128x256xf32, #acc>
      %e = cheems_tile.warpgroup_wait pending 1 %d : tensor<128x256xf32, #acc>
      cheems_tile.ring_yield %e : tensor<128x256xf32, #acc>
    }
    ```
  }];
  let arguments = (ins Index:$steps, I64Attr:$stages, OptionalAttr<I64Attr>:$at, Variadic<CheemsTile_Tile>:$inits);
  let results = (outs Variadic<CheemsTile_Tile>:$results);
  let regions = (region SizedRegion<1>:$fill, SizedRegion<1>:$use);
  let assemblyFormat = [{
    $steps `stages` $stages (`at` $at^)? (`carries` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword `fill` $fill `use` $use
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Two barriers a stage: whether it is full, and whether it is empty.
    static constexpr int64_t kBarrierBytes = 8, kStageBytes = 2 * kBarrierBytes;
    int64_t getBytes() { return int64_t(getStages()) * kStageBytes; }
  }];
}

def CheemsTile_RingYieldOp : CheemsTile_Op<"ring_yield", [Pure, Terminator, HasParent<"RingOp">]> {
  let summary = "The end of a step of a ring";
  let description = [{
    Ends `fill` or `use` of `cheems_tile.ring`, and hands on what is carried.

    Equation: none.

    Operands and state: `operands`, of `use` what the next step gets.

    Constraints: none but its place.

    Edges: none.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.ring_yield %sums : tensor<128x256xf32, #acc>
    ```
  }];
  let arguments = (ins Variadic<CheemsTile_Tile>:$operands);
  let assemblyFormat = "($operands^ `:` type($operands))? attr-dict";
}

def CheemsTile_BulkCopyOp : CheemsTile_Op<"bulk_copy"> {
  let summary = "Begins to copy a box of a memref into a buffer";
  let description = [{
    One thread begins a copy of a whole stage of a buffer, which the hardware goes on with (`cp.async.bulk.tensor`, which `sm_90` and later
    have). `use` of the ring sees it.

    Equation: with the memref m of the map: buffer[stage, i, j] = m[row + i, column + j] if that is within m, and 0 otherwise.

    Operands and state: `map`; `row` and `column`; `buffer`, and a `stage` in [0, S). `signals` is where in shared memory the barrier is that
    counts its bytes; the lowering of rings sets it.

    Constraints:
    - C1: it is directly in `fill` of a ring, or has `signals`.
    - C2: a stage of the buffer has the shape and the element type of the map's boxes.
    - C3: the buffer is swizzled.

    Edges: `row` and `column` are not negative.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.bulk_copy %w[%column, %k] to %ring[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<3x64x64xbf16, swizzled>
    ```
  }];
  let arguments = (ins Arg<CheemsTile_TensorMapType, "", [MemRead]>:$map, Index:$row, Index:$column,
                       Arg<CheemsTile_BufferType, "", [MemWrite]>:$buffer, Index:$stage, Optional<I32>:$signals);
  let assemblyFormat = [{
    $map `[` $row `,` $column `]` `to` $buffer `[` $stage `]` (`signals` $signals^)? attr-dict
    `:` qualified(type($map)) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
}

#endif
