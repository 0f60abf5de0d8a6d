// The highest of many logits.
#ifndef CHEEMS_RUNTIME_SAMPLER_HIGHEST_H
#define CHEEMS_RUNTIME_SAMPLER_HIGHEST_H

#include <cstddef>

namespace cheems {

/// Position of the highest of `count` >= 1 numbers, the first among equals;
/// `count` where one of them is NaN or +inf.
size_t highest(const float *numbers, size_t count);

/// The same in the instructions that every CPU has, whatever this one has.
size_t highestPlain(const float *numbers, size_t count);

} // namespace cheems

#endif
