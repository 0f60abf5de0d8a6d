// From vector loops to the LLVM dialect: weights, one arena, parallel bodies, entries. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_CPUTOLLVM_PASSES_TD
#define CHEEMS_CONVERSION_CPUTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanWorkspacePass : Pass<"cheems-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Place every temporary in one arena";
  let description = [{
    Before: `memref.alloc` in functions and in the bodies of `scf.forall`.
    After: `memref.view` of one argument of bytes. Buffers whose lifetimes do not overlap share bytes. A public function records its needs as
    `cheems_cpu.workspace = [S, R, W]`, which means S + R * rows + W * workers bytes. W is that of the function that needs the most.
    Requires: each alloc has at most one dynamic extent, which is the row count of its function. Allocs inside of a forall are static.
    Guarantees: no allocation in a step. Preserves bits.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::cheems::cpu::CheemsCPUDialect"];
}

def LowerLinalgPass : Pass<"cheems-lower-linalg"> {
  let summary = "Turn what is left of linalg into loops";
  let description = [{
    Before: `linalg` on buffers.
    After: `scf.for` over single numbers, as `convert-linalg-to-loops` makes them. But no other op is visited or folded.
    Requires: kernels are lowered.
    Guarantees: no `linalg` on buffers is left. Preserves bits.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def ExpandMathPass : Pass<"cheems-expand-math"> {
  let summary = "Replace math functions by polynomials";
  let description = [{
    Before: `math.exp`, `log1p`, `erf`, ... on f32 and `math.sin`, `cos`, `exp`, `log` on f64.
    After: straight-line arithmetic. f32 has MLIR's approximations (at most 5 ulp). f64 has our own (below 2 ulp; sine and cosine for
    |x| < 2^30, by a three-part reduction).
    Requires: scalars or vectors.
    Guarantees: no call of a math library is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def CheckKernelsPass : Pass<"cheems-check-kernels", "::mlir::ModuleOp"> {
  let summary = "Refuse code that allocates, copies a pool or calls a library";
  let description = [{
    Before and after: the same IR. There is an error at an op by which the compiled step would allocate (`memref.alloc`, `memref.alloca`),
    copy a buffer (`memref.copy`), or call something else than `cheems_parallel_for` and the module's own functions. There is also an error
    at an op of the dialects that is left, and at an op of `math` that needs a library.
    Requires: IR after `cheems-plan-workspace` and `cheems-expand-math`.
    Guarantees: a step of a module that passes allocates nothing, and calls nothing outside of the module except the pool.
  }];
}

def OutlineParallelPass : Pass<"cheems-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Turn each scf.forall into a call of the thread pool";
  let description = [{
    Before: bufferised `scf.forall` of any rank.
    After: `func @f_parallelN(context, begin, end, worker)`, which loops over its range of the linearised iterations, and a call of
    `cheems_parallel_for` (include/cheems/abi.h), which gets the loop's `cheems_cpu.name`. Captured values are in a struct on the caller's
    stack.
    Requires: the loops have no results and are not nested. This pass runs right before the conversion to LLVM.
    Guarantees: there is no alloca in a loop. `cheems_cpu.worker` becomes the worker argument. Equal bodies are one function. Preserves
    bits.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def EmitEntriesPass : Pass<"cheems-emit-entries", "::mlir::ModuleOp"> {
  let summary = "Wrap each public step function in a C entry";
  let description = [{
    Before: public functions on memrefs with `cheems.entry = "symbol"`. The attribute `cheems.field` of an argument names the field of
    `cheems_step` that it takes (`#cheems.step_field`).
    After: `symbol(const cheems_step *)` loads the struct of include/cheems/abi.h, builds the memrefs and calls the function, which
    becomes private. If the step has a profile, `cheems.mark` stores a cycle count. If not, it costs one test and branch. The `cheems.*`
    attributes of the module, which are for the archive writer, are removed.
    Requires: extents are static, except those that abi.h gives.
    Guarantees: the entry returns nothing and keeps nothing. Preserves bits.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandViewsPass : Pass<"cheems-expand-views"> {
  let summary = "Compute the addresses of views";
  let description = [{
    Before: `memref.subview`, `memref.expand_shape` and other views.
    After: `memref.reinterpret_cast` of a buffer, and affine ops that compute its offset, extents and strides. It has the patterns of
    `expand-strided-metadata`, but visits views alone.
    Requires: buffers.
    Guarantees: the only views left are those that the conversion to LLVM knows. Preserves bits.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

def LowerVectorsPass : Pass<"cheems-lower-vectors"> {
  let summary = "Convert vectors, AMX and x86vector to the LLVM dialect";
  let description = [{
    Before: ops of `vector`, `amx` and `x86vector`.
    After: the LLVM dialect, with casts to and from its types where other ops meet them. It has the patterns of `convert-vector-to-llvm`,
    but no op of another dialect is visited or folded before the conversion.
    Requires: transfers of one dimension.
    Guarantees: no op of the three dialects is left. Preserves bits.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect"];
}

#endif
