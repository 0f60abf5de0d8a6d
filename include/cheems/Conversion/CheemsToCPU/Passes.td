// From a step of the cheems dialect to ops of cheems_cpu, with the sizes of the target. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_TD
#define CHEEMS_CONVERSION_CHEEMSTOCPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandSegmentsPass : Pass<"cheems-expand-segments", "::mlir::ModuleOp"> {
  let summary = "Ops of a step become loops over its sequences";
  let description = [{
    Before: `cheems.gather_rows`, `cheems.positions`, `cheems.segmented_ssd` and `cheems.segmented_attention`.
    After: loops over the segment table. In them `cheems_cpu.ssd`, `cheems_cpu.dynamic_mask_attention` and the ops that store and drop keys work
    on slices of one sequence and head. With `one_row`, the rows of all segments are stored first. Then threads share the entries of each
    head in splits. Each split is a running `cheems_cpu.online_attention`, and `cheems_cpu.merge_attention` merges the splits in order.
    Requires: nothing.
    Guarantees: no op of a step is left. A loop that writes a pool reads it only through its own arguments, and puts a slice back where
    it took it. So bufferisation copies no pool. Preserves bits.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::cheems::cpu::CheemsCPUDialect"
  ];
}

def QuantizeParametersPass : Pass<"cheems-quantize-parameters", "::mlir::ModuleOp"> {
  let summary = "Split quantized matrices into integers and scales";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter` of part `matrix`.
    After: two parameters, quantized values in panels <16, 4> and scales, and a `cheems_cpu.linear` of both. Layer functions get the scales
    as last arguments. Tables of `cheems.mix_experts` become 8-bit integers, with one scale per row.
    Requires: only matmuls read such a parameter, or only `cheems.mix_experts` reads it.
    Guarantees: no parameter of part `matrix` is left. Changes bits: the weights are rounded, and so are the rows that they multiply.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def PackParametersPass : Pass<"cheems-pack-parameters", "::mlir::ModuleOp"> {
  let summary = "Store matrices as panels, and multiply with cheems_cpu.linear";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter`.
    After: the parameter has `layout = #cheems_cpu.panels<16, pair>` and the type [ceil(N/16), K/pair, 16, pair], and the matmul is a
    `cheems_cpu.linear`. Reads of rows of the same parameter (a tied embedding) index the panels. If the destination is not zero, the
    epilogue adds it. A `linalg.generic` y[t, a, b, n] = sum_k x[t, a, b, k] * w[a, b, k, n] with a permuted parameter becomes one
    `cheems_cpu.linear` per matrix, in an `scf.forall` over blocks of 64 rows, a and b. In a function of few rows
    (`cheems.most_rows`) they come one after the other.
    Requires: only matmuls and `tensor.extract` use the weights. `pair` is 2 for bf16 with an even K, and 1 otherwise. Any other
    parameter with `permute` stays as it is.
    Guarantees: one stream along K gives 16 outputs. The archive writer packs the weights; compiled code does not. Preserves bits if the
    destination is zero.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect"];
}

