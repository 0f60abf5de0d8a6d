// From a step of the cheems dialect to what CPU kernels compute, by sizes of the target. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_TD
#define CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandSegmentsPass : Pass<"cheems-expand-segments", "::mlir::ModuleOp"> {
  let summary = "Ops of a step become loops over its sequences";
  let description = [{
    Before: `cheems.gather_rows`, `cheems.positions`, `cheems.segmented_ssd` and `cheems.segmented_attention`.
    After: loops over the segment table, in which `cheems.ssd`, `cheems.dynamic_mask_attention` and what stores and drops keys work on
    slices of one sequence and head. With `one_row` the rows of all segments are stored first; then threads share the entries of
    each head in pieces, each a running `cheems_cpu.online_attention`, and `cheems_cpu.merge_attention` puts the pieces together in order.
    Requires: nothing.
    Guarantees: no op of a step is left. A loop that writes a pool reads it through its own arguments only, and puts a slice back
    where it took it, so that bufferisation copies no pool. Preserves bits.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::cheems::CheemsCPUDialect"
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

def QuantizeParametersPass : Pass<"cheems-quantize-parameters", "::mlir::ModuleOp"> {
  let summary = "Split matrices that are to be rounded into codes and scales";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter` of part `matrix`.
    After: two parameters, codes in panels <16, 4> and scales beside them, and a `cheems_cpu.linear` of both. Scales follow the codes through
    the arguments of layer functions, as last arguments. Tables of `cheems.mix_experts` become codes of 8 bits and a scale a row.
    Requires: a marked parameter is read by products alone, or by `cheems.mix_experts` alone.
    Guarantees: no parameter of part `matrix` is left. Changes bits: the weights are rounded, and so are the rows they multiply.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def PackParametersPass : Pass<"cheems-pack-parameters", "::mlir::ModuleOp"> {
  let summary = "Store matrices as panels and multiply with cheems_cpu.linear";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter`.
    After: the parameter carries `layout = #cheems_cpu.panels<16, pair>` and type [ceil(N/16), K/pair, 16, pair], the product is a
    `cheems_cpu.linear`; reads of rows of the same parameter (a tied embedding) index the panels. A destination that is not zero is added
    by its epilogue. A `linalg.generic` y[t, a, b, n] = sum_k x[t, a, b, k] * w[a, b, k, n] with a permuted parameter becomes one
    `cheems_cpu.linear` a matrix, in an `scf.forall` over blocks of 64 rows, a and b; in a decode step one after the other.
    Requires: weights used by products and by `tensor.extract` only. `pair` is 2 for bf16 with an even K, else 1.
    Any other parameter with `permute` stays as it is.
    Guarantees: one stream along K gives 16 outputs. The archive writer packs, no code does. Preserves bits where
    the destination is zero.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect"];
}

def PairTablesPass : Pass<"cheems-pair-tables", "::mlir::ModuleOp"> {
  let summary = "Store the two rows of an expert side by side";
  let description = [{
    Before: `cheems.mix_experts` with two `cheems.parameter` as tables, directly or as arguments of a layer function.
    After: one parameter of both names, `beside`, [E, 2 D]; the op reads its left and right columns.
    Tables of codes do the same, and so do their scales: [E, 2].
    Requires: tables used by `cheems.mix_experts` only, in pairs. Others stay as they are.
    Guarantees: what is read of an expert is one run of memory instead of two. Preserves bits.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::tensor::TensorDialect"];
}

def FuseEpiloguesPass : Pass<"cheems-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Do what follows a product before its sums are stored";
  let description = [{
    Before: a `cheems_cpu.linear`, or two of the same `x` with weights of one type, and a `linalg.generic` that is elementwise over [T, N]
    and the only user of them: a bias, an activation, a gate, a residual.
    After: one `cheems_cpu.linear` with the weights of both and the generic in its epilogue.
    Of a merged product that is read by columns, `cheems.rotary` of the first ones and elementwise generics of the last part that has
    some (a step's bias and softplus) become one `cheems_cpu.finish` of the product, whose rows are then whole panels.
    Requires: f32 tensors; the generic's other operands are [T, N] or [N]. A generic that reads its destination is fused where a
    second one updates its result: the first then writes a tensor of its own, the second writes what the first has read. Heads that
    share panels with other heads only in groups of more than 16 panels keep their `cheems.rotary`, and so do parts that have a bias.
    Guarantees: no sum of an epilogue is stored before it is complete. Preserves bits.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SelectStrategyPass : Pass<"cheems-select-strategy", "::mlir::ModuleOp"> {
  let summary = "Choose the sizes of loops from the target and the shapes";
  let description = [{
    Before: packed products and the ops of the dialect on tensors; a module that may say its target as `cheems.target`.
    After: the module has a `cheems.target`, by the options where it had none. Each op that a later pass splits says into what, as
    attributes: `cheems.panels` of a `cheems_cpu.linear`, `cheems.rows` of row-wise work, retrieval and attention, `cheems.keys` of
    attention, `cheems.chunk` of an `ssd`. An attribute that is there stays. With `group-experts`, where the rows of a
    group find no fewer experts than the tables hold, each `cheems.retrieve_experts` whose results only `cheems.mix_experts` takes
    becomes `ascending`, and each `cheems.mix_experts` that is neither in a function marked `cheems.decode` nor in a parallel loop,
    nor takes a retrieval that stays best first, gets a `cheems.group` for its kernel.
    Requires: products packed, epilogues fused.
    Guarantees: no other pass or place decides sizes; those that split take these attributes off, and use their options only where
    there are none. Changes no bits but by `cheems.chunk` and `cheems.keys`, and by `ascending`, which changes the order in which a
    head's experts are added, alike in all functions.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "::mlir::cheems::kDefaultLanes", "f32 lanes of a vector register of the target">,
    Option<"registers", "registers", "int64_t", "::mlir::cheems::kDefaultRegisters", "Vector registers of the target">,
    Option<"products", "products", "::mlir::cheems::Products", "::mlir::cheems::Products::FMA", "How products with weights of few bits are computed",
           "::mlir::cheems::productsValues()">,
    Option<"groupExperts", "group-experts", "int64_t", "0",
           "Rows of a group, whose experts are read in the order of their ids; 0: token by token">
  ];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect"];
}

def TileThreadsPass : Pass<"cheems-tile-threads", "::mlir::func::FuncOp"> {
  let summary = "Split products over panels and row-wise work over rows";
  let description = [{
    Before: `cheems_cpu.linear` and row-wise ops over all rows of a step.
    After: an `scf.forall` over groups of panels, over blocks of rows, or, for expert ops, over rows, around a slice of each; an
    op's own fill moves in, and the product that a `cheems_cpu.finish` finishes: groups are then of whole heads.
    Requires: parallel dimensions only; a reduction is never split. In a function marked `cheems.decode`, whose segments have one row
    each, row-wise work other than adding experts' outputs stays whole.
    Guarantees: iterations write disjoint slices. Preserves bits: what one element sums, and in which order, does not change.
  }];
  let options = [
    Option<"panels", "panels", "int64_t", "::mlir::cheems::kDefaultPanels", "Panels of 16 columns an iteration">,
    Option<"rows", "rows", "int64_t", "::mlir::cheems::kDefaultRows", "Rows an iteration of row-wise work; 0 leaves it whole">
  ];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def TileChunksPass : Pass<"cheems-tile-chunks", "::mlir::func::FuncOp"> {
  let summary = "Split SSD over chunks of rows, state carried from one to the next";
  let description = [{
    Before: `cheems.ssd` over all rows of a sequence.
    After: an `scf.for` over chunks of `chunk` rows around a `cheems.ssd_chunk`, with y and the state in iter_args.
    Requires: tensors.
    Guarantees: chunks start at multiples of `chunk` behind the op's first row. Agrees with the recurrence within f32 rounding, not to the bit.
  }];
  let options = [Option<"chunk", "chunk", "int64_t", "::mlir::cheems::kDefaultChunk", "Rows a chunk">];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def TileKeysPass : Pass<"cheems-tile-keys", "::mlir::func::FuncOp"> {
  let summary = "Split attention over blocks of rows and pieces of keys, with a running softmax";
  let description = [{
    Before: `cheems.dynamic_mask_attention` over all rows of a sequence and all entries.
    After: an `scf.for` over blocks of `rows` rows; in it an `scf.for` over blocks of `keys` entries around a
    `cheems_cpu.online_attention`, with maximum, sum and values of this piece and of those before it in iter_args. The first 32 blocks
    are a piece each, then each 16 pieces have twice as many blocks as the 16 before (`AttentionPieces.h`). Where a piece begins a
    `cheems_cpu.merge_attention` puts the one before it to those before that, and another does at the end; then the division.
    Requires: tensors.
    Guarantees: no buffer grows with rows times entries. Entries that no row of a block sees are not visited. Agrees within f32
    rounding; where entries are one piece, with the same `online_attention` of all of them to the bit.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "::mlir::cheems::kDefaultAttentionRows", "Rows a block">,
    Option<"keys", "keys", "int64_t", "::mlir::cheems::kAttentionBlock", "Entries a piece">
  ];
  let dependentDialects = ["::mlir::cheems::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect"];
}

def NameLoopsPass : Pass<"cheems-name-loops", "::mlir::func::FuncOp"> {
  let summary = "Say what each parallel loop computes";
  let description = [{
    Before: `scf.forall` loops around ops of the dialect.
    After: each has a `cheems.name`: the ops inside, of a product the shape of the whole weight too. Profiles show it.
    Requires: nothing. After decomposition the ops have less telling names.
    Guarantees: nothing but the attribute changes. Preserves bits.
  }];
}

#endif
