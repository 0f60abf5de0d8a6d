#include "runtime/Generation/Chat.h"
#include "runtime/Error.h"
#include "runtime/Generation/TextStream.h"
#include "runtime/Generation/TokenIds.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include <algorithm>

namespace cheems {

Chat::Chat(TextModel &text, Session &session, Sampler &sampler,
           GenerationLimits limits)
    : text(text), session(session), sampler(sampler), limits(std::move(limits)),
      format(text.chatTemplate()), variables(text.templateVariables()),
      conversation(session, printMessage),
      generator(session, sampler, interrupt::requested) {}

void Chat::setSystemPrompt(const std::string &prompt) {
  if (!messages.empty() && messages.front().role == "system") {
    messages.erase(messages.begin());
  }
  if (!prompt.empty()) {
    messages.insert(messages.begin(), {"system", prompt});
  }
}

void Chat::clear() {
  messages.erase(std::remove_if(messages.begin(), messages.end(),
                                [](const ChatMessage &message) {
                                  return message.role != "system";
                                }),
                 messages.end());
  conversation.restart();
}

bool Chat::undo() {
  auto last = std::find_if(
      messages.rbegin(), messages.rend(),
      [](const ChatMessage &message) { return message.role == "user"; });
  if (last == messages.rend()) {
    return false;
  }
  messages.erase(last.base() - 1, messages.end());
  return true;
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
  RenderedText rendered =
      format.render(messages, /*addGenerationPrompt=*/true, variables);
  std::vector<int32_t> tokens =
      text.tokenizer().encodeMixed(rendered.text, rendered.strangers);
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
    generator.feed(
        Span<const int32_t>(tokens).from(static_cast<int64_t>(begin)));
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
  TextStream stream(
      text.tokenizer(),
      [&](const std::string &piece) {
        answer += piece;
        receive(piece);
      },
      limits.stopStrings);
  GenerationLimits bounds = limits;
  bounds.stopped = [&] { return stream.stopped(); };
  auto keep = [&] {
    conversation.fed(tokens);
    messages.push_back({"assistant", answer});
    hasAnswered = true;
  };
  Stop stop;
  try {
    stop = generator.generate(bounds, [&](int32_t token) {
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

std::optional<Stop>
Chat::regenerate(const std::function<void(const std::string &)> &receive) {
  std::vector<ChatMessage> before = messages;
  if (!undo()) {
    return std::nullopt;
  }
  const ChatMessage &asked = before[messages.size()];
  try {
    Stop stop = answer(asked.content, receive);
    if (messages.size() < before.size() && stop == Stop::interrupted) {
      messages = before; // interrupted before the new answer began
    }
    return stop;
  } catch (const MessageRefused &) {
    messages = before;
    throw;
  }
}

void Chat::save(const std::string &path) const {
  saveRun(session, path, saved());
}

void Chat::load(const std::string &path) {
  Snapshot before = session.snapshot(0);
  SavedRun run = loadRun(session, path);
  if (!run.chat) {
    session.restore(0, before);
    throw Error(Status::usage, path + ": was not saved by a chat");
  }
  sampler.setRandomState(run.random);
  resume(run);
}

} // namespace cheems
