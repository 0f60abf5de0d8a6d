// A step, as a caller asks for it.
#ifndef CHEEMS_RUNTIME_STEPVIEW_H
#define CHEEMS_RUNTIME_STEPVIEW_H

#include "cheems/abi.h"
#include "runtime/Span.h"

namespace cheems {

/// Any mix of sequences, as in abi.h. All of it is borrowed.
struct StepView {
  Span<const int32_t> tokens;
  Span<const cheems_segment> segments;
  Span<const int32_t> rows = {}; ///< whose logits are wanted
  /// Whose embeddings are wanted: those of the last layer after the final
  /// norm, from which logits are computed.
  Span<const int32_t> embeddingRows = {};
  float *embeddings = nullptr; ///< [embeddingRows, hidden]
};

} // namespace cheems

#endif
