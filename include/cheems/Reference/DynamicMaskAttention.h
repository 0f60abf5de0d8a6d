// dynamic_mask_attention, evaluated densely in double.
#ifndef CHEEMS_REFERENCE_DYNAMICMASKATTENTION_H
#define CHEEMS_REFERENCE_DYNAMICMASKATTENTION_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include "cheems/Reference/Tensor.h"
#include <optional>

namespace cheems::reference {

using cheems::MaskKind;

struct MaskOptions {
  MaskKind kind = MaskKind::Bias;
  std::optional<int64_t>
      window; ///< keys kept a mask head; means something with Bias only
  double threshold = 1.0; ///< means something with Threshold only
  /// Values are weighted by bf16(exp(score)), with Scale bf16(exp(score) *
  /// mask), over the sum of exponentials as they are.
  bool roundsWeights = false;
  /// [N, G]: values are quantized, and a weight is multiplied by its value's
  /// scale before it is rounded.
  std::optional<Tensor> valueScales = std::nullopt;
  std::optional<double> scale = std::nullopt; ///< absent: 1/sqrt(P)
  /// Absent: every earlier key. Else a key is visible only while its query is
  /// fewer than so many positions later.
  std::optional<int64_t> age = std::nullopt;
  /// [M, N]: what keys are kept and hidden by in place of the mask, which
  /// weighs them all the same.
  std::optional<Tensor> ranks = std::nullopt;
};

/// Causal attention of q [T, H, P] over k [N, G, P] and v [N, G, V] under mask
/// [M, N]; the result is [T, H, V]. Head h reads key/value head h / (H/G) and
/// mask head h / (H/M); G and M divide H. Of kind None nothing is read of the
/// mask but its shape. Key n is visible to query t only
/// where keyPositions[n] <= queryPositions[t]. A query with no visible key
/// gives zero.
Tensor dynamicMaskAttention(const Tensor &q, const Tensor &k, const Tensor &v,
                            const Tensor &mask,
                            llvm::ArrayRef<int64_t> queryPositions,
                            llvm::ArrayRef<int64_t> keyPositions,
                            const MaskOptions &options);

} // namespace cheems::reference

#endif
