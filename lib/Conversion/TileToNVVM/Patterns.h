// Rewrite patterns from tiles to what one thread does, by concern.
#ifndef CHEEMS_LIB_CONVERSION_TILETONVVM_PATTERNS_H
#define CHEEMS_LIB_CONVERSION_TILETONVVM_PATTERNS_H

#include "ThreadBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/DenseSet.h"

namespace cheems::tile {

/// What is known of kernels before they are rewritten.
struct KernelFacts {
  /// Loads of memory that the kernel does not write.
  llvm::DenseSet<Operation *> ownReads;
  /// Those of them whose memory nobody writes while the kernel runs.
  llvm::DenseSet<Operation *> constantReads;
  /// Those of them that come before the kernel waits for those before it.
  llvm::DenseSet<Operation *> earlyReads;
};

/// Whether a kernel stores into an argument of it.
bool isWritten(Value memory);
/// Whether nobody writes an argument while the kernel runs: no other kernel
/// runs then, or none writes it.
bool isConstant(Value memory);
/// Whether the kernel waits for those before it before `op`, on each path.
bool hasWaited(Operation *op);
/// What a kernel has once those before it have ended: whatever takes it comes
/// after. None where the kernel has not waited.
Value endOfWait(Operation *op);
/// Whether the op is an elementwise one, which is the same on vectors.
bool isElementwise(Operation *op);
/// Whether the op takes a number of a tile that all threads hold.
bool isUniformElement(Operation *op);
/// Whether a function of math has code here.
bool isSupportedMath(Operation *op);

/// Rings become loops: of a thread of the filler, which fills stages, and of
/// the others, which have all the rest of the kernel. An error where the filler
/// would need what it cannot have.
LogicalResult splitRings(KernelOp kernel);
/// Barriers of the kernel's other threads do not wait for the filler.
void excludeFillers(gpu::GPUModuleOp kernels);
/// How many threads of a kernel have tiles.
int64_t tileThreadsOf(LLVM::LLVMFuncOp function);
/// The same as an attribute of a function that has a filler, too.
inline constexpr llvm::StringLiteral kTileThreads = "cheems_tile.threads";

void populateRingPatterns(const TypeConverter &types,
                          RewritePatternSet &patterns);
void populateStructurePatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateElementwisePatterns(const TypeConverter &types,
                                 RewritePatternSet &patterns);
void populateMathPatterns(const TypeConverter &types,
                          RewritePatternSet &patterns);
void populateGlobalPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns,
                            const KernelFacts &facts);
void populateAsyncCopyPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateCopyRowsPatterns(const TypeConverter &types,
                              RewritePatternSet &patterns);
void populateFetchRowsPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateSharedPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns);
/// Before the patterns of plain accesses, which are for what is left.
void populateMatrixLoadPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns);
void populateMmaPatterns(const TypeConverter &types,
                         RewritePatternSet &patterns);
void populateWarpgroupPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateFmaPatterns(const TypeConverter &types,
                         RewritePatternSet &patterns);
void populateReducePatterns(const TypeConverter &types,
                            RewritePatternSet &patterns);
void populatePrefixSumPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns);
void populateExchangePatterns(const TypeConverter &types,
                              RewritePatternSet &patterns);

} // namespace cheems::tile

#endif
