// A constraint that holds only what comes after a model's thinking.
#ifndef CHEEMS_SERVER_ENGINE_THINKINGCONSTRAINT_H
#define CHEEMS_SERVER_ENGINE_THINKINGCONSTRAINT_H

#include "runtime/Grammar/ThinkingEnd.h"
#include "server/Engine/Constraint.h"

namespace cheems::serve {

/// The thinking is free, but must come to its end: no end token before.
class ThinkingConstraint : public Constraint {
public:
  ThinkingConstraint(std::unique_ptr<Constraint> answer,
                     std::shared_ptr<const ThinkingEnd> end)
      : answer(std::move(answer)), end(std::move(end)) {}
  std::unique_ptr<Constraint> clone() const override {
    auto copy = std::make_unique<ThinkingConstraint>(answer->clone(), end);
    copy->matched = matched;
    return copy;
  }
  bool prepare(const std::vector<int32_t> &endTokens) override {
    return isThinking() || answer->prepare(endTokens);
  }
  const std::vector<uint32_t> &
  mask(const std::vector<int32_t> &endTokens) override {
    if (!isThinking()) {
      return answer->mask(endTokens);
    }
    allowed = end->mask(matched);
    for (int32_t token : endTokens) {
      auto id = static_cast<size_t>(token);
      if (id / 32 < allowed.size()) {
        allowed[id / 32] &= ~(uint32_t(1) << id % 32);
      }
    }
    return allowed;
  }
  void accept(int32_t token) override {
    if (isThinking()) {
      matched = end->after(matched, token);
    } else {
      answer->accept(token);
    }
  }
  bool mustEnd() const override { return !isThinking() && answer->mustEnd(); }
  size_t bytes() const override {
    return answer->bytes() + allowed.size() * sizeof(uint32_t);
  }

private:
  bool isThinking() const { return matched < ThinkingEnd::text.size(); }

  std::unique_ptr<Constraint> answer;
  std::shared_ptr<const ThinkingEnd> end;
  size_t matched = 0; ///< bytes of the end that came
  std::vector<uint32_t> allowed;
};

} // namespace cheems::serve

#endif
