// The bytes of all tokens, in an order in which those with one beginning are
// side by side.
#ifndef CHEEMS_RUNTIME_GRAMMAR_VOCABULARYTRIE_H
#define CHEEMS_RUNTIME_GRAMMAR_VOCABULARYTRIE_H

#include "runtime/Grammar/TokenConstraint.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

class VocabularyTrie {
public:
  /// Node 0 is the empty text. Others come before those that go on from them.
  struct Node {
    uint8_t byte = 0;
    bool opensList = false;  ///< this or a node that goes on from it is "["
    uint32_t depth = 0;      ///< bytes from the beginning
    uint32_t end = 0;        ///< one past the last node that goes on from it
    uint32_t firstToken = 0; ///< in `order`, up to that of the next node
  };

  /// Takes tokens by their id; those with empty bytes can never be chosen.
  /// Masks have a bit for each id below `vocabulary`, which may be larger.
  VocabularyTrie(const std::vector<std::string> &tokens, size_t vocabulary);

  size_t vocabulary() const { return size; }
  size_t words() const { return (size + 31) / 32; }
  /// Empty for ids that are no tokens.
  std::string_view bytes(int32_t token) const;
  const std::vector<Node> &nodes() const { return trie; }
  /// The node one past the last has the end of its tokens.
  uint32_t firstToken(size_t node) const { return trie[node].firstToken; }
  size_t nodeCount() const { return trie.size() - 1; }
  int32_t token(uint32_t index) const { return order[index]; }
  uint32_t maximumDepth() const { return deepest; }

private:
  size_t size;
  std::string text;
  std::vector<size_t> offsets; ///< into `text`, of each id and one more
  std::vector<Node> trie;
  std::vector<int32_t> order; ///< by bytes
  uint32_t deepest = 0;
};

} // namespace cheems

#endif
