#include "runtime/Grammar/VocabularyTrie.h"

#include "runtime/Error.h"

#include <algorithm>

namespace cheems {

VocabularyTrie::VocabularyTrie(const std::vector<std::string> &tokens,
                               size_t vocabulary)
    : size(vocabulary) {
  offsets.push_back(0);
  for (size_t id = 0; id < std::min(tokens.size(), vocabulary); ++id) {
    text += tokens[id];
    offsets.push_back(text.size());
    if (!tokens[id].empty()) {
      order.push_back(static_cast<int32_t>(id));
    }
  }
  std::sort(order.begin(), order.end(), [&](int32_t left, int32_t right) {
    int sign = bytes(left).compare(bytes(right));
    return sign != 0 ? sign < 0 : left < right;
  });

  std::vector<uint32_t> path = {0}; // nodes of the text before
  trie.emplace_back();
  std::string_view before;
  auto close = [&](size_t depth) {
    for (; path.size() > depth + 1; path.pop_back()) {
      trie[path.back()].end = static_cast<uint32_t>(trie.size());
    }
  };
  for (uint32_t index = 0; index < order.size(); ++index) {
    std::string_view word = bytes(order[index]);
    size_t same = 0;
    while (same < std::min(word.size(), before.size()) &&
           word[same] == before[same]) {
      ++same;
    }
    close(same);
    for (size_t at = same; at < word.size(); ++at) {
      path.push_back(static_cast<uint32_t>(trie.size()));
      trie.push_back({static_cast<uint8_t>(word[at]), false,
                      static_cast<uint32_t>(at + 1), 0, index});
      for (size_t above = path.size(); word[at] == '[' && above-- > 0;) {
        trie[path[above]].opensList = true;
      }
    }
    deepest = std::max(deepest, static_cast<uint32_t>(word.size()));
    before = word;
  }
  close(0);
  trie[0].end = static_cast<uint32_t>(trie.size());
  trie.push_back({0, false, 0, 0, static_cast<uint32_t>(order.size())});
}

std::string_view VocabularyTrie::bytes(int32_t token) const {
  auto id = static_cast<size_t>(token);
  if (token < 0 || id + 1 >= offsets.size()) {
    return {};
  }
  return std::string_view(text).substr(offsets[id],
                                       offsets[id + 1] - offsets[id]);
}

std::shared_ptr<const VocabularyTrie> makeVocabularyTrie(TextModel &text) {
  const Tokenizer &tokenizer = text.tokenizer();
  std::vector<std::string> tokens(
      static_cast<size_t>(tokenizer.vocabularySize()));
  for (size_t id = 0; id < tokens.size(); ++id) {
    auto token = static_cast<int32_t>(id);
    try {
      std::string bytes = tokenizer.tokenBytes(token);
      tokens[id] = tokenizer.isSpecial(token) ? controlToken(bytes) : bytes;
    } catch (const Error &) {
      continue; // ids may have gaps
    }
  }
  return std::make_shared<VocabularyTrie>(
      tokens, static_cast<size_t>(text.model().metadata().vocabulary));
}

} // namespace cheems
