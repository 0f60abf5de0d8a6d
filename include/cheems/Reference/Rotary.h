// rotary_table and rotary, evaluated in double.
#ifndef CHEEMS_REFERENCE_ROTARY_H
#define CHEEMS_REFERENCE_ROTARY_H

#include "cheems/Import/ModelDescription.h"
#include "cheems/Reference/Tensor.h"

namespace cheems::reference {

/// Cosine and sine of every angle, each [T, P/2]; a pair of components shares
/// one angle.
struct RotaryTable {
  Tensor cosine, sine;
};

/// The base of a sequence of `length` tokens over `dim` components: theta, or
/// with dynamic scaling past the trained positions theta *
/// (factor*length/trained - (factor-1))^(dim/(dim-2)).
double rotaryBase(const RotaryConfig &config, int64_t dim, int64_t length);

/// angle(t, i) = positions[t] * base^(-2i/dim). `dim` is even; `length` is the
/// sequence length the base is for.
RotaryTable rotaryTable(llvm::ArrayRef<int64_t> positions, int64_t dim,
                        const RotaryConfig &config, int64_t length);

/// angle(t, i) = positions[t] * frequencies[i]; both are multiplied by the
/// list's factor.
RotaryTable rotaryTable(llvm::ArrayRef<int64_t> positions,
                        const RotaryList &list);

/// Turns the first R numbers of x [T, H, P], where the table is [T, R/2];
/// component i is paired with i + R/2, as y_i = x_i cos - x_{i+R/2} sin and
/// y_{i+R/2} = x_{i+R/2} cos + x_i sin. The rest stays.
Tensor rotary(const Tensor &x, const RotaryTable &table);

} // namespace cheems::reference

#endif
