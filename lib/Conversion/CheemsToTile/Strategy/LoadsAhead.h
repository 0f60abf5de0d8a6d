// How many loads a thread has under way before it uses the first of them. Each
// hides the latency of memory behind as many registers as its kernel can spare.
// No size of a model changes them, so they are no part of a strategy attribute.
#ifndef CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_LOADSAHEAD_H
#define CHEEMS_LIB_CONVERSION_CHEEMSTOTILE_STRATEGY_LOADSAHEAD_H

#include <cstdint>

namespace cheems::tile {

/// Rows of a chunk, whose steps are added one after the other.
constexpr int64_t kDecaysAhead = 8;
/// Chunks whose numbers are added to a state.
constexpr int64_t kChunksAhead = 4;
/// Keys of experts, where a block may be alone on its multiprocessor and waits
/// for what it asks for.
constexpr int64_t kLoneKeysAhead = 32;
/// Keys of experts, where several blocks share a multiprocessor.
constexpr int64_t kKeysAhead = 8;
/// Splits of a row's entries, before the first one is added.
constexpr int64_t kSplitsAhead = 8;

} // namespace cheems::tile

#endif
