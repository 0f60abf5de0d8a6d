// The passes of the cheems pipelines. docs/passes.md shows the before and after of each, taken from its lit test.
#ifndef CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_TD
#define CHEEMS_DIALECT_CHEEMS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def EnterStagePass : Pass<"cheems-enter-stage", "::mlir::ModuleOp"> {
  let summary = "Refuse a module that has not been through the pipeline before, or has been through this one";
  let description = [{
    Before: a module whose `cheems.stage` says what it is: `imported`, `fused` or `buffers`; one in the LLVM dialect is at `llvm`.
    After: the same, with the `cheems.stage` that is entered. Each pipeline begins with it.
    Requires: the module is at the stage before. A module that says no stage, as one written by hand, may enter any but where it is
    in the LLVM dialect.
    Guarantees: a pipeline that runs twice or too early is refused by one error, which says what comes first, at the first op that
    still needs it. Preserves bits.
  }];
  let options = [
    Option<"stage", "stage", "::mlir::cheems::Stage", "::mlir::cheems::Stage::Fused", "What the module becomes",
           "::mlir::cheems::stageValues()">
  ];
  let dependentDialects = ["::mlir::cheems::CheemsDialect"];
}

def SpecializeDecodePass : Pass<"cheems-specialize-decode", "::mlir::ModuleOp"> {
  let summary = "Make a second step whose segments have one row each";
  let description = [{
    Before: functions with ops that work on segments: `cheems.positions`, `cheems.segmented_ssd`, `cheems.segmented_attention`.
    After: each has a copy beside it, with `_decode` behind its name, that calls the copies of what it calls; the ops in it
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

def QuantizeParametersPass : Pass<"cheems-quantize-parameters", "::mlir::ModuleOp"> {
  let summary = "Split matrices that are to be rounded into codes and scales";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter` of part `matrix`.
    After: two parameters, codes in panels <16, 4> and scales beside them, and a `cheems.linear` of both. Scales follow the codes through
    the arguments of layer functions, as last arguments. Tables of `cheems.mix_experts` become codes of 8 bits and a scale a row.
    Requires: a marked parameter is read by products alone, or by `cheems.mix_experts` alone.
    Guarantees: no parameter of part `matrix` is left. Changes bits: the weights are rounded, and so are the rows they multiply.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def PackParametersPass : Pass<"cheems-pack-parameters", "::mlir::ModuleOp"> {
  let summary = "Store matrices as panels and multiply with cheems.linear";
  let description = [{
    Before: `linalg.matmul` with a transposed right operand [N, K] that is a `cheems.parameter`.
    After: the parameter carries `layout = #cheems.panels<16, pair>` and type [ceil(N/16), K/pair, 16, pair], the product is a
    `cheems.linear`; reads of rows of the same parameter (a tied embedding) index the panels. A destination that is not zero is added
    by its epilogue. A `linalg.generic` y[t, a, b, n] = sum_k x[t, a, b, k] * w[a, b, k, n] with a permuted parameter becomes one
    `cheems.linear` a matrix, in an `scf.forall` over blocks of 64 rows, a and b; in a decode step one after the other.
    Requires: weights used by products and by `tensor.extract` only. `pair` is 2 for bf16 with an even K, else 1.
    Any other parameter with `permute` stays as it is.
    Guarantees: one stream along K gives 16 outputs. The archive writer packs, no code does. Preserves bits where
    the destination is zero.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsDialect", "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect",
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
  let dependentDialects = ["::mlir::cheems::CheemsDialect", "::mlir::tensor::TensorDialect"];
}

def FuseEpiloguesPass : Pass<"cheems-fuse-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Do what follows a product before its sums are stored";
  let description = [{
    Before: a `cheems.linear`, or two of the same `x` with weights of one type, and a `linalg.generic` that is elementwise over [T, N]
    and the only user of them: a bias, an activation, a gate, a residual.
    After: one `cheems.linear` with the weights of both and the generic in its epilogue.
    Of a merged product that is read by columns, `cheems.rotary` of the first ones and elementwise generics of the last part that has
    some (a step's bias and softplus) become one `cheems.finish` of the product, whose rows are then whole panels.
    Requires: f32 tensors; the generic's other operands are [T, N] or [N]. A generic that reads its destination is fused where a
    second one updates its result: the first then writes a tensor of its own, the second writes what the first has read. Heads that
    share panels with other heads only in groups of more than 16 panels keep their `cheems.rotary`, and so do parts that have a bias.
    Guarantees: no sum of an epilogue is stored before it is complete. Preserves bits.
  }];
  let dependentDialects = ["::mlir::cheems::CheemsDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SelectStrategyPass : Pass<"cheems-select-strategy", "::mlir::ModuleOp"> {
  let summary = "Choose the sizes of loops from the target and the shapes";
  let description = [{
    Before: packed products and the ops of the dialect on tensors; a module that may say its target as `cheems.target`.
    After: the module has a `cheems.target`, by the options where it had none. Each op that a later pass splits says into what, as
    attributes: `cheems.panels` of a `cheems.linear`, `cheems.rows` of row-wise work, retrieval and attention, `cheems.keys` of
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
  let dependentDialects = ["::mlir::cheems::CheemsDialect"];
}

def TileThreadsPass : Pass<"cheems-tile-threads", "::mlir::func::FuncOp"> {
  let summary = "Split products over panels and row-wise work over rows";
  let description = [{
    Before: `cheems.linear` and row-wise ops over all rows of a step.
    After: an `scf.forall` over groups of panels, over blocks of rows, or, for expert ops, over rows, around a slice of each; an
    op's own fill moves in, and the product that a `cheems.finish` finishes: groups are then of whole heads.
    Requires: parallel dimensions only; a reduction is never split. In a function marked `cheems.decode`, whose segments have one row
    each, row-wise work other than adding experts' outputs stays whole.
    Guarantees: iterations write disjoint slices. Preserves bits: what one element sums, and in which order, does not change.
  }];
  let options = [
    Option<"panels", "panels", "int64_t", "::mlir::cheems::kDefaultPanels", "Panels of 16 columns an iteration">,
    Option<"rows", "rows", "int64_t", "::mlir::cheems::kDefaultRows", "Rows an iteration of row-wise work; 0 leaves it whole">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
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
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect"];
}

def TileKeysPass : Pass<"cheems-tile-keys", "::mlir::func::FuncOp"> {
  let summary = "Split attention over blocks of rows and pieces of keys, with a running softmax";
  let description = [{
    Before: `cheems.dynamic_mask_attention` over all rows of a sequence and all entries.
    After: an `scf.for` over blocks of `rows` rows; in it an `scf.for` over blocks of `keys` entries around a
    `cheems.online_attention`, with maximum, sum and values of this piece and of those before it in iter_args. The first 32 blocks
    are a piece each, then each 16 pieces have twice as many blocks as the 16 before (`AttentionPieces.h`). Where a piece begins a
    `cheems.merge_attention` puts the one before it to those before that, and another does at the end; then the division.
    Requires: tensors.
    Guarantees: no buffer grows with rows times entries. Entries that no row of a block sees are not visited. Agrees within f32
    rounding; where entries are one piece, with the same `online_attention` of all of them to the bit.
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "::mlir::cheems::kDefaultAttentionRows", "Rows a block">,
    Option<"keys", "keys", "int64_t", "::mlir::cheems::kAttentionBlock", "Entries a piece">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::affine::AffineDialect",
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

def DecomposePass : Pass<"cheems-decompose", "::mlir::func::FuncOp"> {
  let summary = "Replace cheems ops by upstream ops";
  let description = [{
    Before: ops of the dialect on tensors.
    After: their `decomposeOperation`: linalg, scf, tensor, arith and math.
    Requires: tensors, not buffers.
    Guarantees: with `kernels` false no op of the dialect is left but `cheems.parameter`, `cheems.mark` and `cheems.worker`; with
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

def LowerParametersPass : Pass<"cheems-lower-parameters", "::mlir::ModuleOp"> {
  let summary = "Lay out the weight section and turn parameters into views of it";
  let description = [{
    Before: `cheems.parameter` ops in public functions that have an argument marked `cheems.parameters`.
    After: a `memref.view` of that argument at a constant offset. The module records the layout as `cheems.parameters`, an array of
    dictionaries {names, type, layout, permute, beside, offset}, which the archive writer and the loader follow.
    Requires: one such argument a function that holds parameters.
    Guarantees: offsets are 64-byte aligned, in order of first use, each parameter once. Preserves bits.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def LowerMicrokernelsPass : Pass<"cheems-lower-microkernels", "::mlir::func::FuncOp"> {
  let summary = "Lower products, attention, normalisation and SSD on buffers to vector loops";
  let description = [{
    Before: `cheems.finish`, `cheems.keep_threshold`, `cheems.keep_update`, `cheems.linear`, `cheems.merge_attention`,
    `cheems.mix_experts`, `cheems.online_attention`, `cheems.retrieve_experts`, `cheems.rms_norm` and `cheems.ssd_chunk` on memrefs.
    After: `scf.for` loops over register tiles of `vector` ops; an `ssd_chunk` of several rows and the
    expert ops get scratch of static size. With `products` other than `fma`, a `cheems.linear` of pairs of bf16 becomes `amx` or
    `x86vector.avx512.dot` ops, and an `scf.forall` in front of its own rounds the inputs to bf16.
    A `cheems.mix_experts` goes row by row; with `cheems.group` and outside of a `cheems.decode` function, by groups of so many
    rows: their pairs with experts are sorted by expert, so that a row of a table is fetched once for all rows of x that want it.
    Requires: bufferised IR. Where the module has a `cheems.target`, that holds and the options do not.
    Guarantees: every output element of a product is one chain over ascending k (of fused multiply-adds, of `vdpbf16ps`, or of
    `tdpbf16ps` over blocks of 32), whatever the tile, so a row never depends on the rows beside it. An `ssd_chunk` of one row has the bits of the recurrence.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "::mlir::cheems::kDefaultLanes", "f32 lanes of a vector register of the target">,
    Option<"registers", "registers", "int64_t", "::mlir::cheems::kDefaultRegisters", "Vector registers of the target">,
    Option<"products", "products", "::mlir::cheems::Products", "::mlir::cheems::Products::FMA", "How products with weights of few bits are computed",
           "::mlir::cheems::productsValues()">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::affine::AffineDialect",
                           "::mlir::amx::AMXDialect", "::mlir::x86vector::X86VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

def PlanWorkspacePass : Pass<"cheems-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Place every temporary in one arena";
  let description = [{
    Before: `memref.alloc` in functions and in the bodies of `scf.forall`.
    After: `memref.view` of one byte argument. Buffers whose lives do not overlap share bytes. A public function records its needs as
    `cheems.workspace = [S, R, W]`: S + R * rows + W * workers bytes; W is that of the function which needs the most.
    Requires: each alloc has at most one dynamic extent, the row count of its function; allocs inside a forall are static.
    Guarantees: no allocation in a step. Preserves bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::cheems::CheemsDialect"];
}

def OutlineParallelPass : Pass<"cheems-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Turn each scf.forall into a call of the thread pool";
  let description = [{
    Before: bufferised `scf.forall` of any rank.
    After: `func @f_parallelN(context, begin, end, worker)`, which loops over its range of the linearised iterations, and a call of
    `cheems_parallel_for` (include/cheems/abi.h), which is told the loop's `cheems.name`. Captured values travel in a struct on the
    caller's stack.
    Requires: no results, no nesting; runs right before the conversion to LLVM.
    Guarantees: no alloca in a loop; `cheems.worker` becomes the worker argument; equal bodies are one function. Preserves bits.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def ExpandMathPass : Pass<"cheems-expand-math"> {
  let summary = "Replace math functions by polynomials";
  let description = [{
    Before: `math.exp`, `log1p`, `erf`, ... on f32 and `math.sin`, `cos`, `exp`, `log` on f64.
    After: straight-line arithmetic: MLIR's approximations for f32 (at most 5 ulp), our own for f64 (below 2 ulp; sine and cosine for
    |x| < 2^30 by a three-part reduction).
    Requires: scalars or vectors.
    Guarantees: no call of a math library is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def EmitEntriesPass : Pass<"cheems-emit-entries", "::mlir::ModuleOp"> {
  let summary = "Wrap each public step function in a C entry";
  let description = [{
    Before: public functions over memrefs marked `cheems.entry = "symbol"`, their arguments marked with the field of `cheems_step` they
    take: `cheems.field = "tokens" | "segments" | "rows" | "logits" | "parameters" | "pools" | "workspace"`.
    After: `symbol(const cheems_step *)` loads the struct of include/cheems/abi.h, builds the memrefs and calls the function, which
    becomes private. `cheems.mark` stores a cycle count where the step has a profile: one test and branch where it has none. The
    module's `cheems.*` notes for the archive writer are dropped.
    Requires: static extents but for those that abi.h gives.
    Guarantees: the entry returns nothing and keeps nothing. Preserves bits.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def CheckKernelsPass : Pass<"cheems-check-kernels", "::mlir::ModuleOp"> {
  let summary = "Refuse code that allocates, copies a pool or calls a library";
  let description = [{
    Before and after: the same IR. An error at the op where the compiled step would allocate (`memref.alloc`, `memref.alloca`), copy
    a buffer (`memref.copy`), or call anything but `cheems_parallel_for` and the module's own functions, or where an op of the dialect
    or of `math` that needs a library is left.
    Requires: IR after `cheems-plan-workspace` and `cheems-expand-math`.
    Guarantees: what passes neither allocates nor leaves the module but for the pool.
  }];
}

#endif
