#include "runtime/Grammar/ThinkingEnd.h"

#include "runtime/Grammar/Grammar.h"

#include <utility>

namespace cheems {

ThinkingEnd::ThinkingEnd(std::shared_ptr<const VocabularyTrie> given)
    : vocabulary(std::move(given)) {
  for (size_t matched = 0; matched < text.size(); ++matched) {
    std::vector<uint32_t> &mask = masks[matched];
    mask.assign(vocabulary->words(), ~uint32_t(0));
    for (size_t id = 0; id < vocabulary->vocabulary(); ++id) {
      std::string_view rest;
      advance(matched, bytesOf(static_cast<int32_t>(id)), rest);
      if (rest.find_first_not_of(" \t\r\n") != rest.npos) {
        mask[id / 32] &= ~(uint32_t(1) << id % 32);
      }
    }
  }
}

/// A special token may be the end, too. Others are no part of the text.
std::string_view ThinkingEnd::bytesOf(int32_t token) const {
  static const std::string special = controlToken(text);
  std::string_view bytes = vocabulary->bytes(token);
  if (bytes == special) {
    return text;
  }
  bool isSpecial = !bytes.empty() && bytes[0] == special[0];
  return isSpecial ? std::string_view() : bytes;
}

/// Its first byte comes once in it, so nothing but that is a beginning again.
size_t ThinkingEnd::advance(size_t matched, std::string_view bytes,
                            std::string_view &rest) {
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == text[matched]) {
      ++matched;
    } else {
      matched = bytes[at] == text[0] ? 1 : 0;
    }
    if (matched == text.size()) {
      rest = bytes.substr(at + 1);
      break;
    }
  }
  return matched;
}

size_t ThinkingEnd::after(size_t matched, int32_t token) const {
  std::string_view rest;
  return advance(matched, bytesOf(token), rest);
}

} // namespace cheems
