#include "server/Engine/Choice.h"
#include "runtime/Error.h"
#include "server/Engine/Faults.h"
#include "server/Engine/Logprobs.h"
#include <algorithm>

namespace cheems::serve {

Choice::Choice(int64_t index, const Sampler &given,
               std::unique_ptr<Constraint> constraint,
               const Tokenizer &tokenizer, const ChoiceRules &rules)
    : number(index), sampler(given), constraint(std::move(constraint)),
      rules(rules), decoder(tokenizer, /*skipSpecial=*/!rules.showSpecial),
      stops(rules.stopStrings) {
  sampler.reseed(given.options().seed + static_cast<uint64_t>(index));
}

Choice::~Choice() {
  if (rules.memory) {
    rules.memory->shrink(counted);
  }
}

size_t Choice::enough() const {
  return constraint || rules.topLogprobs ? 0 : sampler.enough();
}

bool Choice::prepare() {
  if (!constraint || fault) {
    return true;
  }
  try {
    bool done = constraint->prepare(rules.endTokens);
    countConstraint();
    return done;
  } catch (const std::exception &error) {
    fault = failed(error);
    return true;
  }
}

/// After each piece of its work, which cannot make much.
void Choice::countConstraint() {
  if (!rules.memory) {
    return;
  }
  uint64_t now = constraint->bytes();
  auto full = BudgetShare::Full::none;
  if (now > counted) {
    full = rules.memory->grow(now - counted);
  } else {
    rules.memory->shrink(counted - now);
  }
  if (full == BudgetShare::Full::none) {
    counted = now;
    return;
  }
  fault = Drawn();
  fault->fault = memoryFault(full, *rules.memory, "the grammar",
                             "let fewer of its parts overlap, or ask for fewer "
                             "choices");
}

Drawn Choice::failed(const std::exception &error) {
  Drawn drawn;
  drawn.fault = faultOf(error);
  if (dynamic_cast<const NothingToChoose *>(&error)) {
    drawn.fault->kind = GenerationFault::Kind::invalid;
    drawn.fault->parameter = "logit_bias";
  } else if (auto known = dynamic_cast<const Error *>(&error);
             known && known->status == Status::usage) {
    drawn.fault->kind = GenerationFault::Kind::invalid; // it grows too large
  }
  return drawn;
}

Drawn Choice::draw(const float *logits, int64_t vocabulary) {
  if (fault) {
    return *fault;
  }
  try {
    Drawn drawn;
    const uint32_t *mask =
        constraint ? constraint->mask(rules.endTokens).data() : nullptr;
    drawn.token = sampler.sample(logits, static_cast<size_t>(vocabulary), mask);
    if (rules.topLogprobs) {
      drawn.logprob =
          tokenLogprob(logits, vocabulary, drawn.token, *rules.topLogprobs);
    }
    return drawn;
  } catch (const std::exception &error) {
    return failed(error);
  }
}

std::optional<Drawn> Choice::draw(const TopLogits &best) {
  if (std::optional<int32_t> token = sampler.sample(best)) {
    Drawn drawn;
    drawn.token = *token;
    return drawn;
  }
  return std::nullopt;
}

std::string Choice::textOf(int32_t token) {
  const std::vector<int32_t> &shown = rules.shownTokens;
  bool isShown = rules.showSpecial ||
                 std::find(shown.begin(), shown.end(), token) != shown.end();
  try {
    return decoder.push(token, /*skip=*/!isShown);
  } catch (const Error &) {
    return ""; // a row of the embedding that no token has; as TextStream
  }
}

void Choice::take(Drawn drawn, GenerationSink &sink) {
  last = drawn.token;
  ++count;
  sampler.accept(last);
  bool isEnd = std::find(rules.endTokens.begin(), rules.endTokens.end(),
                         last) != rules.endTokens.end();
  if (constraint && !isEnd) {
    constraint->accept(last);
  }
  TextPiece piece;
  piece.choice = number;
  piece.token = last;
  piece.logprob = std::move(drawn.logprob);
  if (!isEnd || rules.showSpecial) {
    piece.text = stops.push(textOf(last));
  }
  piece.held = stops.heldBytes();
  bool stopped = stops.found().has_value();
  sink.piece(std::move(piece));
  if (isEnd || stopped || (constraint && constraint->mustEnd())) {
    end(FinishReason::stop, sink);
  } else if (count >= rules.limit) {
    end(FinishReason::length, sink);
  }
}

void Choice::end(FinishReason reason, GenerationSink &sink) {
  if (finished) {
    return;
  }
  if (reason != FinishReason::cancelled && !stops.found()) {
    TextPiece rest;
    rest.choice = number;
    rest.text = stops.push(decoder.finish());
    rest.text += stops.finish();
    if (!rest.text.empty()) {
      sink.piece(std::move(rest));
    }
  }
  ChoiceEnd result;
  result.choice = number;
  result.reason = reason;
  result.generatedTokens = count;
  if (stops.found() && reason != FinishReason::cancelled) {
    result.reason = FinishReason::stop; // also one that the last bytes made
    result.stopString = *stops.found();
  }
  finished = result;
  sink.ended(result);
}

} // namespace cheems::serve
