// Loading checks that ids are usable and distinct; everything after may rely on
// it.
#include "runtime/Tokenizer/Vocabulary.h"

namespace cheems {

Vocabulary::Vocabulary(const tokenizer_json::Json &object,
                       const std::string &where) {
  if (!object.is_object()) {
    tokenizer_json::malformed(where, std::string("expected an object, found ") +
                                         object.type_name());
  }
  tokens.reserve(object.size());
  ids.reserve(object.size());
  for (const auto &[token, value] : object.items()) {
    int32_t id = tokenizer_json::tokenId(
        value, where + ": token " + tokenizer_json::shown(token));
    if (static_cast<size_t>(id) >= indices.size()) {
      indices.resize(static_cast<size_t>(id) + 1, -1);
    }
    int32_t &index = indices[static_cast<size_t>(id)];
    if (index >= 0) {
      tokenizer_json::malformed(
          where, "tokens " +
                     tokenizer_json::shown(tokens[static_cast<size_t>(index)]) +
                     " and " + tokenizer_json::shown(token) + " share id " +
                     std::to_string(id));
    }
    index = static_cast<int32_t>(tokens.size());
    tokens.push_back(token);
    ids.emplace(tokens.back(), id);
  }
}

int32_t Vocabulary::find(std::string_view token) const {
  auto found = ids.find(token);
  return found == ids.end() ? -1 : found->second;
}

const std::string *Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= limit() || indices[static_cast<size_t>(id)] < 0) {
    return nullptr;
  }
  return &tokens[static_cast<size_t>(indices[static_cast<size_t>(id)])];
}

} // namespace cheems
