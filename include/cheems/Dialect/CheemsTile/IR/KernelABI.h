// How a launch hands arguments to a compiled kernel.
//
// A kernel's parameters follow its arguments in order:
// - a memref is a pointer into memory of the GPU (64 bits), and after it one
//   signless number of 32 bits per dynamic extent, the outermost first
// - index and i32 are 32 bits, f32 is a float
// - a tensor map is 128 bytes by value, aligned to 64: what
//   cuTensorMapEncodeTiled makes of the memref, of boxes as the type says, with
//   the swizzle that has as many bytes as a row of a box, and zeros outside
//
// The caller guarantees:
// - pointers are aligned to 16 bytes; memory is in row-major order, dense
// - extents are less than 2^31, numbers of type index are in [0, 2^31)
// - memory that the kernel writes overlaps the memory of no other argument
// - a kernel with `overlaps` runs beside kernels that are before it in its
//   stream, and those write no argument with kConstant; any other runs alone
//
// A block has the kernel's threads along x, and as much dynamic shared memory
// as the attribute kSharedBytes of the function says.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_KERNELABI_H
#define CHEEMS_DIALECT_CHEEMSTILE_IR_KERNELABI_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/BuiltinTypes.h"

namespace cheems::tile {

/// The gpu.module that compiled kernels are in.
inline constexpr llvm::StringLiteral kKernels = "kernels";
/// The symbol of a block's shared memory, external and aligned to 1024 bytes.
inline constexpr llvm::StringLiteral kSharedMemory = "cheems_shared";
/// An attribute of a compiled kernel: its dynamic shared memory, in bytes
/// (i64).
inline constexpr llvm::StringLiteral kSharedBytes = "cheems_tile.shared";

struct KernelParameter {
  enum class Kind { Pointer, Extent, Index, I32, F32, TensorMap };
  Kind kind;
  unsigned argument;      ///< of the kernel
  unsigned dimension = 0; ///< of the memref, for Extent

  /// What the parameter takes in the launch.
  int64_t bytes() const {
    return kind == Kind::TensorMap ? kTensorMapBytes
           : kind == Kind::Pointer ? 8
                                   : 4;
  }
  static constexpr int64_t kTensorMapBytes = 128, kTensorMapAlignment = 64;
};

/// The parameters of a kernel with these arguments.
SmallVector<KernelParameter> parametersOf(TypeRange arguments);

} // namespace cheems::tile

#endif
