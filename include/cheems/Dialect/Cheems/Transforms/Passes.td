// Passes that depend on no target. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_TD
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EnterStagePass : Pass<"cheems-enter-stage", "::mlir::ModuleOp"> {
  let summary = "Refuse a module that is not at the stage before";
  let description = [{
    Before: a module whose `cheems.stage` says its stage. A module in the LLVM dialect is at `llvm`.
    After: the same module, with the `cheems.stage` that is entered. At `llvm` it has none. The passes of each stage begin with this one.
    Each target has its own stages after `imported`, so `before` gives those of the target that come before.
    Requires: the module is at the last stage of `before`. A module without a stage, for example one written by hand, may enter any stage, unless
    it is in the LLVM dialect.
    Guarantees: if a pipeline runs twice, too early or too late, one error refuses it. The error says at which stage the module is, and
    which stage the pipeline takes. If it is too early, the error is at the first op that still needs passes. Preserves bits.
  }];
  let options = [
    Option<"stage", "stage", "std::string", "\"expanded\"", "The stage that the module enters">,
    ListOption<"before", "before", "std::string", "The stages before it, in order (default: imported)">
  ];
  let dependentDialects = ["::cheems::CheemsDialect"];
}

def AddTopLogitsPass : Pass<"cheems-add-top-logits", "::mlir::ModuleOp"> {
  let summary = "Add entries that find the best logits of a step";
  let description = [{
    Before: a module whose step writes `logits`.
    After: for each of `counts` an entry `top_logits_COUNT`, which has `cheems.top_logits` on the logits that a step has left. Its arguments are
    the fields `step_logits`, `top_values`, `top_tokens` and `log_sums`. There is none for a count above the vocabulary.
    Requires: tensors.
    Guarantees: the functions of the module stay as they are. A target takes this pass if logits are far from the host.
  }];
  let options = [ListOption<"counts", "counts", "int64_t", "How many of a row's logits each entry finds">];
  let dependentDialects = ["::cheems::CheemsDialect", "::mlir::func::FuncDialect"];
}

def SpecializeDecodePass : Pass<"cheems-specialize-decode", "::mlir::ModuleOp"> {
  let summary = "Make a second step whose segments have one row each";
  let description = [{
    Before: functions with ops that work on segments: `cheems.positions`, `cheems.segmented_ssd`, `cheems.segmented_attention`.
    After: each has a copy at the end of the module, with `_decode` after its name. A copy calls the copies of the functions that the
    original calls. The ops in it have `one_row`. The copy has `cheems.most_rows`, because a session runs steps of more
    sequences with the original. A step that decodes gives no embeddings: calls that take the argument with the field `embeddings` are
    gone from the copy, and the argument stands for their result.
    Requires: the module has every function that is called. `most-rows` is given. How many rows are few is a target's to say. A call that
    takes `embeddings` has one result, which has the type of the argument: any other such call is an error.
    Guarantees: the original functions stay as they are. Functions without such ops are shared, unless `callees` is given: then what a copy
    calls is a copy, too. Preserves the bits of all results but the embeddings.
  }];
  let options = [
    Option<"mostRows", "most-rows", "int64_t", "0", "The greatest number of rows of a step with one row per segment">,
    Option<"callees", "callees", "bool", "false", "Copy all functions that a copy calls">
  ];
  let dependentDialects = ["::cheems::CheemsDialect"];
}

def FuseProjectionsPass : Pass<"cheems-fuse-projections", "::mlir::ModuleOp"> {
  let summary = "Merge projections of one input into one";
  let description = [{
    Before: several `linalg.matmul` with the same left operand. Each has a parameter of its own as right operand, directly or as an
    argument of a layer function.
    After: one `linalg.matmul` whose right operand is a `cheems.parameter` of all their names. Its consumers read slices of columns.
    Requires: destinations are filled (`linalg.fill` with zero), and weights have the same type and the same rounding. A parameter with
    `permute` is not merged. Two matmuls that only one elementwise op uses, for example a gate and the gated matmul, are not merged
    either: `cheems-fuse-epilogues` makes them one op with two weights.
    Guarantees: there are fewer parallel regions, and the input is read once. Preserves bits: every output element has the same sum.
  }];
  let dependentDialects = ["::cheems::CheemsDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def OwnInitsPass : Pass<"cheems-own-inits", "::mlir::func::FuncOp"> {
  let summary = "Give each use of a filled empty tensor its own";
  let description = [{
    Before: CSE has merged equal `linalg.fill(tensor.empty)` destinations of several ops.
    After: one fill and one empty tensor per use.
    Requires: nothing. It is the last pass before bufferisation.
    Guarantees: bufferisation writes each destination in place. Without this pass, the second user would get a copy of the first
    user's buffer. Preserves bits.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def EnterBuffersPass : Pass<"cheems-enter-buffers", "::mlir::ModuleOp"> {
  let summary = "A step takes buffers and returns nothing";
  let description = [{
    Before: functions on tensors, whose arguments have a `cheems.field` (`#cheems.step_field`). They return the updated tensors: `logits` and the `pools`, in order.
    After: the same functions on buffers. `bufferization.to_tensor` reads a buffer, and each result is written back into its buffer. The
    argument `parameters`, which is bytes, is added before the pools.
    Requires: a function returns one tensor per field that is written.
    Guarantees: no update is lost. An update that was not in place would be a copy, which `cheems-check-kernels` refuses. Preserves bits.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def LowerParametersPass : Pass<"cheems-lower-parameters", "::mlir::ModuleOp"> {
  let summary = "Lay out the weight section, and turn parameters into views of it";
  let description = [{
    Before: `cheems.parameter` ops in public functions that have an argument with the field `parameters`.
    After: a `memref.view` of that argument at a constant offset. The module records the layout as `cheems.parameters`, a list of
    `#cheems.stored_parameter`, which the archive writer and the loader follow.
    Requires: each function with parameters has one such argument.
    Guarantees: offsets are multiples of 64 bytes, in the order of first use. Each parameter is there once. Preserves bits.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

#endif
