#include "runtime/Generation/Generator.h"
#include "runtime/Generation/ProgressLine.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

namespace cheems {

namespace {

/// Adds the time until it goes out of scope.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds)
      : seconds(seconds), start(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  }

private:
  double &seconds;
  std::chrono::steady_clock::time_point start;
};

std::string rate(int64_t tokens, double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f tokens/s",
                seconds > 0 ? static_cast<double>(tokens) / seconds : 0.0);
  return text;
}

/// "1 token", "2 tokens".
std::string counted(int64_t tokens) {
  return std::to_string(tokens) + (tokens == 1 ? " token" : " tokens");
}

} // namespace

std::string Statistics::line() const {
  return "prompt: " + counted(promptTokens) + ", " +
         rate(promptTokens, promptSeconds) +
         "; generated: " + counted(generatedTokens) + ", " +
         rate(decodedTokens, generationSeconds);
}

Generator::Generator(Session &session, Sampler &sampler,
                     std::function<bool()> interrupted)
    : session(session), sampler(sampler), interrupted(std::move(interrupted)) {}

std::vector<float> Generator::lastLogits() {
  if (!given.empty()) {
    return given;
  }
  const float *kept = session.keptLogits();
  return {kept, kept + session.vocabulary()};
}

int32_t Generator::choose(const uint32_t *mask) {
  if (!given.empty()) {
    return sampler.sample(given.data(), given.size(), mask);
  }
  // the best of all are not the best of those that a mask leaves
  if (auto best = mask ? std::nullopt : session.topLogits(sampler.enough())) {
    if (auto token = sampler.sample(*best)) {
      return *token;
    }
  }
  return sampler.sample(session.keptLogits(),
                        static_cast<size_t>(session.vocabulary()), mask);
}

void Generator::feed(Span<const int32_t> tokens) {
  int64_t before = session.position(0);
  given.clear();
  {
    Stopwatch watch(totals.promptSeconds);
    PromptProgress progress(tokens.size());
    session.prefillKeeping(0, tokens,
                           [&](int64_t done) { progress.report(done); });
  }
  totals.promptTokens += session.position(0) - before;
}

Stop Generator::generate(const GenerationLimits &limits,
                         const std::function<void(int32_t)> &receive) {
  Stopwatch watch(totals.generationSeconds);
  int64_t room = session.remaining(0);
  int64_t limit = std::min(room, limits.maxTokens.value_or(room));
  int32_t token = 0;
  std::optional<TokenConstraint> constraint;
  if (limits.constraint) {
    constraint.emplace(*limits.constraint);
  }
  for (int64_t count = 0; count < limit; ++count) {
    if (interrupted && interrupted()) {
      return Stop::interrupted;
    }
    const uint32_t *mask = nullptr;
    if (constraint) {
      const std::vector<uint32_t> &allowed = constraint->mask(limits.eosTokens);
      if (std::all_of(allowed.begin(), allowed.end(),
                      [](uint32_t word) { return word == 0; }) ||
          constraint->mustEnd()) {
        return Stop::endOfText;
      }
      mask = allowed.data();
    }
    if (count != 0) {
      session.decodeKeeping(0, token);
      given.clear();
      ++totals.decodedTokens;
    }
    token = choose(mask);
    sampler.accept(token);
    if (constraint) {
      constraint->accept(token);
    }
    ++totals.generatedTokens;
    receive(token);
    if (std::find(limits.eosTokens.begin(), limits.eosTokens.end(), token) !=
        limits.eosTokens.end()) {
      return Stop::endOfText;
    }
    if (limits.stopped && limits.stopped()) {
      return Stop::stopString;
    }
  }
  if (constraint && constraint->mustEnd()) {
    return Stop::endOfText;
  }
  return limits.maxTokens && limit == *limits.maxTokens ? Stop::length
                                                        : Stop::contextFull;
}

} // namespace cheems
