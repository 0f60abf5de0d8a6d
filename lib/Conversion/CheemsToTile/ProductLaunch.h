// Launches of products.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PRODUCTLAUNCH_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_PRODUCTLAUNCH_H

#include "NormKernels.h"
#include "PieceMerging.h"
#include "ProductGroup.h"

namespace cheems::tile {

/// Replaces a group by its launch. Of products of few rows there are two: one
/// has blocks where there is one row, and the other one where there are more.
/// Each output is the same sum in the same order in both.
void replaceProducts(PatternRewriter &rewriter, const ProductGroup &group,
                     KernelContext kit);

/// Replaces a norm and all groups of products of few rows that read it. Where
/// there is one row, the norm has no launch of its own.
void replaceNormedProducts(PatternRewriter &rewriter, NormChain norm,
                           ArrayRef<ProductGroup> groups, KernelContext kit);

/// Replaces a group of products of few rows. Where `pieces` run, the launch of
/// one row merges them; else the row is there.
void replaceMergedProducts(PatternRewriter &rewriter, const PiecesOfRow &pieces,
                           const ProductGroup &group, KernelContext kit);

} // namespace cheems::tile

#endif
