// Rings of stages that a warp of its own fills before their use.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_RINGOPS_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_RINGOPS_TD

include "cheems/Dialect/CheemsTile/IR/CheemsTileOpInterfaces.td"
include "cheems/Dialect/CheemsTile/IR/CheemsTileTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def CheemsTile_RingOp : CheemsTile_Op<"ring", [
    RecursiveMemoryEffects, SingleBlock, CheemsTile_FilledRingOpInterface, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
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

    Edges: a block runs at most one ring for each buffer, and nothing but the ring writes the buffer. At the end of `use`, matmuls of that
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
}

def CheemsTile_FillRingOp : CheemsTile_Op<"fill_ring", [RecursiveMemoryEffects, SingleBlock, CheemsTile_FilledRingOpInterface]> {
  let summary = "A ring of stages that a warp of its own fills, and whose uses say when they begin and end";
  let description = [{
    Acts as `ring`, but its uses need not be one loop with one body: threads with tiles may execute `wait_for_stage` and `free_stage`
    anywhere. One thread of the kernel's fillers executes `fill` for as many steps in advance as there are free stages. Rings of one block
    whose `steps` are the same value are filled together: a step of the first one, then of the next one, then the next step. `at` is where the barriers are, in bytes;
    `cheems-tile-plan-shared` chooses it.

    Equation: for i < steps, with s = i mod stages, after `free_stage` of step i - stages: fill(i, s).

    Operands and state: `steps`. `fill` has the step and the stage. The result stands for the ring's barriers.

    Constraints:
    - C1: `fill` has two arguments of type index. Its ops are `bulk_copy`, at least one, and arithmetic on numbers.
    - C2: stages of the buffers that `fill` copies to are a multiple of the ring's.
    - C3: around it there are branches alone.
    - C4: `at` is not negative, and a multiple of 8.

    Edges: uses wait for all steps in their order, for one perhaps more than once, and free none that they have not waited for. Those of the
    last `stages` steps need not be freed. Rings that are filled together are used together: the uses of one ring wait for no step that
    needs a stage of another ring which its uses free later. Else nobody goes on. There may be no steps.

    Accumulation: none.

    Example:
    ```mlir
    %ring = cheems_tile.fill_ring %steps {
    ^bb0(%step: index, %stage: index):
      %row = arith.muli %step, %c64 : index
      cheems_tile.bulk_copy %k[%row, %c0] to %keys[%stage] : !cheems_tile.tensor_map<64x64xbf16>, !cheems_tile.buffer<2x64x64xbf16, swizzled>
      cheems_tile.ring_yield
    } : !cheems_tile.ring<2>
    ```
  }];
  let arguments = (ins Index:$steps, OptionalAttr<I64Attr>:$at);
  let results = (outs CheemsTile_RingType:$ring);
  let regions = (region SizedRegion<1>:$fill);
  let assemblyFormat = "$steps (`at` $at^)? attr-dict-with-keyword $fill `:` qualified(type($ring))";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getStages() { return getRing().getType().getStages(); }
  }];
}

class CheemsTile_StageOp<string mnemonic> : CheemsTile_Op<mnemonic> {
  let arguments = (ins CheemsTile_RingType:$ring, Index:$step);
  let assemblyFormat = "$ring `[` $step `]` attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def CheemsTile_WaitForStageOp : CheemsTile_StageOp<"wait_for_stage"> {
  let summary = "Waits until a step's stage is full";
  let description = [{
    After it, what `fill` copied in that step is there, for threads and for tensor cores.

    Equation: none.

    Operands and state: `ring`, and a `step` of it.

    Constraints:
    - C1: `fill_ring` gives the ring.

    Edges: `step` is below the ring's steps. It is no barrier of the block: other warps may be steps after.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.wait_for_stage %ring[%step] : !cheems_tile.ring<2>
    ```
  }];
}

def CheemsTile_FreeStageOp : CheemsTile_StageOp<"free_stage"> {
  let summary = "A step's stage may be filled anew";
  let description = [{
    Each warp says that it has no use of the stage any more. When all warps have said so, the filler may fill it.

    Equation: none.

    Operands and state: `ring`, and a `step` of it.

    Constraints:
    - C1: `fill_ring` gives the ring.

    Edges: the warp's matmuls of the stage have been waited for.

    Accumulation: none.

    Example:
    ```mlir
    cheems_tile.free_stage %ring[%step] : !cheems_tile.ring<2>
    ```
  }];
}

def CheemsTile_RingYieldOp : CheemsTile_Op<"ring_yield", [Pure, Terminator, ParentOneOf<["RingOp", "FillRingOp"]>]> {
  let summary = "The end of a step of a ring";
  let description = [{
    Ends `fill` or `use` of `cheems_tile.ring`, or `fill` of `fill_ring`, and hands on what is carried.

    Equation: none.

    Operands and state: `operands`, of `use` what the next step gets.

    Constraints: none but its place.

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
    One thread begins a copy of a box to a buffer, which the hardware goes on with (`cp.async.bulk.tensor`, which `sm_90` and later have).
    Uses of the ring see it. A box is a stage. Of a buffer that is not swizzled it may be some rows of a stage: then `stage` counts boxes.

    Equation: with the memref m of the map and boxes of R' rows: buffer[stage, i, j] = m[row + i, column + j] if that is within m, and 0
    otherwise, for i < R'; where R' < R, buffer[stage / (R / R'), stage mod (R / R') R' + i, j] instead.

    Operands and state: `map`; `row` and `column`; `buffer`, and a `stage` in [0, S R / R'). `signals` is where in shared memory the barrier
    is that counts its bytes; the lowering of rings sets it.

    Constraints:
    - C1: it is directly in `fill` of a ring, or has `signals`.
    - C2: the map's boxes have the element type of the buffer, and as many columns. They have as many rows, or if the buffer is not swizzled a
      divisor of them.
    - C3: the buffer is swizzled, or it has f32 and is not.

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
