#include "Modes.h"
#include "Describe.h"
#include "LineEditor.h"
#include "Setup.h"
#include "runtime/Generation/ChatLoop.h"
#include "runtime/Generation/LogitsMode.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Generation/TokenIds.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/NewFile.h"
#include "runtime/Process/Output.h"
#include <cstdlib>
#include <unistd.h>

namespace cheems::run {

namespace {

/// What a mode has computed without asking for signals: not after one.
void print(const std::string &text) {
  if (interrupt::requested()) {
    throw Error(Status::interrupted, "interrupted");
  }
  writeOutput(text);
}

/// Whether no file would be replaced.
bool isFree(const std::string &path) { return access(path.c_str(), F_OK) != 0; }

/// NO_COLOR is that of no-color.org: set, and not empty.
bool colored(const Options &options) {
  const char *none = std::getenv("NO_COLOR");
  return options.color == Color::always ||
         (options.color == Color::automatic && isatty(STDIN_FILENO) &&
          isatty(STDERR_FILENO) && !(none && *none));
}

int chat(const Options &options) {
  TextModel text(open(options));
  if (options.chatTemplateFile) {
    text.setChatTemplate(readText(*options.chatTemplateFile),
                         *options.chatTemplateFile);
  }
  text.tokenizer();
  text.chatTemplate(); // both refused before memory is had
  std::optional<std::string> first;
  if (options.prompt || options.file) {
    first = givenText(options);
  }
  Warnings warnings;
  Session session(text.sharedModel(), sessionOptions(options, warnings));
  Sampler sampler = makeSampler(options, text, warnings);
  Chat chat(text, session, sampler, limitsOf(options, text));
  if (options.system) {
    chat.setSystemPrompt(*options.system);
  }
  if (options.loadState) {
    chat.resume(loadState(options, session, sampler));
  }
  checkSaveState(options);
  warnings.print();
  sayWhereItRuns(options, session);
  // A turn at a time: the end may come by a signal. What an earlier chat left
  // there stays until something was said in this one.
  auto save = [&] {
    if (options.saveState && (chat.answered() || isFree(*options.saveState))) {
      saveRun(session, *options.saveState, chat.saved());
    }
  };
  std::unique_ptr<ChatInput> input =
      makeChatInput(options.history ? standardHistory() : "");
  ChatLoop loop{chat, *input, first, save, colored(options)};
  int code = loop.run();
  sayStatistics(chat.statistics(), sampler);
  return code;
}

int logits(const Options &options) {
  TokenTable table = TokenTable::parse(readBytes(options.inputIds.value()),
                                       options.inputIds.value());
  Warnings warnings;
  Session session = sessionFor(table, options.inputIds.value(), open(options),
                               sessionOptions(options, warnings));
  writeLogits(session, table, options.inputIds.value(), options.logits.value(),
              interrupt::requested);
  warnings.print();
  sayWhereItRuns(options, session);
  return 0;
}

int tokenize(const Options &options) {
  TextModel text(openToRead(options));
  const Tokenizer &tokenizer = text.tokenizer();
  print(formatTokenIds(tokenizer.encode(givenText(options), false)) + "\n");
  return 0;
}

int detokenize(const Options &options) {
  std::vector<int64_t> ids =
      parseTokenIds(options.detokenize.value(), "--detokenize");
  TextModel text(openToRead(options));
  const Tokenizer &tokenizer = text.tokenizer();
  print(tokenizer.decode(checkTokenIds(ids.data(), ids.size(),
                                       tokenizer.vocabularySize(),
                                       "--detokenize"),
                         /*skipSpecial=*/false));
  if (outputIsTerminal()) {
    writeOutput("\n");
  }
  return 0;
}

int describe(const Options &options) {
  std::shared_ptr<const Model> model = openToRead(options);
  print(options.description == Description::json   ? model->describe() + "\n"
        : options.description == Description::full ? fullDescription(model)
                                                   : summary(model));
  return 0;
}

int runPlain(const Options &options) {
  switch (options.mode) {
  case Mode::generate:
    return generate(options);
  case Mode::chat:
    return chat(options);
  case Mode::logits:
    return logits(options);
  case Mode::embedding:
    return embed(options);
  case Mode::tokenize:
    return tokenize(options);
  case Mode::detokenize:
    return detokenize(options);
  case Mode::describe:
    return describe(options);
  case Mode::verify:
    openToRead(options)->verify(interrupt::requested);
    say(options.model + ": every byte is as it was written");
    return 0;
  }
  return static_cast<int>(Status::failed); // not reached: all modes are above
}

void writeProfile(const Options &options) {
  options.recording->write(options.profile.value());
  std::string loss = options.recording->loss();
  if (!loss.empty()) {
    say("warning: " + loss);
  }
}

} // namespace

int runMode(const Options &given) {
  if (!given.profile) {
    return runPlain(given);
  }
  {
    NewFile probe(*given.profile);
  } // refused before the work
  Options options = given;
  options.recording = std::make_shared<Profile>();
  int code;
  try {
    code = runPlain(options);
  } catch (...) { // an interrupted run, and one that failed, shows what it did
    if (options.recording->steps() != 0) {
      try {
        writeProfile(options);
      } catch (const Error &error) {
        say(error.what());
      }
    }
    throw;
  }
  writeProfile(options);
  return code;
}

} // namespace cheems::run
