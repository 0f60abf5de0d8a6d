// cheems-run's main mode: a prompt, or a state, and what the model says next.
#include "Modes.h"
#include "Report.h"
#include "Setup.h"
#include "runtime/Generation/TextStream.h"
#include "runtime/Generation/TokenIds.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include <algorithm>

namespace cheems::run {

namespace {

/// A sequence on its way through slot 0.
class Generation {
public:
  Generation(const Options &options, TextModel &text, Session &session,
             Sampler &sampler)
      : options(options), text(text), session(session), sampler(sampler),
        limits(limitsOf(options, text)),
        generator(session, sampler, interrupt::requested) {}

  /// Loads what is to be loaded and takes the prompt after it.
  void begin(const std::vector<int32_t> &prompt) {
    if (options.loadState) {
      run = loadState(options, session, sampler);
    }
    if (!run.logits.empty()) { // all was fed
      generator.setLastLogits(run.logits);
    }
    goesOn = options.loadState && prompt.empty();
    if (!goesOn) {
      run.tokens.insert(run.tokens.end(), prompt.begin(), prompt.end());
      run.answer = run.tokens.size();
    }
    int64_t count = static_cast<int64_t>(run.tokens.size());
    if (count > session.context()) {
      throw Error(
          "the prompt" +
          std::string(options.loadState ? " after the state" : "") + " has " +
          std::to_string(count) + " tokens, more than the context of " +
          std::to_string(session.context()) + "; shorten it or raise -c");
    }
    sampler.accept(run.tokens.data(), run.tokens.size());
  }

  /// Feeds, generates, prints. Whatever ends it, `save` then keeps what was
  /// done.
  Stop generate() {
    auto ends = [&](int32_t token) {
      return std::find(limits.eosTokens.begin(), limits.eosTokens.end(),
                       token) != limits.eosTokens.end();
    };
    if (goesOn && run.answer < run.tokens.size() && ends(run.tokens.back())) {
      say("the text that was saved has ended; give a prompt, or --ignore-eos");
      return Stop::endOfText;
    }
    Span<const int32_t> tokens = run.tokens;
    int64_t fed = session.position(0);
    if (fed != tokens.size()) {
      generator.feed(tokens.from(fed));
    }
    if (limits.constraint) {
      continueConstraint();
    }
    return options.printIds ? printIds()
           : options.json   ? printJson()
                            : printText();
  }

  void save() {
    if (!options.saveState) {
      return;
    }
    bool allFed =
        session.position(0) == static_cast<int64_t>(run.tokens.size());
    run.logits = allFed ? generator.lastLogits() : std::vector<float>();
    run.random = sampler.randomState();
    saveRun(session, *options.saveState, run);
  }

  const Statistics &statistics() const { return generator.statistics(); }

private:
  /// A text that was saved in its middle is one of the grammar so far.
  void continueConstraint() {
    auto constraint = std::make_shared<TokenConstraint>(*limits.constraint);
    for (size_t i = run.answer; i < run.tokens.size(); ++i) {
      constraint->accept(run.tokens[i]);
    }
    limits.constraint = std::move(constraint);
  }

  Stop printIds() {
    const char *separator = "";
    std::optional<TextStream> stream; // for stop strings alone
    if (!limits.stopStrings.empty()) {
      stream.emplace(
          text.tokenizer(), [](const std::string &) {}, limits.stopStrings);
      limits.stopped = [&] { return stream->stopped(); };
    }
    Stop stop = generator.generate(limits, [&](int32_t token) {
      run.tokens.push_back(token);
      writeOutput(separator + std::to_string(token));
      separator = ",";
      if (stream) {
        stream->push(token);
      }
    });
    writeOutput("\n");
    return stop;
  }

  Stop printJson() {
    std::string whole;
    std::vector<int32_t> ids;
    Stop stop = decode([&](const std::string &piece) { whole += piece; }, &ids);
    writeOutput(
        report(whole, ids, stop, generator.statistics(), sampler.options()));
    return stop;
  }

  Stop printText() {
    Stop stop = decode(writeOutput, nullptr);
    if (outputIsTerminal()) {
      writeOutput("\n");
    }
    return stop;
  }

  /// Generates text, and what has ids where they are wanted.
  Stop decode(const std::function<void(const std::string &)> &receive,
              std::vector<int32_t> *ids) {
    TextStream stream(text.tokenizer(), receive, limits.stopStrings);
    limits.stopped = [&] { return stream.stopped(); };
    for (size_t i = run.answer; i < run.tokens.size(); ++i) {
      stream.skip(run.tokens[i]);
    }
    Stop stop = generator.generate(limits, [&](int32_t token) {
      run.tokens.push_back(token);
      stream.push(token);
      if (ids) {
        ids->push_back(token);
      }
    });
    if (!options.saveState ||
        options.json) { // else the rest of a character is to come
      stream.finish();
    }
    if (stream.unknown() != 0) {
      say("warning: " + std::to_string(stream.unknown()) +
          " generated tokens have no text in the tokenizer");
    }
    return stop;
  }

  const Options &options;
  TextModel &text;
  Session &session;
  Sampler &sampler;
  GenerationLimits limits;
  Generator generator;
  SavedRun run;
  bool goesOn = false; ///< a state was loaded and no prompt given
};

} // namespace

int generate(const Options &options) {
  std::vector<int64_t> ids;
  if (options.promptIds) { // before a long open
    ids = parseTokenIds(*options.promptIds, "--prompt-ids");
  }
  TextModel text(open(options));
  if (!options.printIds) {
    text.tokenizer(); // refused before anything is computed
  }
  std::vector<int32_t> prompt = promptTokens(options, ids, text);
  std::vector<int64_t>().swap(ids); // a long prompt is there once
  Warnings warnings;
  Session session(text.sharedModel(), sessionOptions(options, warnings));
  Sampler sampler = makeSampler(options, text, warnings);
  Generation generation(options, text, session, sampler);
  generation.begin(prompt);
  checkSaveState(options);
  warnings.print();
  sayWhereItRuns(options, session);

  Stop stop;
  try {
    stop = generation.generate();
  } catch (const OutputClosed &) {
    generation.save();
    throw;
  } catch (const Error &) { // interrupted; a full disk under the output
    try {
      generation.save();
    } catch (const Error &error) { // the first one ends the program
      say(error.what());
    }
    throw;
  }
  generation.save();
  if (stop == Stop::contextFull) {
    say("the context of " + std::to_string(session.context()) +
        " tokens is full; raise it with -c");
  }
  sayStatistics(generation.statistics(), sampler);
  return static_cast<int>(stop == Stop::interrupted ? Status::interrupted
                                                    : Status::ok);
}

int embed(const Options &options) {
  std::vector<int64_t> ids;
  if (options.promptIds) { // before a long open
    ids = parseTokenIds(*options.promptIds, "--prompt-ids");
  }
  TextModel text(open(options));
  std::vector<int32_t> prompt = promptTokens(options, ids, text);
  Warnings warnings;
  Session session(text.sharedModel(), sessionOptions(options, warnings));
  warnings.print();
  sayWhereItRuns(options, session);
  std::vector<float> embedding(static_cast<size_t>(session.hidden()));
  session.embed(0, prompt, options.pooling, embedding.data());
  writeOutput(report(embedding));
  return 0;
}

} // namespace cheems::run