def PairTablesPass : Pass<"cheems-pair-tables", "::mlir::ModuleOp"> {
  let summary = "Store the two rows of an expert side by side";
  let description = [{
    Before: `cheems.mix_experts` with two `cheems.parameter` as tables, directly or as arguments of a layer function.
    After: one parameter [E, 2 D] of both names, with `by_columns`. The op reads its left and its right columns. Quantized tables are
    treated in the same way, and so are their scales: [E, 2].
    Requires: only `cheems.mix_experts` uses the tables, in pairs. Other tables stay as they are.
    Guarantees: the rows of an expert are one run of memory, not two. Preserves bits.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::tensor::TensorDialect"];
}

def FuseEpiloguesPass : Pass<"cheems-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Move the elementwise ops after a matmul into its epilogue";
  let description = [{
    Before: a `cheems_cpu.linear`, or two with the same `x` and weights of the same type. Their only user is a `linalg.generic` that is
    elementwise over [T, N]: a bias, an activation, a gate, a residual.
    After: one `cheems_cpu.linear` with the weights of both, and with the generic as its epilogue.
    A merged matmul may be read by columns. Then one `cheems_cpu.column_epilogue` of the matmul replaces `cheems.rotary` of the first columns and
    the elementwise generics of the last part that has some (bias and softplus of a step). The rows of the matmul are then whole panels.
    Requires: f32 tensors. The other operands of the generic are [T, N] or [N]. A generic that reads its destination is fused if a second
    generic updates its result. Then the first one writes a tensor of its own, and the second one writes the tensor that the first one
    read. Three things keep their `cheems.rotary`: parts with a bias, heads that turn in part, and heads that fill whole panels only in
    groups of more than 16 panels.
    Guarantees: the sums are complete before the epilogue stores them. Preserves bits.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SelectStrategyPass : Pass<"cheems-select-strategy", "::mlir::ModuleOp"> {
  let summary = "Choose the sizes of loops from the target and the shapes";
  let description = [{
    Before: packed matmuls and the ops of the dialect on tensors. The module may have a `cheems.target`.
    After: the module has a `cheems.target`, from the options if it had none. Each op that a later pass cuts has one attribute
    `cheems_cpu.strategy`, which says how. Matmuls have a `#cheems_cpu.matmul_strategy`, and row-wise work has a `rows_strategy`. The
    others are `attention_strategy`, `ssd_strategy` and `experts_strategy`. If an op has a strategy already, it keeps it. The module gets a
    `step_strategy` for the session. A target of one lane means plain loops, and only attention is cut.
    A function may say with `cheems.most_rows` how many rows it has at most. If that is 64 or less, row-wise work stays whole, matmuls have
    only loops for few rows, and threads share the pieces of a row's experts if the tables are large.
    With `group-experts`, the rows of a group may find no fewer experts than the tables hold. Then each `cheems.retrieve_experts` whose
    results only `cheems.mix_experts` takes becomes `ascending`. Each `cheems.mix_experts` then goes `by_group`, unless it has few rows, is
    in a parallel loop, or takes a retrieval that is not `ascending`.
    Requires: matmuls are packed, and epilogues are fused.
    Guarantees: no other pass decides sizes (`Utils/Strategy.h` has every number). A pass that cuts an op removes its strategy, and does not
    cut an op without one. Bits depend only on the sizes of chunks and of attention's steps, and on `ascending`. The latter changes the
    order in which a head's experts are added, in all functions in the same way.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "::cheems::cpu::kDefaultLanes", "f32 lanes per vector register of the target; 1 for plain loops">,
    Option<"registers", "registers", "int64_t", "::cheems::cpu::kDefaultRegisters", "Vector registers of the target">,
    Option<"products", "products", "::cheems::cpu::MatmulUnit", "::cheems::cpu::MatmulUnit::FMA", "How matmuls with weights of few bits are computed",
           "::cheems::cpu::matmulsValues()">,
    Option<"groupExperts", "group-experts", "int64_t", "0",
           "Rows of a group, whose experts are read in the order of their ids; 0: token by token">
  ];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect"];
}

def TileThreadsPass : Pass<"cheems-tile-threads", "::mlir::func::FuncOp"> {
  let summary = "Split matmuls over panels and row-wise work over rows";
  let description = [{
    Before: `cheems_cpu.linear`, `cheems_cpu.column_epilogue` and row-wise ops over all rows of a step. Each has a `cheems_cpu.strategy`.
    After: an `scf.forall` around a slice of each op. It goes over groups of panels, over blocks of rows, or, for expert ops, over rows. The
    fill of an op moves into the loop. So does the matmul of a `cheems_cpu.column_epilogue`; its groups then have whole heads.
    Requires: parallel dimensions. A reduction is never split. An op without a strategy is not split.
    Guarantees: an op that was split has no sizes any more, but keeps what a kernel reads from its strategy. Iterations write disjoint
    slices. Preserves bits: each element sums the same numbers in the same order.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def TileChunksPass : Pass<"cheems-tile-chunks", "::mlir::func::FuncOp"> {
  let summary = "Split SSD over chunks of rows, which pass the state on";
  let description = [{
    Before: `cheems_cpu.ssd` over all rows of a sequence, with an `ssd_strategy`.
    After: an `scf.for` over chunks of `chunk` rows around a `cheems_cpu.ssd_chunk`, with y and the state in iter_args.
    Requires: tensors.
    Guarantees: chunks start at multiples of `chunk` after the op's first row. The results agree with the recurrence within the rounding of
    f32, but not in every bit.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def TileKeysPass : Pass<"cheems-tile-keys", "::mlir::func::FuncOp"> {
  let summary = "Divide attention into blocks of rows and splits of keys, with a running softmax";
  let description = [{
    Before: `cheems_cpu.dynamic_mask_attention` over all rows of a sequence and all entries, with an `attention_strategy`.
    After: an `scf.for` over blocks of `rows` rows. In it is an `scf.for` over blocks of `keys` entries around a
    `cheems_cpu.online_attention`. Its iter_args are maximum, sum and values of this split and of all splits before it. Each of the first 32
    blocks is a split. After these, each 16 splits have twice as many blocks as the 16 before (`AttentionSplits.h`). When a new split
    begins, and at the end, a `cheems_cpu.merge_attention` merges the finished split with those before it. The division comes last.
    Requires: tensors.
    Guarantees: no buffer grows with rows times entries. Entries that no row of a block sees are not visited. The results agree within the
    rounding of f32. If all entries are one split, they have the bits of one `online_attention` over all of them.
  }];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect"];
}

def NameLoopsPass : Pass<"cheems-name-loops", "::mlir::func::FuncOp"> {
  let summary = "Say what each parallel loop computes";
  let description = [{
    Before: `scf.forall` loops around ops of the dialect.
    After: each has a `cheems_cpu.name` with the names of the ops inside. A matmul has the shape of the whole weight, too. Where the locations
    of the ops say it, the parts of the layer follow in parentheses: `linear 208x64+column_epilogue (ssd.c_proj, b_proj)`. Profiles show
    this name.
    Requires: nothing. After decomposition, the names of the ops say less.
    Guarantees: only the attribute changes. Preserves bits.
  }];
}

def DecomposePass : Pass<"cheems-decompose", "::mlir::func::FuncOp"> {
  let summary = "Replace cheems ops by upstream ops";
  let description = [{
    Before: ops of our dialects on tensors.
    After: the result of their `decomposeOperation`, which is ops of linalg, scf, tensor, arith and math.
    Requires: tensors, not buffers.
    Guarantees: with `kernels` false, only ops that have no decomposition are left, such as `cheems.parameter` and `cheems.mark`. With
    `kernels` true, the ops that have a kernel stay, too (`KernelOpInterface`). The results may differ from those of the kernels in bits.
  }];
  let options = [Option<"kernels", "kernels", "bool", "false", "Leave the ops that have a kernel">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif
