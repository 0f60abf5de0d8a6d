// From ops of a step to kernels on tiles and their launches. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_CHEEMSTOTILE_PASSES_TD
#define CHEEMS_CONVERSION_CHEEMSTOTILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetGPUPass : Pass<"cheems-set-gpu", "::mlir::ModuleOp"> {
  let summary = "The module says which GPU it is compiled for";
  let description = [{
    Before: a module.
    After: its `cheems.target` is a `#cheems_tile.target` of the architecture: with the numbers of an A100 for `sm_80`, and of an H100 for
    `sm_90a`. `unit` is the newest unit that matmuls and attention of prompts may use: GPUs of `sm_80` have `mma` alone. `copy` is the
    newest way by which operands of `wgmma` may come to shared memory, of matmuls and of attention. `multiprocessors` says how
    many another GPU has.
    Requires: nothing.
    Guarantees: nothing else changes. A target that is there already is replaced.
  }];
  let options = [
    Option<"arch", "arch", "::cheems::tile::Architecture", "::cheems::tile::Architecture::SM90a", "Architecture of the GPU",
           "::cheems::tile::architectureValues()">,
    Option<"unit", "unit", "::cheems::tile::Unit", "::cheems::tile::Unit::Wgmma", "Newest unit that matmuls and attention of prompts may use",
           "::cheems::tile::unitValues()">,
    Option<"copy", "copy", "::cheems::tile::OperandCopy", "::cheems::tile::OperandCopy::Bulk", "Newest copies that products and attention of prompts may use",
           "::cheems::tile::copyValues()">,
    Option<"multiprocessors", "multiprocessors", "int64_t", "0", "Multiprocessors of the GPU; 0: of an A100 or an H100">
  ];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect"];
}

