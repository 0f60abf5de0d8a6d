// What an op came from, as its location says: parts of layers, and tensors of
// the checkpoint.
#ifndef CHEEMS_DIALECT_CHEEMS_UTILS_LOCATIONS_H
#define CHEEMS_DIALECT_CHEEMS_UTILS_LOCATIONS_H

#include "cheems/Support/MLIR.h"
#include "mlir/IR/Location.h"
#include <string>

namespace cheems {

/// Parts in order, each once: `ssd.c_proj`, `ssd.b_proj`. What only holds
/// another of them, as `ssd` does, is left out.
SmallVector<StringRef> partsOf(ArrayRef<Location> locations);

/// The parts in one text: "ssd.c_proj, b_proj". What is in the same place as
/// the part before is given without it. Empty without a name.
std::string describeParts(ArrayRef<Location> locations);

/// The parts, or else the place in a file. Empty without either.
std::string placeOf(Location location);

} // namespace cheems

#endif
