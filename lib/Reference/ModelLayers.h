// The parts of a decoder layer, each from its normalised input [T, hidden] to
// what is added to the residual.
#ifndef CHEEMS_LIB_REFERENCE_MODELLAYERS_H
#define CHEEMS_LIB_REFERENCE_MODELLAYERS_H

#include "cheems/Import/Checkpoint.h"
#include "cheems/Import/Quantize.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/Model.h"
#include "cheems/Reference/Rotary.h"

namespace cheems::reference {

/// A checkpoint's tensors, and what is rounded beside them.
struct Weights {
  const Checkpoint &checkpoint;
  Rounding rounding;

  Weights(const Checkpoint &checkpoint, Rounding rounding);

  const ModelDescription &model() const { return checkpoint.model(); }
  Tensor load(const std::string &name) const;
  /// A matrix that may be quantized, one that never is, and the head.
  LinearWeights load(const Projection &projection) const;
  LinearWeights exact(const Projection &projection) const;
  LinearWeights head(const Projection &projection) const;

private:
  LinearWeights rounded(const Projection &projection,
                        std::optional<QuantizedFormat> format) const;
};

QuantizedWeights quantized(const Tensor &matrix, QuantizedFormat format);

/// What all layers know of the rows.
struct Rows {
  const ModelDescription &model;
  std::vector<int64_t> positions;

  /// The angles of the numbers that turn.
  RotaryTable table(const RotaryUse &use) const;
};

/// `margins` [T] is lowered to the least |change of a mask| that shows another
/// set of keys to a row. With `exactTies` equal tokens have equal masks.
/// Rounded keys and values are added to `entries`.
Tensor attentionPart(const Weights &weights, const Attention &attention,
                     const Tensor &x, const Rows &rows, bool exactTies,
                     std::vector<double> &margins,
                     std::vector<Tensor> &entries);

Tensor ssdPart(const Weights &weights, const SSD &ssd, const Tensor &x,
               const Rows &rows);

Tensor mlpPart(const Weights &weights, const MLP &mlp, const Tensor &x);

/// `margins` [T] is lowered to the least change of scores that retrieves other
/// experts for a row, in units of the root mean square of the layer's scores.
Tensor expertsPart(const Weights &weights, const RetrievedExperts &experts,
                   const Tensor &x, std::vector<double> &margins);

} // namespace cheems::reference

#endif
