// One text that is generated: its sampler, its grammar, its characters and what
// ends it.
#ifndef CHEEMS_SERVER_ENGINE_CHOICE_H
#define CHEEMS_SERVER_ENGINE_CHOICE_H

#include "runtime/Sampler/Sampler.h"
#include "runtime/Text/StopStrings.h"
#include "runtime/Tokenizer/StreamingDecoder.h"
#include "server/Engine/Constraint.h"
#include "server/Engine/GenerationEngine.h"

namespace cheems::serve {

/// A token that was chosen, and is not yet a part of the text.
struct Drawn {
  int32_t token = -1;
  std::optional<TokenLogprob> logprob;
  std::optional<GenerationFault> fault; ///< why there is none
};

/// What all choices of a request have in common.
struct ChoiceRules {
  std::vector<int32_t> endTokens; ///< any of them ends a text
  std::vector<std::string> stopStrings;
  std::optional<int64_t> topLogprobs;
  int64_t limit = 0; ///< tokens
  bool showSpecial = false;
  std::vector<int32_t> shownTokens;    ///< the special ones that are text
  std::shared_ptr<BudgetShare> memory; ///< null: nobody counts
};

class Choice {
public:
  /// Both must outlive it. `sampler` has accepted the prompt.
  Choice(int64_t index, const Sampler &sampler,
         std::unique_ptr<Constraint> constraint, const Tokenizer &tokenizer,
         const ChoiceRules &rules);
  ~Choice();
  Choice(const Choice &) = delete;
  Choice &operator=(const Choice &) = delete;

  int64_t index() const { return number; }
  /// How many of a row's best logits are enough for `draw`; 0: it needs the
  /// row.
  size_t enough() const;
  /// Does a piece of the work that `draw` needs; whether all of it is done.
  bool prepare();
  /// Choose the next token; the former of the whole row, on any thread; the
  /// latter only where it can.
  Drawn draw(const float *logits, int64_t vocabulary);
  std::optional<Drawn> draw(const TopLogits &best);

  /// The token becomes a part of the text, and `sink` hears of it and of the
  /// end, if it is one. Throws Error where the grammar does not allow it.
  void take(Drawn drawn, GenerationSink &sink);
  /// Ends it where it is: what was held back comes out, unless it was
  /// cancelled.
  void end(FinishReason reason, GenerationSink &sink);

  /// Set once it has ended.
  const std::optional<ChoiceEnd> &ended() const { return finished; }
  /// To be fed next.
  int32_t lastToken() const { return last; }
  int64_t tokens() const { return count; }

private:
  std::string textOf(int32_t token);
  void countConstraint();
  static Drawn failed(const std::exception &error);

  int64_t number;
  Sampler sampler;
  std::unique_ptr<Constraint> constraint; ///< null: any text
  uint64_t counted = 0;       ///< what the constraint has of the memory
  std::optional<Drawn> fault; ///< why the constraint has no mask
  const ChoiceRules &rules;
  StreamingDecoder decoder;
  StopStrings stops;
  int32_t last = -1;
  int64_t count = 0;
  std::optional<ChoiceEnd> finished;
};

} // namespace cheems::serve

#endif
