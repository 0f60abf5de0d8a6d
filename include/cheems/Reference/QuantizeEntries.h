// quantize_entries, evaluated: rows as signed bytes with a scale each.
#ifndef CHEEMS_REFERENCE_QUANTIZEENTRIES_H
#define CHEEMS_REFERENCE_QUANTIZEENTRIES_H

#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

struct QuantizedEntries {
  Tensor codes;  ///< as the rows' [..., P], whole numbers in [-127, 127]
  Tensor scales; ///< [...]

  /// What is read back, [..., P].
  Tensor values() const;
};

/// The rows along the last extent of x [..., P], which are taken for f32: scale
/// and quantized values are defined by f32 operations.
QuantizedEntries quantizeEntries(const Tensor &x);

} // namespace cheems::reference

#endif
