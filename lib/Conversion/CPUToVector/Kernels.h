// Micro-kernels: each lowers one op on buffers to loops over register tiles.
#ifndef CHEEMS_LIB_CONVERSION_CPUTOVECTOR_KERNELS_H
#define CHEEMS_LIB_CONVERSION_CPUTOVECTOR_KERNELS_H

#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "cheems/Support/MLIR.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace cheems {

/// What a kernel may assume of the target's vector unit.
struct VectorUnit {
  int64_t lanes;            ///< f32 lanes of a register
  int64_t registers;        ///< number of registers
  cpu::MatmulUnit products; ///< with bf16 weights
};

/// The buffer that `buffer` is made of by views whose rows, the first
/// dimension, are rows of what they view: all or some of them. Where a view's
/// rows are something else, that view.
Value sourceOfRows(Value buffer);

/// y = epilogue(x * W^T) on panels, by the target's way of matmuls. What it
/// packs of x, it packs before the enclosing scf.forall where x comes from
/// outside of that.
LogicalResult lowerLinear(cpu::LinearOp op, const VectorUnit &unit,
                          RewriterBase &rewriter);

/// Pairs of vectors of a head, and vectors of the columns that are mapped.
LogicalResult lowerColumnEpilogue(cpu::ColumnEpilogueOp op,
                                  const VectorUnit &unit,
                                  RewriterBase &rewriter);

/// Each row twice: its squares summed in lanes, then scaled.
LogicalResult lowerNorm(RmsNormOp op, const VectorUnit &unit,
                        RewriterBase &rewriter);

/// A block of keys for softmax attention: tiles of rows share each key and
/// value, the rest goes row by row with the same bits.
LogicalResult lowerAttention(cpu::OnlineAttentionOp op, const VectorUnit &unit,
                             RewriterBase &rewriter);

/// A vector of values at a time.
LogicalResult lowerMergeAttention(cpu::MergeAttentionOp op,
                                  const VectorUnit &unit,
                                  RewriterBase &rewriter);

/// One scan for the least of the kept entries, then a row at a time.
LogicalResult lowerKeepThreshold(cpu::KeepThresholdOp op,
                                 const VectorUnit &unit,
                                 RewriterBase &rewriter);

/// Evicted indices by vector comparisons, keys moved as vectors.
LogicalResult lowerKeepUpdate(cpu::KeepUpdateOp op, const VectorUnit &unit,
                              RewriterBase &rewriter);

/// SSD over one chunk: the recurrence for one row, else matmuls on register
/// tiles.
LogicalResult lowerSSDChunk(cpu::SSDChunkOp op, const VectorUnit &unit,
                            RewriterBase &rewriter);

/// The best keys of both halves, then the best of their sums: what passes a
/// threshold is compressed and ranked.
LogicalResult lowerRetrieval(RetrieveExpertsOp op, const VectorUnit &unit,
                             RewriterBase &rewriter);

/// A row's experts in pieces: products with `down`, weights, rows of `up` added
/// in registers. The loops over rows, or in a decode step over pieces, are
/// parallel.
LogicalResult lowerMixing(MixExpertsOp op, const VectorUnit &unit,
                          RewriterBase &rewriter);

} // namespace cheems

#endif
