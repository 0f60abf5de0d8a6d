// Passes that no target matters to. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_TD
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EnterStagePass : Pass<"cheems-enter-stage", "::mlir::ModuleOp"> {
  let summary = "Refuse a module that is not at the stage before";
  let description = [{
    Before: a module whose `cheems.stage` says what it is, from `imported` to `outlined`; one in the LLVM dialect is at `llvm`.
    After: the same, with the `cheems.stage` that is entered, or without one where that is `llvm`. Each stage's passes begin with it.
    Requires: the module is at the stage before. A module that says no stage, as one written by hand, may enter any but where it is
    in the LLVM dialect.
    Guarantees: a pipeline that runs twice, too early or too late is refused by one error, which says at which stage the module is and
    which one the pipeline takes. Too early, it is at the first op that still needs passes. Preserves bits.
  }];
  let options = [
    Option<"stage", "stage", "::mlir::cheems::Stage", "::mlir::cheems::Stage::Expanded", "What the module becomes",
           "::mlir::cheems::StageValues()">
  ];
  let dependentDialects = ["::mlir::cheems::CheemsDialect"];
}

def SpecializeDecodePass : Pass<"cheems-specialize-decode", "::mlir::ModuleOp"> {
  let summary = "Make a second step whose segments have one row each";
  let description = [{
    Before: functions with ops that work on segments: `cheems.positions`, `cheems.segmented_ssd`, `cheems.segmented_attention`.
    After: each has a copy at the end of the module, with `_decode` behind its name, that calls the copies of what it calls; the ops in it
    say `one_row`.
    Requires: calls lead to functions of the module.
    Guarantees: the functions that were there stay as they are. Functions without such ops are shared. Preserves bits.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsDialect"];
}

def FuseProjectionsPass : Pass<"cheems-fuse-projections", "::mlir::ModuleOp"> {
  let summary = "Merge projections of one input into one";
  let description = [{
    Before: several `linalg.matmul` with the same left operand, each with a parameter of its own as right operand (directly or
    as an argument of a layer function).
    After: one `linalg.matmul` whose right operand is a `cheems.parameter` of all their names; its consumers read column slices.
    Requires: filled destinations (`linalg.fill` with zero), weights of one type that are rounded alike. A parameter with `permute` keeps to
    itself, and so do two products that only one elementwise op uses, as a gate and what it gates: `cheems-fuse-epilogues` makes them one op with two weights.
    Guarantees: fewer parallel regions and one pass over the input. Preserves bits: every output element keeps its own sum.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def DecomposePass : Pass<"cheems-decompose", "::mlir::func::FuncOp"> {
  let summary = "Replace cheems ops by upstream ops";
  let description = [{
    Before: ops of the dialect on tensors.
    After: their `decomposeOperation`: linalg, scf, tensor, arith and math.
    Requires: tensors, not buffers.
    Guarantees: with `kernels` false no op of the dialect is left but `cheems.parameter`, `cheems.mark` and `cheems_cpu.worker`; with
    `kernels` true those that `cheems-lower-microkernels` lowers stay, too. Does not preserve bits against those kernels.
  }];
  let options = [Option<"kernels", "kernels", "bool", "false", "Leave the ops that have a micro-kernel">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def OwnInitsPass : Pass<"cheems-own-inits", "::mlir::func::FuncOp"> {
  let summary = "Give each use of a filled empty tensor its own";
  let description = [{
    Before: CSE has merged equal `linalg.fill(tensor.empty)` destinations of several ops.
    After: a fill and an empty tensor a use.
    Requires: nothing. It is the last pass before bufferisation.
    Guarantees: bufferisation writes each destination in place; without it, the second user gets a copy of the first's buffer.
    Preserves bits.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

#endif
