// The part of a GPU's strategy that passes for any target are told.
#ifndef CHEEMS_CONVERSION_CHEEMSTOTILE_FEWROWS_H
#define CHEEMS_CONVERSION_CHEEMSTOTILE_FEWROWS_H

#include <cstdint>

namespace cheems::tile {

/// Up to so many rows, weights take longer to read than to multiply.
constexpr int64_t kFewRows = 64;

} // namespace cheems::tile

#endif
