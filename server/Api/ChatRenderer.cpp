#include "server/Api/ChatRenderer.h"

#include "server/Api/ApiError.h"
#include "server/Api/ChatStyle.h"

#include <algorithm>
#include <set>

namespace cheems::serve {

/// How many messages at the front are likely to begin other conversations, too.
/// Earlier ones were the last ones of an earlier turn.
static std::set<size_t> boundaryCounts(const Json &messages) {
  constexpr size_t last = 4;
  std::set<size_t> counts;
  if (!messages.empty() && messages[0].value("role", "") == "system") {
    counts.insert(1);
  }
  size_t all = messages.size();
  for (size_t count = all > last ? all - last : 1; count <= all; ++count) {
    counts.insert(count);
  }
  return counts;
}

ChatRenderer::ChatRenderer(TextModel &text) : text(text) {
  try {
    std::string source = text.chatTemplateText().value_or("");
    namesXmlTools = source.find("xml_tools") != source.npos;
  } catch (const Error &) {
    return; // whoever renders is told
  }
}

RenderedText ChatRenderer::print(const ChatInput &input) {
  Json all = input.variables;
  all["messages"] = input.messages;
  if (!input.tools.is_null()) {
    all["tools"] = input.tools;
    if (namesXmlTools && !all.contains("xml_tools") &&
        !all.contains("python_tools")) {
      all["xml_tools"] = input.tools;
    }
  }
  return text.chatTemplate().renderMessages(
      dumped(all), input.addGenerationPrompt, text.templateVariables());
}

/// Arguments that are no object become one that says nothing; whether there
/// were any.
static bool giveObjects(Json &messages) {
  bool any = false;
  for (Json &message : messages) {
    if (!message.contains("tool_calls")) {
      continue;
    }
    for (Json &call : message["tool_calls"]) {
      Json &arguments = call["function"]["arguments"];
      any |= !arguments.is_object();
      arguments = arguments.is_object() ? arguments : Json::object();
    }
  }
  return any;
}

/// Contents that say nothing beside calls become none; whether there were any.
static bool giveNoContent(Json &messages) {
  bool any = false;
  for (Json &message : messages) {
    auto *content = message["content"].get_ptr<std::string *>();
    if (message.contains("tool_calls") && content && content->empty()) {
      message["content"] = nullptr;
      any = true;
    }
  }
  return any;
}

/// Whether `text` has the name of each call.
static bool tellsCalls(const Json &messages, const std::string &text) {
  for (const Json &message : messages) {
    for (const Json &call : message.value("tool_calls", Json::array())) {
      const Json &name = call["function"]["name"];
      if (text.find(name.get_ref<const std::string &>()) == text.npos) {
        return false;
      }
    }
  }
  return true;
}

/// Some templates walk through the members of arguments. A call that was cut
/// must not end a conversation there.
RenderedText ChatRenderer::printTakeable(ChatInput &input) {
  try {
    return print(input);
  } catch (const Error &first) {
    ChatInput other = input;
    if (!giveObjects(other.messages)) {
      throw;
    }
    RenderedText printed;
    try {
      printed = print(other);
    } catch (const Error &) {
      throw Error(first.status, first.what()); // that says what is wrong
    }
    input = std::move(other);
    return printed;
  }
}

/// Some templates look for calls only where the content is none. Others would
/// print "None".
RenderedText ChatRenderer::printCalls(ChatInput &input) {
  RenderedText printed = printTakeable(input);
  ChatInput other = input;
  if (tellsCalls(input.messages, printed.text) ||
      !giveNoContent(other.messages)) {
    return printed;
  }
  try {
    RenderedText again = printTakeable(other);
    if (!tellsCalls(other.messages, again.text)) {
      return printed;
    }
    input = std::move(other);
    return again;
  } catch (const Error &) {
    return printed;
  }
}

RenderedChat ChatRenderer::render(ChatInput input) {
  RenderedChat chat = renderOnce(input, SIZE_MAX);
  requireTools(input, chat);
  return chat;
}

RenderedChat ChatRenderer::renderPrompt(ChatInput input, int64_t longest) {
  RenderedChat chat = renderOnce(input, size_t(longest));
  requireTools(input, chat);
  chat.boundaries = boundaries(input, chat);
  return chat;
}

RenderedChat ChatRenderer::renderOnce(ChatInput &input, size_t longest) {
  if (!text.hasChatTemplate()) {
    refuse("messages", "the model has no chat template; give one with "
                       "--chat-template-file, or use /v1/completions");
  }
  RenderedChat chat;
  try {
    RenderedText printed = printCalls(input);
    chat.tokens =
        text.tokenizer().encodeMixed(printed.text, printed.strangers, longest);
    chat.endsThinking = endsThinking(printed);
    chat.text = std::move(printed.text);
  } catch (const TooManyTokens &) {
    throw ApiError(400,
                   "messages have more tokens than the context, which is " +
                       std::to_string(longest),
                   "messages", "context_length_exceeded");
  } catch (const Error &error) {
    refuse("messages", error.what());
  }
  if (chat.tokens.empty()) {
    refuse("messages", "the chat template gives no text for the messages");
  }
  return chat;
}

void ChatRenderer::requireTools(const ChatInput &input,
                                const RenderedChat &chat) {
  if (input.tools.is_null()) {
    return;
  }
  ChatInput without = input;
  without.tools = Json();
  try {
    if (print(without).text != chat.text) {
      return;
    }
  } catch (const Error &) {
    return; // it needs them
  }
  refuse("tools", "the model's chat template does not know tools");
}

std::vector<int64_t> ChatRenderer::boundaries(const ChatInput &input,
                                              const RenderedChat &chat) {
  std::vector<int64_t> ends;
  for (size_t count : boundaryCounts(input.messages)) {
    ChatInput front = input;
    front.messages.erase(front.messages.begin() + ptrdiff_t(count),
                         front.messages.end());
    front.addGenerationPrompt = false;
    RenderedText printed;
    try {
      printed = print(front);
    } catch (const Error &) {
      continue; // the template takes no such conversation
    }
    const std::string &prefix = printed.text;
    if (prefix.empty() || chat.text.compare(0, prefix.size(), prefix) != 0) {
      continue;
    }
    std::vector<int32_t> tokens =
        text.tokenizer().encodeMixed(prefix, printed.strangers);
    size_t most = std::min(tokens.size(), chat.tokens.size());
    auto begin = tokens.begin();
    int64_t same =
        std::mismatch(begin, begin + ptrdiff_t(most), chat.tokens.begin())
            .first -
        begin;
    if (same > 0 && (ends.empty() || ends.back() < same)) {
      ends.push_back(same);
    }
  }
  return ends;
}

} // namespace cheems::serve
