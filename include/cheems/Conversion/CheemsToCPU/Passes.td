// From a step of the cheems dialect to loops over its sequences, on buffers. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_TD
#define CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandSegmentsPass : Pass<"cheems-expand-segments", "::mlir::ModuleOp"> {
  let summary = "Ops of a step become loops over its sequences";
  let description = [{
    Before: `cheems.gather_rows`, `cheems.positions`, `cheems.segmented_ssd` and `cheems.segmented_attention`.
    After: loops over the segment table, in which `cheems.ssd`, `cheems.dynamic_mask_attention` and what stores and drops keys work on
    slices of one sequence and head. With `one_row` the rows of all segments are stored first; then threads share the entries of
    each head in pieces, each a running `cheems.online_attention`, and `cheems.merge_attention` puts the pieces together in order.
    Requires: nothing.
    Guarantees: no op of a step is left. A loop that writes a pool reads it through its own arguments only, and puts a slice back
    where it took it, so that bufferisation copies no pool. Preserves bits.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::cheems::CheemsDialect"
  ];
}

def EnterBuffersPass : Pass<"cheems-enter-buffers", "::mlir::ModuleOp"> {
  let summary = "A step takes buffers and returns nothing";
  let description = [{
    Before: functions with arguments marked `cheems.field`, tensors, that return the updated ones: `logits` and the `pools`, in order.
    After: the same on buffers: what is read is `bufferization.to_tensor`, and each result is put back where it came from. The
    argument `parameters`, bytes, is added before the pools.
    Requires: a function returns one tensor per field that is written.
    Guarantees: an update that was not in place would be a copy, which `cheems-check-kernels` refuses, and none is lost. Preserves bits.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

#endif
