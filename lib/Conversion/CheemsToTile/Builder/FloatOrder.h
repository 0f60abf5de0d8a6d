// Numbers of f32 as integers in the same order.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_FLOATORDER_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_FLOATORDER_H

#include "TileBuilder.h"
#include <limits>

namespace cheems::tile {

/// Below all numbers: that of none. NaN is the next one.
constexpr int64_t kNoOrder = std::numeric_limits<int32_t>::min();
constexpr int64_t kNaNOrder = kNoOrder + 1;
constexpr int64_t kMostOrder = std::numeric_limits<int32_t>::max();

/// Takes the bits of numbers; zeros of both signs are the same.
Value orderOf(TileBuilder &t, Value bits);
/// The bits of the numbers that have this order; of zero the positive one.
Value bitsOf(TileBuilder &t, Value order);

/// The same order as numbers without a sign, and the other way. 0 is that of
/// none, which is what a guarded load gives, and all ones are above all.
Value goodnessOf(TileBuilder &t, Value bits);
Value bitsOfGoodness(TileBuilder &t, Value goodness);

} // namespace cheems::tile

#endif
