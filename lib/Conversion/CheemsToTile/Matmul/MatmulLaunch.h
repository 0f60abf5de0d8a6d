// Launches of matmuls.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULLAUNCH_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_MATMUL_MATMULLAUNCH_H

#include "Attention/SplitMerging.h"
#include "MatmulGroup.h"
#include "Rows/NormKernels.h"

namespace cheems::tile {

/// Replaces a group by its launch. Of matmuls of few rows there are two: one
/// runs where there is one row, and the other one where there are more.
/// Each output is the same sum in the same order in both.
void replaceMatmuls(PatternRewriter &rewriter, const MatmulGroup &group,
                    KernelTable &kernels);

/// Replaces a norm and all groups of matmuls of few rows that read it. Where
/// there is one row, the norm has no launch of its own.
void replaceNormedMatmuls(PatternRewriter &rewriter, NormChain norm,
                          ArrayRef<MatmulGroup> groups, KernelTable &kernels);

/// Replaces the quantization of rows, and all groups of matmuls of few
/// rows that read them. Where there is one row, the rounding has no launch of
/// its own, and the norm of it has none if there is one.
/// \param norm of the rows, or null. Nobody else reads it before the
/// rounding, and all matmuls can be there.
void replaceRoundedMatmuls(PatternRewriter &rewriter, RmsNormOp norm,
                           QuantizeEntriesOp rounding,
                           ArrayRef<MatmulGroup> groups, KernelTable &kernels);

/// Replaces a group of matmuls of few rows. Where `pieces` run, the launch of
/// one row merges the splits; else the row is there.
/// \param rounding of the rows to quantized values for this group alone, or
/// null.
void replaceMergedMatmuls(PatternRewriter &rewriter, const SplitsOfRow &pieces,
                          const MatmulGroup &group, QuantizeEntriesOp rounding,
                          KernelTable &kernels);

} // namespace cheems::tile

#endif
