// Which tokens may come next, so that the text stays one of a grammar.
#ifndef CHEEMS_RUNTIME_GRAMMAR_TOKENCONSTRAINT_H
#define CHEEMS_RUNTIME_GRAMMAR_TOKENCONSTRAINT_H

#include "runtime/Grammar/Grammar.h"
#include "runtime/Text/TextModel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cheems {

/// The bytes of all tokens of a vocabulary as a trie; those of special tokens
/// are as controlToken has them. Immutable; made once per model, which takes a
/// moment.
class VocabularyTrie;
std::shared_ptr<const VocabularyTrie> makeVocabularyTrie(TextModel &text);

/// Says where one text is in its grammar. For one thread at a time.
class TokenConstraint {
public:
  /// Steps of work, of about 10 ns each.
  struct Limits {
    size_t piece = size_t(1) << 16;    ///< of one call of `prepare`
    uint64_t text = uint64_t(1) << 32; ///< of all tokens together
  };

  TokenConstraint(std::shared_ptr<const Grammar> grammar,
                  std::shared_ptr<const VocabularyTrie> vocabulary);
  TokenConstraint(std::shared_ptr<const Grammar> grammar,
                  std::shared_ptr<const VocabularyTrie> vocabulary,
                  const Limits &limits);
  ~TokenConstraint();
  /// Goes on in the same way: for the choices of one prompt.
  TokenConstraint(const TokenConstraint &other);

  /// Does a piece of the work for the mask. Returns whether all of it is done,
  /// so that `mask` answers at once. Throws Error(usage) for a grammar that
  /// takes too much.
  bool prepare(const std::vector<int32_t> &endTokens);
  /// The mask of Sampler::sample: bit token % 32 of word token / 32 is 1 for
  /// the tokens that may come next. Those of `endTokens` may where the text may
  /// end here. Valid until the next call.
  const std::vector<uint32_t> &mask(const std::vector<int32_t> &endTokens);
  /// The token was chosen. Throws Error where it was not allowed.
  void accept(int32_t token);
  /// Whether the text may end here.
  bool mayEnd() const;
  /// Whether it must: no byte can follow.
  bool mustEnd() const;
  /// Steps of work so far.
  uint64_t worked() const;
  /// About how much memory it takes besides the grammar and the vocabulary.
  size_t bytes() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace cheems

#endif
