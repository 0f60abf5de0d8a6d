// The longest window of entries that kernels of cards keep.
#ifndef CHEEMS_CONVERSION_CHEEMSTOTILE_WINDOWS_H
#define CHEEMS_CONVERSION_CHEEMSTOTILE_WINDOWS_H

#include <cstdint>

namespace cheems::tile {

/// A block has the masks of all its entries in registers.
constexpr int64_t kMostWindow = 4096;

} // namespace cheems::tile

#endif
