// The model's tokens and their ids, both ways.
#ifndef CHEEMS_RUNTIME_TOKENIZER_VOCABULARY_H
#define CHEEMS_RUNTIME_TOKENIZER_VOCABULARY_H

#include "runtime/Tokenizer/Json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cheems {

class Vocabulary {
public:
  /// Reads {"token": id, …}. Ids may leave gaps; two tokens may not share one.
  Vocabulary(const tokenizer_json::Json &object, const std::string &where);
  Vocabulary(const Vocabulary &) = delete;
  Vocabulary &operator=(const Vocabulary &) = delete;

  /// The id of a token, or -1.
  int32_t find(std::string_view token) const;
  /// The token of an id, or null. Lives as long as the vocabulary.
  const std::string *token(int32_t id) const;
  /// One past the largest id.
  int32_t limit() const { return static_cast<int32_t>(indices.size()); }

private:
  std::vector<std::string>
      tokens; ///< never resized after construction: `ids` holds views of them
  std::unordered_map<std::string_view, int32_t> ids;
  std::vector<int32_t> indices; ///< by id: place in `tokens`, or -1
};

} // namespace cheems

#endif
