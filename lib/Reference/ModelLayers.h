// The parts of a decoder layer, each from its normalised input [T, hidden] to
// what is added to the residual.
#ifndef CHEEMS_LIB_REFERENCE_MODELLAYERS_H
#define CHEEMS_LIB_REFERENCE_MODELLAYERS_H

#include "cheems/Import/Checkpoint.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/Rotary.h"

namespace cheems::reference {

Tensor load(const Checkpoint &checkpoint, const std::string &name);
LinearWeights load(const Checkpoint &checkpoint, const Projection &projection);

/// What all layers know of the rows: a position each, and angles for heads of
/// attention and for states, where there are such layers.
struct Rows {
  std::vector<int64_t> positions;
  RotaryTable head, state;
};

/// `margins` [T] is lowered to the least |change of a mask| that shows another
/// set of keys to a row. With `exactTies` equal tokens have equal masks.
Tensor attentionPart(const Checkpoint &checkpoint,
                     const AttentionTensors &tensors, const Tensor &x,
                     const Rows &rows, bool exactTies,
                     std::vector<double> &margins);

Tensor ssdPart(const Checkpoint &checkpoint, const SSDTensors &tensors,
               const Tensor &x, const Rows &rows);

/// `margins` [T] is lowered to the least change of scores that retrieves other
/// experts for a row, in units of the root mean square of the layer's scores.
Tensor statePart(const Checkpoint &checkpoint, const LayerTensors &layer,
                 const Tensor &x, std::vector<double> &margins);

} // namespace cheems::reference

#endif
