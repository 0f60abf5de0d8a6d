// Answers several prompts at once: batch MODEL.cheems TOKENS PROMPT...
//
// All sequences that still run take part in each step, so one pass over the
// weights serves all of them. Each has a sampler of its own, which takes the
// most likely token.
#include <algorithm>
#include <cheems/cheems.h>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// A call that failed. The status becomes the exit code.
struct Failure : std::runtime_error {
  explicit Failure(cheems_status status)
      : std::runtime_error(cheems_last_error()), status(status) {}
  cheems_status status;
};

void check(cheems_status status) {
  if (status != CHEEMS_OK) {
    throw Failure(status);
  }
}

struct Close {
  void operator()(cheems_model *model) const { cheems_model_close(model); }
  void operator()(cheems_session *session) const {
    cheems_session_destroy(session);
  }
  void operator()(cheems_sampler *sampler) const {
    cheems_sampler_destroy(sampler);
  }
};
using Model = std::unique_ptr<cheems_model, Close>;
using Session = std::unique_ptr<cheems_session, Close>;
using Sampler = std::unique_ptr<cheems_sampler, Close>;

Model openModel(const char *path) {
  cheems_model *model = nullptr;
  check(cheems_model_open(path, &model));
  return Model(model);
}

Session makeSession(const Model &model, size_t slots) {
  cheems_session_options options = {};
  options.size = sizeof(options);
  options.rows = 512; // of a step; one per slot if that is more
  options.slots = static_cast<int64_t>(slots);
  cheems_session *session = nullptr;
  check(cheems_session_create(model.get(), &options, &session));
  return Session(session);
}

Sampler makeSampler(const Model &model) {
  cheems_sampler *sampler = nullptr;
  check(cheems_sampler_create(model.get(), nullptr, &sampler));
  return Sampler(sampler);
}

/// One prompt and what the model said so far. It lives in one slot.
struct Sequence {
  Sampler sampler;
  std::vector<int32_t> tokens;
  size_t prompt = 0; ///< tokens of the prompt
  size_t fed = 0;    ///< tokens that the session has
  bool ended = false;
};

std::vector<int32_t> tokenize(const Model &model, const std::string &text) {
  int64_t count = 0;
  check(cheems_tokenize(model.get(), text.data(), text.size(),
                        CHEEMS_ADD_SPECIAL, nullptr, 0, &count));
  std::vector<int32_t> tokens(static_cast<size_t>(count));
  check(cheems_tokenize(model.get(), text.data(), text.size(),
                        CHEEMS_ADD_SPECIAL, tokens.data(), count, &count));
  return tokens;
}

/// The text after the prompt.
std::string answer(const Model &model, const Sequence &sequence) {
  const int32_t *tokens = sequence.tokens.data() + sequence.prompt;
  auto count = static_cast<int64_t>(sequence.tokens.size() - sequence.prompt);
  size_t length = 0;
  check(cheems_detokenize(model.get(), tokens, count, 0, nullptr, 0, &length));
  std::string text(length, '\0');
  check(cheems_detokenize(model.get(), tokens, count, 0, text.data(), length,
                          &length));
  return text;
}

/// Steps that feed all sequences together.
class Batch {
public:
  Batch(const Model &model, const Session &session,
        std::vector<Sequence> &sequences, size_t wanted)
      : model(model), session(session), sequences(sequences), wanted(wanted),
        context(static_cast<size_t>(cheems_session_context(session.get()))),
        rowsOfStep(static_cast<size_t>(cheems_session_rows(session.get()))),
        vocabulary(static_cast<size_t>(cheems_model_vocabulary(model.get()))),
        logits(sequences.size() * vocabulary) {}

