// generation_config.json: how a model's author wants it to be sampled.
#ifndef CHEEMS_RUNTIME_SAMPLER_GENERATIONCONFIG_H
#define CHEEMS_RUNTIME_SAMPLER_GENERATIONCONFIG_H

#include "runtime/Sampler/SamplingOptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

struct GenerationConfig {
  /// do_sample false or absent is greedy. With do_sample, absent fields have
  /// transformers' defaults: temperature 1, top_k 50, top_p 1. Without it they
  /// are read too, for a user who asks for sampling.
  SamplingOptions sampling;
  /// Generation stops at any of these; empty if the file names none.
  std::vector<int32_t> eosTokenIds;
  /// The file gives -1 for such a token. If it names no other one, no token
  /// ends a text, whatever config.json says: this is what transformers does.
  bool namesNone = false;
  /// Those, or if there are none `others`, which config.json names.
  std::vector<int32_t> eosTokensOr(const std::vector<int64_t> &others) const;
  /// A text ends before the first of these.
  std::vector<std::string> stopStrings;
  /// Those of "chat_stop_strings", a field that only Cheems knows: they end an
  /// answer of a chat, but no other text.
  std::vector<std::string> chatStopStrings;
  std::optional<int32_t> bosTokenId;
  std::optional<int32_t> padTokenId;
  /// One line for each field that changes what transformers would generate and
  /// is not followed here.
  std::vector<std::string> warnings;
};

/// Reads the file's text. A field that is null counts as absent. As in files of
/// transformers, -1 is no token, and integers may be spelled 50.0. Throws Error
/// naming the field that is malformed or out of range.
GenerationConfig parseGenerationConfig(std::string_view text);

} // namespace cheems

#endif
