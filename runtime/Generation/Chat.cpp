#include "runtime/Generation/Chat.h"
#include "runtime/Error.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Generation/TextStream.h"
#include "runtime/Generation/TokenIds.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include <unistd.h>

namespace cheems {

Chat::Chat(TextModel &text, Session &session, Sampler &sampler,
           GenerationLimits limits)
    : text(text), session(session), sampler(sampler), limits(std::move(limits)),
      format(text.chatTemplate()), variables(text.templateVariables()),
      conversation(session, printMessage),
      generator(session, sampler, interrupt::requested) {}

void Chat::setSystemPrompt(const std::string &prompt) {
  messages.push_back({"system", prompt});
}

SavedRun Chat::saved() const {
  SavedRun run;
  run.chat = true;
  run.tokens = conversation.tokens();
  run.answer = run.tokens.size();
  run.messages = messages;
  run.random = sampler.randomState();
  return run;
}

void Chat::resume(const SavedRun &run) {
  messages = run.messages;
  auto begin = run.tokens.begin();
  conversation.loaded({begin, begin + session.position(0)});
}

std::vector<int32_t> Chat::encodeConversation() {
  // as in training, every special token comes from the template: adding the
  // tokenizer's own would write the first one twice
  std::vector<int32_t> tokens = text.tokenizer().encode(
      format.render(messages, /*addGenerationPrompt=*/true, variables),
      /*addSpecialTokens=*/false);
  if (tokens.empty()) {
    throw Error("the chat template gives no text for the conversation");
  }
  int64_t count = static_cast<int64_t>(tokens.size());
  if (count >= session.context()) {
    throw Error("the conversation has " + std::to_string(count) +
                " tokens and leaves no room in the context of " +
                std::to_string(session.context()) +
                "; start a new one or raise -c");
  }
  return checkVocabulary(std::move(tokens), session.vocabulary());
}

Stop Chat::answer(const std::string &message,
                  const std::function<void(const std::string &)> &receive) {
  messages.push_back({"user", message});
  std::vector<int32_t> tokens;
  try {
    tokens = encodeConversation();
  } catch (const Error &error) {
    messages.pop_back();
    throw MessageRefused(error);
  }
  size_t begin = conversation.reuse(tokens);
  try {
    generator.feed({tokens.begin() + begin, tokens.end()});
  } catch (const Error &error) {
    conversation.fed(tokens);
    messages.pop_back();
    if (error.status == Status::interrupted) {
      return Stop::interrupted;
    }
    throw;
  }
  conversation.fed(tokens);
  conversation.keep();

  sampler.forget();
  sampler.accept(tokens.data(), tokens.size());
  std::string answer;
  TextStream stream(text.tokenizer(), [&](const std::string &piece) {
    answer += piece;
    receive(piece);
  });
  auto keep = [&] {
    conversation.fed(tokens);
    messages.push_back({"assistant", answer});
    hasAnswered = true;
  };
  Stop stop;
  try {
    stop = generator.generate(limits, [&](int32_t token) {
      tokens.push_back(token);
      stream.push(token);
    });
    stream.finish();
  } catch (const OutputClosed &) { // what was computed stays
    keep();
    throw;
  }
  keep();
  return stop;
}

/// A turn of the conversation on standard output.
static void talk(Chat &chat, const std::string &message,
                 const std::function<void()> &changed) {
  Stop stop;
  try {
    stop = chat.answer(message, writeOutput);
  } catch (const MessageRefused &refused) {
    printMessage(std::string("this message is dropped: ") + refused.what());
    return;
  } catch (const OutputClosed &) { // nobody reads, but the turn is saved
    changed();
    throw;
  }
  changed();
  writeOutput("\n");
  if (stop == Stop::contextFull) {
    printMessage("the context is full; raise it with -c");
  }
}

int runChat(Chat &chat, const std::optional<std::string> &first,
            const std::function<void()> &changed) {
  bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  auto prompt = [&](const char *text) {
    if (asks) {
      writeAll(STDERR_FILENO, text);
    }
  };
  LineReader reader;
  std::string line = first.value_or("");
  changed();
  for (;;) {
    if (!line.empty()) {
      interrupt::forget();
      talk(chat, line, changed);
    }
    if (interrupt::ending()) {
      return static_cast<int>(Status::interrupted);
    }
    bool pending = interrupt::requested();
    prompt("> ");
    LineReader::Event event = reader.next(line, pending);
    if (event == LineReader::Event::end) {
      prompt("\n");
      return static_cast<int>(interrupt::ending() ? Status::interrupted
                                                  : Status::ok);
    }
    if (event == LineReader::Event::interrupted) {
      line.clear();
      printMessage(" press Ctrl-C again to leave the chat");
    }
  }
}

} // namespace cheems