  /// Feeds what waits, and chooses a token for each sequence that is fed to
  /// its end. False when all sequences have ended.
  bool step() {
    tokens.clear();
    segments.clear();
    rows.clear();
    complete.clear();
    size_t running = static_cast<size_t>(
        std::count_if(sequences.begin(), sequences.end(),
                      [](const Sequence &each) { return !each.ended; }));
    if (running == 0) {
      return false;
    }
    for (size_t slot = 0; slot < sequences.size(); ++slot) {
      if (!sequences[slot].ended) {
        add(slot, --running);
      }
    }
    check(cheems_session_step(
        session.get(), tokens.data(), static_cast<int64_t>(tokens.size()),
        segments.data(), static_cast<int64_t>(segments.size()), rows.data(),
        static_cast<int64_t>(rows.size()), logits.data()));
    for (size_t row = 0; row < complete.size(); ++row) {
      choose(*complete[row], &logits[row * vocabulary]);
    }
    return true;
  }

private:
  /// Puts the next tokens of a slot into the step. `after` sequences still
  /// want a row each.
  void add(size_t slot, size_t after) {
    Sequence &sequence = sequences[slot];
    // Prompts that are longer together go in pieces.
    size_t room = rowsOfStep - tokens.size() - after;
    size_t length = std::min(sequence.tokens.size() - sequence.fed, room);
    cheems_segment segment = {};
    segment.slot = static_cast<int32_t>(slot);
    segment.start = static_cast<int32_t>(tokens.size());
    segment.length = static_cast<int32_t>(length);
    segment.position = static_cast<int32_t>(sequence.fed);
    // The whole length, also where this is one piece of a prompt.
    segment.rope_length = static_cast<int32_t>(sequence.tokens.size());
    segments.push_back(segment);

    auto next =
        sequence.tokens.begin() + static_cast<std::ptrdiff_t>(sequence.fed);
    tokens.insert(tokens.end(), next,
                  next + static_cast<std::ptrdiff_t>(length));
    sequence.fed += length;
    if (sequence.fed == sequence.tokens.size()) {
      rows.push_back(static_cast<int32_t>(tokens.size()) - 1);
      complete.push_back(&sequence);
    }
  }

  void choose(Sequence &sequence, const float *scores) const {
    int32_t token = 0;
    check(
        cheems_sampler_sample(sequence.sampler.get(), scores, nullptr, &token));
    check(cheems_sampler_accept(sequence.sampler.get(), &token, 1));
    sequence.tokens.push_back(token);
    sequence.ended = sequence.tokens.size() - sequence.prompt == wanted ||
                     sequence.tokens.size() > context ||
                     cheems_model_ends_text(model.get(), token) != 0;
  }

  const Model &model;
  const Session &session;
  std::vector<Sequence> &sequences;
  size_t wanted, context, rowsOfStep, vocabulary;
  std::vector<float> logits;
  // of one step
  std::vector<int32_t> tokens, rows;
  std::vector<cheems_segment> segments;
  std::vector<Sequence *> complete; ///< whose last token is in it
};

int run(int argc, char **argv) {
  char *end = nullptr;
  long wanted = argc > 3 ? std::strtol(argv[2], &end, 10) : 0;
  if (wanted < 1 || *end != '\0') {
    std::fprintf(stderr, "usage: batch MODEL.cheems TOKENS PROMPT...\n");
    return CHEEMS_USAGE;
  }
  Model model = openModel(argv[1]);
  std::vector<Sequence> sequences;
  for (int i = 3; i < argc; ++i) {
    Sequence sequence;
    sequence.sampler = makeSampler(model);
    sequence.tokens = tokenize(model, argv[i]);
    sequence.prompt = sequence.tokens.size();
    sequences.push_back(std::move(sequence));
  }
  Session session = makeSession(model, sequences.size());
  Batch batch(model, session, sequences, static_cast<size_t>(wanted));
  while (batch.step()) {
  }
  for (size_t i = 0; i < sequences.size(); ++i) {
    std::printf("== %s\n%s\n", argv[i + 3],
                answer(model, sequences[i]).c_str());
  }
  return CHEEMS_OK;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const Failure &failure) {
    std::fprintf(stderr, "batch: %s\n", failure.what());
    return failure.status;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "batch: %s\n", error.what());
    return CHEEMS_FAILED;
  }
}
