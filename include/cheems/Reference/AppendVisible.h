// append_visible, evaluated row by row.
#ifndef CHEEMS_REFERENCE_APPENDVISIBLE_H
#define CHEEMS_REFERENCE_APPENDVISIBLE_H

#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// Stored entries of one key head: keys and values [1, C, P], mask [M, C].
struct StoredEntries {
  Tensor keys, values, mask;
};

/// Appends rows of key and value [T, P] that some head of mask [T, M] may see,
/// from entry `count` on. Returns how many entries each row sees, [T].
std::vector<int64_t> appendVisible(const Tensor &key, const Tensor &value,
                                   const Tensor &mask, double hideBelow,
                                   int64_t count, StoredEntries &stored);

} // namespace cheems::reference

#endif
