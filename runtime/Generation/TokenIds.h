// Lists of token ids as command lines and files spell them.
#ifndef CHEEMS_RUNTIME_GENERATION_TOKENIDS_H
#define CHEEMS_RUNTIME_GENERATION_TOKENIDS_H

#include "runtime/Sampler/SamplingOptions.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// "1,2,3", or "@FILE" with such a list in a file; commas and white space
/// separate. `what` names the list in messages. Throws Error: usage for text
/// that is no list of numbers, or is empty; failed for a file that cannot be
/// read.
std::vector<int64_t> parseTokenIds(const std::string &list,
                                   const std::string &what);

/// Returns the ids as the model takes them. Throws Error naming the first that
/// is not in [0, vocabulary), its index counted from 0.
std::vector<int32_t> checkTokenIds(const int64_t *ids, size_t count,
                                   int64_t vocabulary, const std::string &what);

/// `tokens` as they are, from a tokenizer: throws Error if it gave one that
/// the model has no embedding for.
std::vector<int32_t> checkVocabulary(std::vector<int32_t> tokens,
                                     int64_t vocabulary);

/// "15043+1", "15043-0.5" or "15043-inf", as llama.cpp spells it. `what` names
/// the option. Throws Error: usage.
LogitBias parseLogitBias(const std::string &text, const std::string &what);

/// "1,2,3".
std::string formatTokenIds(const std::vector<int32_t> &ids);

} // namespace cheems

#endif
