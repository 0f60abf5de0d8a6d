// Loading checks that ids are usable and distinct; everything after may rely on
// it.
#include "runtime/Tokenizer/Vocabulary.h"

#include <functional>

namespace cheems {

Vocabulary::Vocabulary(const tokenizer_json::Json &object,
                       const std::string &where) {
  if (!object.is_object()) {
    tokenizer_json::malformed(where, std::string("expected an object, found ") +
                                         object.type_name());
  }
  reserve(object.size());
  for (const auto &[token, value] : object.items()) {
    add(token,
        tokenizer_json::tokenId(value, where + ": token " +
                                           tokenizer_json::shown(token)),
        where);
  }
}

Vocabulary::Vocabulary(
    const std::vector<std::pair<std::string_view, int32_t>> &pairs,
    const std::string &where) {
  reserve(pairs.size());
  for (auto [token, id] : pairs) {
    add(token, id, where);
  }
}

void Vocabulary::reserve(size_t count) {
  size_t capacity = 16;
  while (capacity < 2 * count) {
    capacity *= 2;
  }
  slots.resize(capacity);
  tokens.reserve(count);
  ids.reserve(count);
}

namespace {
uint32_t hashOf(std::string_view token) {
  return static_cast<uint32_t>(std::hash<std::string_view>()(token));
}
} // namespace

size_t Vocabulary::locate(std::string_view token, uint32_t hash) const {
  size_t mask = slots.size() - 1, place = hash & mask;
  while (slots[place].index >= 0 &&
         (slots[place].hash != hash ||
          tokens[static_cast<size_t>(slots[place].index)] != token)) {
    place = (place + 1) & mask;
  }
  return place;
}

void Vocabulary::add(std::string_view token, int32_t id,
                     const std::string &where) {
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
  uint32_t hash = hashOf(token);
  Slot &slot = slots[locate(token, hash)];
  if (slot.index >= 0) {
    tokenizer_json::malformed(where, "token " + tokenizer_json::shown(token) +
                                         " appears twice");
  }
  index = static_cast<int32_t>(tokens.size());
  slot = {hash, index};
  tokens.emplace_back(token);
  ids.push_back(id);
}

int32_t Vocabulary::find(std::string_view token) const {
  int32_t index = slots[locate(token, hashOf(token))].index;
  return index < 0 ? -1 : ids[static_cast<size_t>(index)];
}

const std::string *Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= limit() || indices[static_cast<size_t>(id)] < 0) {
    return nullptr;
  }
  return &tokens[static_cast<size_t>(indices[static_cast<size_t>(id)])];
}

} // namespace cheems
