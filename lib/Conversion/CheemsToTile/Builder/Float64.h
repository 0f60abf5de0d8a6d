// Functions of tiles in f64, which GPUs have no instructions for.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_FLOAT64_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_BUILDER_FLOAT64_H

#include "TileBuilder.h"

namespace cheems::tile {

/// 2^x for -1022 <= x <= 1023, to about one unit in the last place.
Value exp2F64(TileBuilder &t, Value x);

/// log2(x) of a normal number x >= 1, to about one unit in the last place of
/// the greater of the result and 1.
Value log2F64(TileBuilder &t, Value x);

struct SineAndCosine {
  Value sine, cosine;
};

/// Takes angles from 0 to 2^31, and errs by about 10^-14.
SineAndCosine sineAndCosineF64(TileBuilder &t, Value angle);

} // namespace cheems::tile

#endif
