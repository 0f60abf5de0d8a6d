// Grammars of runtime/Grammar as constraints of the engine. Who includes this
// links CheemsGrammar.
#ifndef CHEEMS_SERVER_ENGINE_GRAMMARCONSTRAINT_H
#define CHEEMS_SERVER_ENGINE_GRAMMARCONSTRAINT_H

#include "runtime/Grammar/TokenConstraint.h"
#include "server/Engine/ThinkingConstraint.h"

#include <mutex>

namespace cheems::serve {

class GrammarConstraint : public Constraint {
public:
  explicit GrammarConstraint(const TokenConstraint &constraint)
      : constraint(constraint) {}
  std::unique_ptr<Constraint> clone() const override {
    return std::make_unique<GrammarConstraint>(constraint);
  }
  bool prepare(const std::vector<int32_t> &endTokens) override {
    return constraint.prepare(endTokens);
  }
  const std::vector<uint32_t> &
  mask(const std::vector<int32_t> &endTokens) override {
    return constraint.mask(endTokens);
  }
  void accept(int32_t token) override { constraint.accept(token); }
  bool mustEnd() const override { return constraint.mustEnd(); }
  size_t bytes() const override { return constraint.bytes(); }

private:
  TokenConstraint constraint;
};

/// The vocabulary's trie is made when the first grammar is asked for, and what
/// ends a thinking when the first is that follows one.
inline ConstraintFactory grammarConstraints(std::shared_ptr<TextModel> text) {
  struct Vocabulary {
    std::once_flag once, onceThinking;
    std::shared_ptr<const VocabularyTrie> trie;
    std::shared_ptr<const ThinkingEnd> thinking;
  };
  auto vocabulary = std::make_shared<Vocabulary>();
  return [text, vocabulary](const std::shared_ptr<const Grammar> &grammar,
                            bool thinksFirst) -> std::unique_ptr<Constraint> {
    std::call_once(vocabulary->once,
                   [&] { vocabulary->trie = makeVocabularyTrie(*text); });
    auto answer = std::make_unique<GrammarConstraint>(
        TokenConstraint(grammar, vocabulary->trie));
    if (!thinksFirst) {
      return answer;
    }
    std::call_once(vocabulary->onceThinking, [&] {
      vocabulary->thinking =
          std::make_shared<const ThinkingEnd>(vocabulary->trie);
    });
    return std::make_unique<ThinkingConstraint>(std::move(answer),
                                                vocabulary->thinking);
  };
}

} // namespace cheems::serve

#endif
