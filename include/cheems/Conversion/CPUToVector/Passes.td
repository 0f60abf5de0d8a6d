// From ops of the CPU level, on buffers, to vector loops. docs/passes.md shows the before and after of each.
#ifndef CHEEMS_CONVERSION_CPUTOVECTOR_PASSES_TD
#define CHEEMS_CONVERSION_CPUTOVECTOR_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerMicrokernelsPass : Pass<"cheems-lower-microkernels", "::mlir::func::FuncOp"> {
  let summary = "Ops with a kernel become vector loops";
  let description = [{
    Before: on memrefs, the ops that have a kernel. These are the ops with `KernelOpInterface`, which
    `lib/Conversion/CPUToVector/KernelModels.cpp` attaches.
    After: `scf.for` loops over register tiles of `vector` ops. An `ssd_chunk` of several rows and the expert ops get scratch of static
    size. With `products` other than `fma`, a `cheems_cpu.linear` of pairs of bf16 becomes `amx` or `x86vector.avx512.dot` ops, and an
    `scf.forall` before its loop rounds the inputs to bf16.
    A `cheems.mix_experts` goes row by row, by pieces of a row, or by groups of rows, as its `experts_strategy` says. In a group, the pairs of
    a row and an expert are sorted by expert, so that a row of a table is fetched once for all rows of x that need it.
    With `only` ops of other names stay as they are. So the kernel of one op can be read by itself.
    Requires: bufferised IR. If the module has a `cheems.target`, it is used, and the options are ignored.
    Guarantees: every output element of a matmul is one chain over ascending k (of fused multiply-adds, of `vdpbf16ps`, or of
    `tdpbf16ps` over blocks of 32), in every tile. So a row does not depend on other rows. An `ssd_chunk` of one row has the bits of the
    recurrence.
  }];
  let options = [
    Option<"lanes", "lanes", "int64_t", "::cheems::cpu::kDefaultLanes", "f32 lanes per vector register of the target">,
    Option<"registers", "registers", "int64_t", "::cheems::cpu::kDefaultRegisters", "Vector registers of the target">,
    Option<"products", "products", "::cheems::cpu::MatmulUnit", "::cheems::cpu::MatmulUnit::FMA", "How matmuls with weights of few bits are computed",
           "::cheems::cpu::matmulsValues()">,
    ListOption<"only", "only", "std::string", "Names of the ops to lower, to read one kernel at a time; all, if there are none">
  ];
  let dependentDialects = ["::cheems::cpu::CheemsCPUDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::affine::AffineDialect",
                           "::mlir::amx::AMXDialect", "::mlir::x86vector::X86VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
