#include "EngineHarness.h"
#include "runtime/Generation/Generator.h"
#include "test/unit/Support/TestPaths.h"
#include <fstream>
#include <iterator>
#include <random>

namespace cheems::test {

const char *nameOf(Kind kind) {
  return kind == Kind::entries  ? "entries"
         : kind == Kind::hybrid ? "hybrid"
                                : "window";
}

std::shared_ptr<TextModel> textModel(Kind kind) {
  FakeArtifact artifact = talkingArtifact(kind == Kind::window ? 12 : 0);
  if (kind == Kind::hybrid) {
    std::ifstream file(cheems::test_paths::hybridModel, std::ios::binary);
    artifact.code.assign(std::istreambuf_iterator<char>(file), {});
    artifact.metadata["state"].push_back({{"name", "running"},
                                          {"role", "running"},
                                          {"type", "f32"},
                                          {"shape", {"slots", 1, 1}}});
  }
  return std::make_shared<TextModel>(load(artifact));
}

void Listener::check(bool sound, const char *rule) {
  if (!sound && broken.empty()) {
    broken = rule;
  }
}

void Listener::tell() { changed.notify_all(); }

void Listener::started(int64_t where, int64_t cachedTokens) {
  std::lock_guard<std::mutex> lock(mutex);
  check(slot < 0 && !usage && !fault, "started once");
  slot = where;
  cached = cachedTokens;
  fed = cachedTokens;
}

void Listener::prompted(int64_t now, int64_t all) {
  std::lock_guard<std::mutex> lock(mutex);
  check(slot >= 0 && now > fed && now <= all, "the prompt grows");
  fed = now;
}

void Listener::promptLogprobs(std::vector<serve::TokenLogprob> logprobs) {
  std::lock_guard<std::mutex> lock(mutex);
  prompt.insert(prompt.end(), logprobs.begin(), logprobs.end());
}

void Listener::piece(serve::TextPiece piece) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ChoiceHeard &choice = choices[piece.choice];
    check(!choice.end && !usage && !fault, "no piece after the end");
    choice.text += piece.text;
    if (piece.token) {
      choice.tokens.push_back(*piece.token);
    }
    if (piece.logprob) {
      choice.logprobs.push_back(*piece.logprob);
    }
    tell();
  }
  if (onPiece) {
    onPiece();
  }
}

void Listener::ended(const serve::ChoiceEnd &end) {
  std::lock_guard<std::mutex> lock(mutex);
  check(!choices[end.choice].end && !usage && !fault, "a choice ends once");
  choices[end.choice].end = end;
}

void Listener::done(const serve::GenerationUsage &given) {
  std::lock_guard<std::mutex> lock(mutex);
  check(!usage && !fault, "over once");
  for (const auto &each : choices) {
    check(each.second.end.has_value(), "all choices end before done");
  }
  usage = given;
  tell();
}

void Listener::failed(const serve::GenerationFault &given) {
  std::lock_guard<std::mutex> lock(mutex);
  check(!usage && !fault, "over once");
  fault = given;
  tell();
}

void Listener::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return usage || fault; });
}

void Listener::waitForToken() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return !choices.empty() || usage || fault; });
}

bool Listener::over() const {
  std::lock_guard<std::mutex> lock(mutex);
  return usage || fault;
}

serve::EngineOptions engineOptions(int64_t slots) {
  serve::EngineOptions options;
  options.slots = slots;
  options.threads = 1;
  options.cacheBytes = 1 << 20;
  return options;
}

serve::GenerationRequest request(std::vector<int32_t> prompt,
                                 std::optional<int64_t> maxTokens) {
  serve::GenerationRequest result;
  result.prompt = std::move(prompt);
  result.maxTokens = maxTokens;
  return result;
}

std::vector<int32_t> randomPrompt(uint64_t seed, size_t length) {
  std::mt19937_64 random(seed);
  std::vector<int32_t> tokens(length);
  for (int32_t &token : tokens) {
    token = static_cast<int32_t>(random() % fakeVocabulary);
  }
  return tokens;
}

std::vector<int32_t> alone(TextModel &text,
                           const serve::GenerationRequest &request,
                           int64_t choice) {
  SessionOptions options;
  options.threads = 1;
  Session session(text.sharedModel(), options);
  SamplingOptions sampling = request.sampling;
  sampling.seed += static_cast<uint64_t>(choice);
  Sampler sampler(sampling);
  sampler.accept(request.prompt.data(), request.prompt.size());
  Generator generator(session, sampler, nullptr);
  generator.feed(request.prompt);
  GenerationLimits limits;
  limits.maxTokens = request.maxTokens;
  if (!request.ignoreEos) {
    limits.eosTokens = text.eosTokens();
  }
  std::vector<int32_t> tokens;
  generator.generate(limits, [&](int32_t token) { tokens.push_back(token); });
  return tokens;
}

std::shared_ptr<Listener> ask(serve::GenerationEngine &engine,
                              const serve::GenerationRequest &request) {
  auto listener = std::make_shared<Listener>();
  engine.submit(request, listener);
  listener->wait();
  return listener;
}

} // namespace cheems::test
