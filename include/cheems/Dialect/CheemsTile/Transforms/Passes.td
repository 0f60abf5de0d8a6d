// Passes on kernels of tiles. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_TRANSFORMS_PASSES_TD
#define CHEEMS_DIALECT_CHEEMSTILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TilePlanSharedPass : Pass<"cheems-tile-plan-shared", "::mlir::ModuleOp"> {
  let summary = "Give buffers and exchanges their offsets in shared memory";
  let description = [{
    Before: kernels with `cheems_tile.alloc` and with ops that exchange numbers through shared memory.
    After: each buffer and each of these ops has its offset, and each kernel the bytes that a block of it needs. Offsets that were there are
    chosen anew.
    Requires: nothing.
    Guarantees: buffers do not overlap each other or the exchanges, and are aligned as their type says. All exchanges of a kernel share one
    place: threads wait for each other before an exchange writes, and by then the exchange before it has read. A kernel that needs more
    than `shared` of the module's `cheems.target` is refused; without a target the limit is 227 KB, the most of any GPU that kernels run
    on. Preserves bits.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect"];
}

def TileBufferizePass : Pass<"cheems-tile-bufferize", "::mlir::ModuleOp"> {
  let summary = "Launches work on memory of the GPU";
  let description = [{
    Before: functions with `cheems_tile.launch` on tensors.
    After: the same on memrefs. What a launch writes and nobody else has is a `memref.alloc`. Kernels stay as they are.
    Requires: each tensor op of the functions can be bufferised.
    Guarantees: a launch writes where its destination is. No result of a function that is an argument of it is copied.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def TileOverlapLaunchesPass : Pass<"cheems-tile-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Kernels may be started before earlier ones have ended";
  let description = [{
    Before: launches on memory of the GPU, in functions that entries call.
    After: for sm_90a each kernel has `overlaps`. An argument that has weights, or what a call of the model hands over, in each launch has the
    attribute `cheems_tile.constant`: no kernel writes it. A kernel waits by `cheems_tile.wait_for_launches` after the loads of such
    arguments that it begins with, and so does each branch that it begins with. Another kernel begins with its wait. For other GPUs, and
    without a target, nothing changes.
    Requires: only entries get memory from outside.
    Guarantees: no op moves. An argument whose memory is not known is not marked. Before each access of memory that a kernel may write,
    and before the end, a kernel has waited. Preserves bits.
  }];
}

#endif
