// The windows of entries that kernels of GPUs keep.
#ifndef CHEEMS_CONVERSION_CHEEMSTOTILE_WINDOWS_H
#define CHEEMS_CONVERSION_CHEEMSTOTILE_WINDOWS_H

#include <cstdint>

namespace cheems::tile {

/// A sequence with a window is processed in a multiple of so many rows: its
/// blocks are whole blocks of all kernels.
constexpr int64_t kWindowRows = 64;

} // namespace cheems::tile

#endif
