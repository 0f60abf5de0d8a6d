// The ops of a whole step, evaluated in double: rows of several sequences,
// whose states lie in pools by slot and layer.
#ifndef CHEEMS_REFERENCE_SEGMENTS_H
#define CHEEMS_REFERENCE_SEGMENTS_H

#include "cheems/Dialect/Cheems/IR/CheemsEnums.h"
#include "cheems/Reference/SSD.h"
#include "cheems/Reference/Tensor.h"
#include <optional>

namespace cheems::reference {

/// Rows [start, start + length) of a step belong to the sequence in `slot`,
/// which has `position` rows already; its rotary base is for `ropeLength`.
struct Segment {
  int64_t slot, start, length, position, ropeLength;
};

/// y[t, d] = table[ids[t], d]
Tensor gatherRows(const Tensor &table, llvm::ArrayRef<int64_t> ids);

/// Each of T rows has its index in its sequence, and the length that its rotary
/// base is for.
struct RowPositions {
  std::vector<int64_t> position, length;
};
RowPositions rowPositions(llvm::ArrayRef<Segment> segments, int64_t rows);

/// y [T, H, P] of all rows; `pool` [slots, layers, H, N, P] is updated.
Tensor segmentedSSD(const SSDInputs &inputs, llvm::ArrayRef<Segment> segments,
                    int64_t layer, Tensor &pool);

/// Rows of a step: query [T, H, P], key and value [T, G, P], mask [T, M] unless
/// it is known of heads of A alone.
struct AttentionRows {
  Tensor query, key, value;
  std::optional<Tensor> mask;
  /// [T, M]: what these rows are kept and hidden by in place of the mask, as
  /// where another computation of it is followed.
  std::optional<Tensor> rank = std::nullopt;
};

/// What is stored, by G' heads, with `window` in rings: keys and values [slots,
/// layers, G', C, P], masks [slots, layers, M, C] unless the kind is None, the
/// others [slots, layers, G', C], counts [slots, layers, G'].
struct AttentionPools {
  Tensor keys, values;
  std::optional<Tensor> masks;
  std::optional<Tensor> positions; ///< with `keep`
  std::optional<Tensor> keyScales,
      valueScales;              ///< keys and values are quantized
  std::optional<Tensor> counts; ///< rows that no head sees are not stored
};

struct SegmentedAttentionOptions {
  MaskKind kind = MaskKind::Bias;
  double scale = 1.0;
  std::optional<int64_t> keep = std::nullopt;
  /// A row sees those that are fewer than so many positions before it.
  std::optional<int64_t> window = std::nullopt;
  double hideBelow = 1.0;    ///< means something for kind Threshold only
  std::vector<bool> visible; ///< [M], where no mask is given
  bool storesBF16 = false;   ///< keys and values
};

/// How many entries a head has of a sequence of `position` rows, where they are
/// not counted.
int64_t storedEntries(int64_t position, const std::optional<int64_t> &keep);

/// y [T, H, P] of all rows; pools are updated. With `keep` entries are stored
/// in the order of their positions. If `losses` [T, M] is given, it becomes by
/// how much the masks of each row speak against what it sees: the best mask of
/// a key that is dropped less the worst of one that is kept, or how far a mask
/// is on the other side of the threshold; 0 where they do not.
Tensor segmentedAttention(const AttentionRows &rows,
                          llvm::ArrayRef<Segment> segments, int64_t layer,
                          const SegmentedAttentionOptions &options,
                          AttentionPools &pools, Tensor *losses = nullptr);

} // namespace cheems::reference

#endif
