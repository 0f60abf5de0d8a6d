// The model's tokens and their ids, both ways.
#ifndef CHEEMS_RUNTIME_TOKENIZER_VOCABULARY_H
#define CHEEMS_RUNTIME_TOKENIZER_VOCABULARY_H

#include "runtime/Tokenizer/Json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems {

class Vocabulary {
public:
  /// Reads {"token": id, …}. Ids may leave gaps; two tokens may not share one.
  Vocabulary(const tokenizer_json::Json &object, const std::string &where);
  /// The same of pairs; also two equal tokens are an Error.
  Vocabulary(const std::vector<std::pair<std::string_view, int32_t>> &pairs,
             const std::string &where);
  Vocabulary(const Vocabulary &) = delete;
  Vocabulary &operator=(const Vocabulary &) = delete;

  /// The id of a token, or -1.
  int32_t find(std::string_view token) const;
  /// The token of an id, or null. Lives as long as the vocabulary.
  const std::string *token(int32_t id) const;
  /// How many tokens.
  int32_t size() const { return static_cast<int32_t>(tokens.size()); }
  /// One past the largest id.
  int32_t limit() const { return static_cast<int32_t>(indices.size()); }

private:
  struct Slot {
    uint32_t hash;
    int32_t index = -1; ///< in `tokens`; -1 where free
  };

  void reserve(size_t count);
  void add(std::string_view token, int32_t id, const std::string &where);
  /// The slot of a token, or the free one where it would go.
  size_t locate(std::string_view token, uint32_t hash) const;

  std::vector<std::string> tokens;
  std::vector<int32_t> ids;     ///< of each of `tokens`
  std::vector<int32_t> indices; ///< by id: index in `tokens`, or -1
  std::vector<Slot> slots;      ///< a power of two, at most half full
};

} // namespace cheems

#endif
