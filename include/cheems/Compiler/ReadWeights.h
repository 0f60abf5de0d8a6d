// Elements of stored tensors, converted.
#ifndef CHEEMS_COMPILER_READWEIGHTS_H
#define CHEEMS_COMPILER_READWEIGHTS_H

#include "cheems/Import/SafeTensors.h"

namespace cheems {

/// Elements [from, from + out.size()) as f32.
void read(const TensorView &tensor, int64_t from,
          llvm::MutableArrayRef<float> out);
/// The same as bf16, rounded to nearest even.
void read(const TensorView &tensor, int64_t from,
          llvm::MutableArrayRef<uint16_t> out);

/// A number of f16.
struct Half {
  uint16_t bits;
};
/// The same as f16, rounded to nearest even. An UnsupportedError that names the
/// tensor if a finite number is beyond what f16 has.
llvm::Error read(const TensorView &tensor, int64_t from,
                 llvm::MutableArrayRef<Half> out);

} // namespace cheems

#endif
