// The rows of token ids that a logits run reads from a safetensors file.
#ifndef CHEEMS_RUNTIME_GENERATION_TOKENTABLE_H
#define CHEEMS_RUNTIME_GENERATION_TOKENTABLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// Token ids [rows, columns], both at least 1.
struct TokenTable {
  int64_t rows = 0, columns = 0;
  std::vector<int64_t> ids;

  /// The tensor `input_ids` [B,T] or [T], I64 or I32, of the file's bytes;
  /// other tensors do not matter. `name` starts every message. Trusts nothing
  /// the header says. Throws Error.
  static TokenTable parse(std::string_view file, const std::string &name);
};

} // namespace cheems

#endif