def QuantizeMatmulsPass : Pass<"cheems-quantize-matmuls", "::mlir::ModuleOp"> {
  let summary = "Split quantized matrices into integers and scales, and multiply these";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter` of part `matrix`, and `cheems.mix_experts`
    with two such tables.
    After: two parameters, integers and scales, and a `cheems_tile.quantized_matmul` of both. 8-bit integers are rows, and those of 4 bits have
    the layout `#cheems_tile.nibbles`. Layer functions get the scales as last arguments. A `cheems.quantize_entries` rounds the input; all
    matmuls of one input share it. Experts read quantized tables, and a scale per row of them.
    Requires: only matmuls read such a matrix, and their sums start from zero. Tables have 8 bits and a scale per row.
    Guarantees: the integers and scales are those that other targets have. Other matmuls stay as they are.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def RoundInputsPass : Pass<"cheems-round-inputs", "::mlir::func::FuncOp"> {
  let summary = "Inputs of matmuls get the type of the weights";
  let description = [{
    Before: `linalg.matmul` of an input in f32 with weights in bf16 or f16; `cheems.segmented_ssd` with `allow_bf16`.
    After: an elementwise op rounds the input to the type of the weights, to the nearest and ties to even. All matmuls of one input share
    it. Sums stay in f32. x, b and c of state-space duality are rounded to bf16 and widened again, as rows of all heads after the op that
    makes these: its kernel takes the rounding.
    Requires: tensors.
    Guarantees: matmuls with weights in f32 stay as they are, and so does state-space duality with `one_row`, with `allow_pairs`, whose
    kernels make pairs of f32 themselves, or with more than 128 rows of the state.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def FuseElementwisePass : Pass<"cheems-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Elementwise ops that one op alone reads become a part of it";
  let description = [{
    Before: elementwise `linalg.generic` ops on rows, one after the other.
    After: one op for all of them.
    Requires: tensors.
    Guarantees: nothing is computed twice. What is computed for an element, and in which order, stays.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SelectGPUStrategyPass : Pass<"cheems-select-gpu-strategy", "::mlir::ModuleOp"> {
  let summary = "Ops say how they are shared out among blocks";
  let description = [{
    Before: groups of ops of a step (`--cheems-form-groups`).
    After: each op that a group is about has a `cheems_tile.strategy`: `#cheems_tile.row_tile`, or a strategy of its family. Every number that
    depends on hardware is in it. Of matmuls that one launch computes, the first one has that of all, and so has the first part of experts.
    Requires: a module whose `cheems.target` is a `#cheems_tile.target`.
    Guarantees: nothing else changes. What an op says already stays.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect"];
}

def SplitExpertsPass : Pass<"cheems-split-experts", "::mlir::func::FuncOp"> {
  let summary = "Sums of experts become those that blocks have, and an op that adds them";
  let description = [{
    Before: `cheems.mix_experts`.
    After: one for each block of a row, with the heads that the block has, which adds from zero; and an elementwise op that adds all of them to y
    in the order of heads. It is fused with the elementwise ops after it. In a function of few rows there are at most 8 of them, else one.
    Requires: tensors.
    Guarantees: an op that no kernel has stays, which `cheems-group-rows` names. A strategy that the op has is that of the first part.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::mlir::linalg::LinalgDialect"];
}

def ExpandElementwisePass : Pass<"cheems-expand-elementwise", "::mlir::func::FuncOp"> {
  let summary = "What is elementwise maths becomes an elementwise op";
  let description = [{
    Before: `cheems.dynamic_mask`.
    After: an elementwise `linalg.generic`, which the matmul before takes into its kernel.
    Requires: tensors.
    Guarantees: nothing else changes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect"];
}

def GroupAttentionPass : Pass<"cheems-group-attention", "::mlir::ModuleOp"> {
  let summary = "Attention and what its kernels take from around it become groups";
  let description = [{
    Before: `cheems.segmented_attention` on tensors.
    After: a `cheems_tile.group` of kind `attention` in its place, with the norm and the rotation of keys, and the rounding after it. With
    `one_row`, or entries in f32 or in int8, it has the norm and the rotation of queries, too. Where with `one_row` one block has the row's
    own entry, or entries that no head sees are not stored, it has the mask values and the matmul that makes them. Where a step of few rows
    has one, and entries are in bf16, and matmuls alone read the rounded outputs, it is `in_matmuls`, and so is the quantization between
    both; the matmuls become a group, too.
    Requires: a module whose `cheems.target` is a `#cheems_tile.target`, and tensors.
    Guarantees: nothing is computed twice. Attention that no kernel has stays.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def GroupSSDPass : Pass<"cheems-group-ssd", "::mlir::ModuleOp"> {
  let summary = "State-space duality and what its kernels take from around it become groups";
  let description = [{
    Before: `cheems.segmented_ssd` on tensors.
    After: a `cheems_tile.group` of kind `ssd` in its place, with what makes `a` of the parameter that a checkpoint stores, and the rounding
    after it. With `one_row` it has the rotations of b and c; else what widens x, b and c again, if `cheems-round-inputs` has rounded them.
    Requires: a module whose `cheems.target` is a `#cheems_tile.target`, and tensors.
    Guarantees: what others read, too, they keep. An op whose inputs were to be rounded and are not stays.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def GroupMatmulsPass : Pass<"cheems-group-matmuls", "::mlir::ModuleOp"> {
  let summary = "Matmuls of one input and what makes their row become groups";
  let description = [{
    Before: `linalg.matmul` and `cheems_tile.quantized_matmul`.
    After: `cheems_tile.group` ops of kind `matmuls`. A matmul has the elementwise op after it with it, and a second matmul of the same
    input that this op reads. Other matmuls of one input whose tiles are the same are in the same group, if what they read is there before
    the first one. The norm before matmuls of few rows, and the quantization, become groups `in_matmuls`, if nothing else
    reads the rows.
    Requires: a module whose `cheems.target` is a `#cheems_tile.target`, and tensors. Groups of attention come before, as they take
    matmuls, too.
    Guarantees: nothing is computed twice. A matmul that no kernel has stays.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def GroupExpertsPass : Pass<"cheems-group-experts", "::mlir::ModuleOp"> {
  let summary = "Experts and the retrieval before them become groups";
  let description = [{
    Before: `cheems.mix_experts` that add from zero, as `cheems-split-experts` leaves them.
    After: a `cheems_tile.group` of kind `experts` with all parts of one sum, with the retrieval that they alone read, and for few rows with the
    scores with product keys, where a block can compute these itself.
    Requires: a module whose `cheems.target` is a `#cheems_tile.target`, and tensors.
    Guarantees: nothing is computed twice. Experts that no kernel has stay.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def GroupRowsPass : Pass<"cheems-group-rows", "::mlir::ModuleOp"> {
  let summary = "All other ops of a step become groups";
  let description = [{
    Before: norms, rotations, rotary tables, positions, roundings, rows of tables, scores of product keys, retrievals of experts, the best logits,
    elementwise ops.
    After: a `cheems_tile.group` around each. A norm has the elementwise op before it with it, and the rounding after it. A rotation of
    whole heads has the norm of heads before it, and the rounding after it. Rotary tables of the same positions are in one group.
    Requires: a module whose `cheems.target` is a `#cheems_tile.target`, and the groups of the other passes, which come before.
    Guarantees: an op that computes a tensor and is in no group then is an error: no kernel has it.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def ToTilePass : Pass<"cheems-to-tile", "::mlir::ModuleOp"> {
  let summary = "Groups become launches of kernels";
  let description = [{
    Before: `cheems_tile.group` ops (`--cheems-form-groups`), with strategies (`cheems-select-gpu-strategy`).
    After: `cheems_tile.launch` ops on tensors, and the kernels that they name. Kernels that are the same are one. A group is one launch, but
    for what follows. Matmuls of one input are one launch, each block of which computes one of them. Matmuls by `wgmma` may have a second
    launch with wider tiles; the number of rows says which of both runs (`when`). Of groups `in_matmuls`, it says whether a launch
    of one row makes the row or merges the splits itself.
    Attention becomes two launches: one stores the step's entries, with the norm and the rotation of keys, and one attends, and rounds its
    outputs if the op after it does. A block of the latter has rows of two query heads that read the same keys, or of one.
    With `one_row` there is no first launch: the block that has the row's own entry stores it, and
    computes the mask values and the matmul that makes them; queries are normalised and rotated where they are read. With entries in bf16
    such a block attends to a split of a row's entries, and another launch merges the splits. Where a step of few rows has one, and pools
    have room for few splits, the matmuls after a group `in_matmuls` merge them instead. More than 16 query heads that share entries
    are several blocks, so then entries have their launch.
    Attention with `keep` has these launches for pools with at most `keep` entries, and others for larger pools; the capacity says which of
    them run. The others: with `one_row` one finds the entry that the row becomes. Without it, one stores the step's rows apart,
    one ranks them and sorts the entries of before, one finds and lists what each block of rows sees, one attends to what is listed, one
    finds the indices of the rows that stay, and one stores these there.
    State-space duality with `one_row` is one launch, which rotates b and c, and rounds its outputs if the op after it does. Else a
    segment's rows are chunks of 64, counted from its start. What `cheems-round-inputs` rounds has the matmuls of a chunk on tensor
    cores, and there are three launches: the first one sums logarithms of decays, the second one takes the state from
    chunk to chunk, in ascending order, and stores it before each span of chunks, and the last one computes outputs, for which a
    block takes the state through a span in the same way. In f32 there are four: the second one computes what each chunk adds to the
    state, and the third one takes the state through the chunks. A row of a chunk after which x is infinite may be NaN. The best logits
    are found in pieces of rows, and then among these.
    Requires: all ops of a step in groups, with strategies. Attention has heads of an even size up to 256, and with
    `keep` its blocks have a multiple of 64 rows.
    Guarantees: an op that computes a tensor and is in no group whose kernels take it is an error. How a row is summed depends on the shapes of weights, on
    `cheems.most_rows` of the function, on the length of the row's sequence and on `one_row` alone, not on other rows.
  }];
  let dependentDialects = ["::cheems::tile::CheemsTileDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif
