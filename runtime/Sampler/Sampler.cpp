// Filters and draws. Work is proportional to the vocabulary; only survivors are
// sorted.
#include "runtime/Sampler/Sampler.h"

#include "runtime/Error.h"
#include "runtime/Sampler/Highest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace cheems {

namespace {

constexpr float none = -std::numeric_limits<float>::infinity();

/// The f32 next to it that is finite. No sum of two of them is NaN.
float finite(double number) {
  constexpr double most = std::numeric_limits<float>::max();
  return float(std::clamp(number, -most, most));
}

/// A score that came of `before`. Options far out may leave the range of f32:
/// what can be chosen stays comparable, and what cannot stays so.
float comparable(double score, float before) {
  return before == none ? none : finite(score);
}

/// Reads `random.state`; false where it is not one.
bool read(const RandomState &random, std::mt19937_64 &generator) {
  generator.seed(random.seed);
  if (random.state.empty()) {
    return true;
  }
  std::istringstream text(random.state);
  text.imbue(std::locale::classic());
  std::mt19937_64 result(random.seed);
  if (!(text >> result)) {
    return false;
  }
  generator = result;
  return true;
}

} // namespace

bool RandomState::sound() const {
  std::mt19937_64 generator(seed);
  return read(*this, generator);
}

Sampler::Sampler(const SamplingOptions &options)
    : settings(options), generator(options.seed) {
  validate(options);
}

void Sampler::accept(const int32_t *tokens, size_t count) {
  if (!settings.penalises()) {
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    if (tokens[i] < 0) {
      throw Error("token id " + std::to_string(tokens[i]) + " is negative");
    }
    history.push_back(tokens[i]);
    ++counts[tokens[i]];
    if (settings.repeatLastN >= 0 &&
        history.size() > size_t(settings.repeatLastN)) {
      auto oldest = counts.find(history.front());
      if (--oldest->second == 0) {
        counts.erase(oldest);
      }
      history.pop_front();
    }
  }
}

void Sampler::forget() {
  history.clear();
  counts.clear();
}

void Sampler::reseed(uint64_t seed) {
  settings.seed = seed;
  generator.seed(seed);
}

RandomState Sampler::randomState() const {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << generator;
  return {settings.seed, text.str()};
}

void Sampler::setRandomState(const RandomState &random) {
  if (!read(random, generator)) {
    throw Error("the saved random state is damaged");
  }
  settings.seed = random.seed;
}

/// The token of the highest logit, the first among equals; refuses rows that no
/// token can be chosen from.
static size_t highestToken(const float *logits, size_t vocabulary) {
  if (vocabulary == 0) {
    throw Error("there are no logits to choose a token from");
  }
  size_t best = highest(logits, vocabulary);
  if (best == vocabulary) {
    const float *wrong =
        std::find_if(logits, logits + vocabulary, [](float each) {
          return !(each < std::numeric_limits<float>::infinity());
        });
    throw Error("the model gave token " + std::to_string(wrong - logits) +
                " the logit " + std::to_string(*wrong) +
                ": its weights are damaged or overflow");
  }
  if (logits[best] == none) {
    throw Error(
        "the model gave every token the logit -inf: there is none to choose");
  }
  return best;
}

void Sampler::score(const float *logits, size_t vocabulary,
                    const uint32_t *mask) {
  highestToken(logits, vocabulary); // refuses what cannot be scored
  scores.assign(logits, logits + vocabulary);
  for (size_t i = 0; mask && i < vocabulary; ++i) {
    if ((mask[i / 32] >> i % 32 & 1) == 0) {
      scores[i] = none;
    }
  }
  for (const LogitBias &each : settings.logitBias) {
    if (size_t(each.token) < vocabulary) {
      float &score = scores[size_t(each.token)];
      score = each.bias == none
                  ? none
                  : comparable(double(score) + double(each.bias), score);
    }
  }
  penalise();
}

void Sampler::penalise() {
  // Each step is rounded to f32 like the logits, so that ties stay ties as they
  // do in transformers. In f32 alone inf - inf could come of two that overflow.
  float repeat = float(settings.repeatPenalty),
        frequency = float(settings.frequencyPenalty),
        presence = float(settings.presencePenalty);
  for (auto [token, count] : counts) {
    if (size_t(token) < scores.size()) {
      float &score = scores[size_t(token)];
      double before = score;
      float repeated = finite(before < 0 ? before * repeat : before / repeat);
      double often = finite(double(count) * frequency);
      double less = finite(often + presence);
      score = comparable(double(repeated) - less, score);
    }
  }
}

void Sampler::takeScores() {
  candidates.clear();
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != none) {
      candidates.push_back({int32_t(i), double(scores[i])});
    }
  }
}

int32_t Sampler::argmax() const {
  auto best = std::max_element(scores.begin(), scores.end());
  if (*best == none) {
    throw NothingToChoose("no token can be chosen: the mask or the logit "
                          "biases exclude each one that the model allows");
  }
  return int32_t(best - scores.begin());
}

void Sampler::keepTopK() {
  size_t k = size_t(settings.topK);
  if (settings.topK == 0 || k >= candidates.size()) {
    return;
  }
  std::nth_element(
      candidates.begin(), candidates.begin() + (k - 1), candidates.end(),
      [](const Candidate &a, const Candidate &b) { return a.logit > b.logit; });
  double threshold = candidates[k - 1].logit;
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [=](const Candidate &each) {
                                    return each.logit < threshold;
                                  }),
                   candidates.end());
}

// On weights. A token stays when the tokens before it, by falling weight, have
// less than top-p together. Among equals the higher id comes first:
// transformers sorts upwards, keeping the order of equals, and cuts from below.
void Sampler::keepTopP() {
  if (settings.topP == 1) {
    return;
  }
  double total = 0;
  for (const Candidate &each : candidates) {
    total += each.logit;
  }
  auto before = [](const Candidate &a, const Candidate &b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token > b.token;
  };
  // Halves the range that holds the last token to stay; [0, low) is known to
  // stay and to weigh `above`. Linear on average, where sorting would not be.
  double target = settings.topP * total;
  double above = 0;
  size_t low = 0;
  size_t high = candidates.size();
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    auto at = [&](size_t i) { return candidates.begin() + std::ptrdiff_t(i); };
    std::nth_element(at(low), at(middle), at(high), before);
    double upper = 0;
    for (size_t i = low; i < middle; ++i) {
      upper += candidates[i].logit;
    }
    if (above + upper >= target) {
      high = middle;
    } else {
      above += upper;
      low = middle;
    }
  }
  candidates.resize(high);
}

void Sampler::sortByToken() {
  auto byToken = [](const Candidate &a, const Candidate &b) {
    return a.token < b.token;
  };
  if (!std::is_sorted(candidates.begin(), candidates.end(), byToken)) {
    std::sort(candidates.begin(), candidates.end(), byToken);
  }
}

// Leaves the surviving tokens by rising id, with their weights in `logit`.
void Sampler::filter(float highest) {
  keepTopK();
  sortByToken(); // sums do not depend on what else was there
  // Differences first: however small the temperature, the highest stays at
  // weight 1 and nothing overflows.
  for (Candidate &each : candidates) {
    each.logit =
        std::exp((each.logit - double(highest)) / settings.temperature);
  }
  keepTopP();
  candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate &each) {
                                    return each.logit < settings.minP;
                                  }),
                   candidates.end());
  sortByToken();
}

// Not std::uniform_real_distribution, which each standard library implements
// its own way.
double Sampler::nextUniform() { return double(generator() >> 11) * 0x1p-53; }

int32_t Sampler::draw() {
  double total = 0;
  for (const Candidate &each : candidates) {
    total += each.logit;
  }
  double target = nextUniform() * total;
  double sum = 0;
  for (const Candidate &each : candidates) {
    sum += each.logit;
    if (target < sum) {
      return each.token;
    }
  }
  return candidates.back().token; // rounding left target at the total
}

int32_t Sampler::sample(const float *logits, size_t vocabulary,
                        const uint32_t *mask) {
  if (settings.greedy() && !mask && !changesOrder()) {
    return int32_t(highestToken(logits, vocabulary)); // nothing is written
  }
  score(logits, vocabulary, mask);
  int32_t best = argmax();
  if (settings.greedy()) {
    return best;
  }
  takeScores();
  filter(scores[size_t(best)]);
  return draw();
}

bool Sampler::decides(const TopLogits &best) const {
  // A row without a sum is refused by token.
  if (best.count == 0 || changesOrder() || !std::isfinite(best.logSumExp)) {
    return false;
  }
  float last = best.values[best.count - 1];
  if (settings.greedy() || best.count == best.vocabulary || last == none) {
    return true;
  }
  size_t k = size_t(settings.topK);
  if (k != 0 && k < best.count) {
    return last < best.values[k - 1]; // else more may be as good as the k-th
  }
  // What is after weighs no more than the last, but for what exp rounds.
  double weight =
      std::exp((double(last) - double(best.values[0])) / settings.temperature);
  return settings.topP == 1 && weight * (1 + 1e-12) < settings.minP;
}

size_t Sampler::enough() const {
  if (changesOrder()) {
    return 0;
  }
  if (settings.greedy()) {
    return 1;
  }
  if (settings.topK != 0) {
    return size_t(settings.topK) + 1; // to know that the k-th has no equal
  }
  // How many weigh enough for min-p nobody knows before.
  constexpr size_t some = 64;
  return settings.topP == 1 && settings.minP > 0 ? some : 0;
}

std::optional<int32_t> Sampler::sample(const TopLogits &best) {
  if (!decides(best)) {
    return std::nullopt;
  }
  if (settings.greedy()) {
    return best.tokens[0];
  }
  candidates.clear();
  for (size_t i = 0; i < best.count; ++i) {
    if (best.values[i] != none) {
      candidates.push_back({best.tokens[i], double(best.values[i])});
    }
  }
  filter(best.values[0]);
  return draw();
}

std::vector<float> Sampler::distribution(const float *logits,
                                         size_t vocabulary) {
  score(logits, vocabulary, nullptr);
  int32_t best = argmax();
  std::vector<float> probabilities(vocabulary, 0.0f);
  if (settings.greedy()) {
    probabilities[size_t(best)] = 1;
    return probabilities;
  }
  takeScores();
  filter(scores[size_t(best)]);
  double total = 0;
  for (const Candidate &each : candidates) {
    total += each.logit;
  }
  for (const Candidate &each : candidates) {
    probabilities[size_t(each.token)] = float(each.logit / total);
  }
  return probabilities;
}

std::vector<float> filteredDistribution(const SamplingOptions &options,
                                        const std::vector<float> &logits,
                                        const std::vector<int32_t> &history) {
  Sampler sampler(options);
  sampler.accept(history.data(), history.size());
  return sampler.distribution(logits.data(), logits.size());
}

} // namespace cheems
