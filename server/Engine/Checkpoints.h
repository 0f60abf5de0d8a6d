// Chooses at which tokens of a prompt its state is kept, so that later prompts
// can begin there.
#ifndef CHEEMS_SERVER_ENGINE_CHECKPOINTS_H
#define CHEEMS_SERVER_ENGINE_CHECKPOINTS_H

#include "server/Engine/GenerationRequest.h"

namespace cheems::serve {

/// A point of a prompt at which its state is kept.
struct Checkpoint {
  int64_t position = 0;
  bool shared = false; ///< other sequences are likely to part from it here
};

/// Ascending, each a multiple of `unit`, after the first `cached` tokens and
/// before the last one: the places of interest rounded down, so that a prompt
/// is cut nowhere that would change its bits. `common` tokens were those of
/// an earlier sequence, too, whose state there was not kept.
std::vector<Checkpoint> chooseCheckpoints(const GenerationRequest &request,
                                          int64_t cached, int64_t common,
                                          int64_t unit);

} // namespace cheems::serve

#endif
