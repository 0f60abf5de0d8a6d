#include "server/Api/ChatStyle.h"

#include "runtime/Error.h"
#include "server/Api/Json.h"

#include <algorithm>
#include <optional>

namespace cheems::serve {

namespace {

/// A tool and a call whose names no template has of itself. The tool that is
/// called is not the one that is described, so its name is only in the call.
constexpr const char *describedTool = "zq_described", *calledTool = "zq_called";

Json probeTool() {
  Json parameters = {
      {"type", "object"},
      {"properties",
       {{"zq_word", {{"type", "string"}, {"description", "A word."}}}}},
      {"required", {"zq_word"}}};
  return {{"type", "function"},
          {"function",
           {{"name", describedTool},
            {"description", "Looks a word up."},
            {"parameters", std::move(parameters)}}}};
}

/// The messages of a conversation up to the user's, and up to a tool's result.
Json question(bool hasSystem) {
  Json messages = Json::array();
  if (hasSystem) {
    messages.push_back({{"role", "system"}, {"content", "Be brief."}});
  }
  messages.push_back({{"role", "user"}, {"content", "Hello!"}});
  return messages;
}

Json callAfter(Json messages, const Json &content) {
  constexpr const char *id = "zq1234567"; // Mistral's have nine letters
  Json call = {{"id", id},
               {"type", "function"},
               {"function",
                {{"name", calledTool}, {"arguments", {{"zq_word", "odd"}}}}}};
  messages.push_back({{"role", "assistant"},
                      {"content", content},
                      {"tool_calls", Json::array({std::move(call)})}});
  messages.push_back({{"role", "tool"},
                      {"tool_call_id", id},
                      {"name", calledTool},
                      {"content", "found"}});
  return messages;
}

/// A text that is read from its end to the front; white space is skipped.
class Backwards {
public:
  explicit Backwards(std::string_view text) : text(text) {}
  bool take(std::string_view part) {
    skip();
    bool isThere = text.size() >= part.size() &&
                   text.substr(text.size() - part.size()) == part;
    text.remove_suffix(isThere ? part.size() : 0);
    return isThere;
  }
  /// What is left is no longer than `size`.
  bool isWithin(size_t size) {
    skip();
    return text.size() <= size;
  }

private:
  void skip() {
    size_t last = text.find_last_not_of(" \t\r\n");
    text = text.substr(0, last == text.npos ? 0 : last + 1);
  }
  std::string_view text;
};

std::string_view withoutWhite(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  return text.substr(first == text.npos ? text.size() : first);
}

bool takeFront(std::string_view &text, std::string_view part) {
  std::string_view rest = withoutWhite(text);
  if (rest.substr(0, part.size()) != part) {
    return false;
  }
  text = rest.substr(part.size());
  return true;
}

/// Whether a call of this form is between the texts. `common` is how much of
/// the first is what the template writes in front of any answer.
bool isForm(const CallForm &form, std::string_view before,
            std::string_view after, size_t common) {
  Backwards text(before);
  if (form.layout == CallLayout::named) {
    size_t mark = after.find(argumentsMark);
    bool hasMark =
        mark == 0 || (mark != after.npos && after.substr(0, 9) == callIdMark);
    return hasMark && text.take(form.openers[0]);
  }
  std::string member = "\"" + std::string(form.argumentsName) + "\"";
  bool isObject = text.take("\"") && text.take(":") && text.take("\"name\"") &&
                  text.take("{") && takeFront(after, "\"") &&
                  takeFront(after, ",") && takeFront(after, member) &&
                  takeFront(after, ":");
  if (!isObject || (form.layout == CallLayout::list && !text.take("["))) {
    return false;
  }
  return std::any_of(
             form.openers.begin(), form.openers.end(),
             [&](const std::string &each) { return text.take(each); }) ||
         (form.bare && text.isWithin(common));
}

/// Whether these come one after another in `text`.
bool tells(const std::string &text, const std::vector<std::string> &parts) {
  for (size_t at = text.find(parts[0]); at != text.npos;
       at = text.find(parts[0], at + 1)) {
    std::string_view rest = std::string_view(text).substr(at);
    if (std::all_of(parts.begin(), parts.end(), [&](const std::string &part) {
          return takeFront(rest, part);
        })) {
      return true;
    }
  }
  return false;
}

const CallForm *formTold(const std::string &text) {
  for (const CallForm &form : callForms()) {
    for (const auto &parts : form.descriptions) {
      if (tells(text, parts)) {
        return &form;
      }
    }
  }
  return nullptr;
}

/// A part of a text for a message: of whole characters, and short.
std::string quoted(std::string_view text) {
  constexpr size_t longest = 60;
  while (text.size() > longest) {
    text.remove_prefix(1);
  }
  auto isMiddle = [](char byte) { return (byte & 0xC0) == 0x80; };
  while (!text.empty() && isMiddle(text[0])) {
    text.remove_prefix(1);
  }
  std::string line = dumped(std::string(text));
  return line.substr(1, line.size() - 2);
}

class Probe {
public:
  Probe(ChatRenderer &chats, const std::string &source)
      : chats(chats), source(source) {}

  /// Whether this settles it.
  bool look(bool hasSystem, ChatStyle &style) {
    Json messages = question(hasSystem);
    auto plain = printed(messages, false), shown = printed(messages, true);
    if (!shown || plain == shown) {
      return false;
    }
    for (const Json &content : {Json(""), Json(nullptr)}) {
      auto called = printed(callAfter(messages, content), true);
      size_t at = called ? called->find(calledTool) : std::string::npos;
      if (at != std::string::npos) {
        lookAtCall(*called, at, *shown, style);
        return true;
      }
    }
    style.calls = formTold(*shown);
    style.calls = style.calls ? style.calls : formTold(source);
    style.whyNoCalls =
        "the model's chat template shows no form of tool calls that is read "
        "here: " +
        namesOfCallForms() + "; send no tools, or tool_choice none";
    return style.calls != nullptr;
  }

private:
  std::optional<std::string> printed(const Json &messages, bool hasTools) {
    ChatInput input;
    input.messages = messages;
    if (hasTools) {
      input.tools = Json::array({probeTool()});
    }
    try {
      return chats.print(input).text;
    } catch (const Error &) {
      return std::nullopt; // it takes no such conversation
    }
  }

  static void lookAtCall(const std::string &called, size_t at,
                         const std::string &shown, ChatStyle &style) {
    std::string_view before = std::string_view(called).substr(0, at);
    std::string_view after =
        std::string_view(called).substr(at + std::string(calledTool).size());
    auto common =
        std::mismatch(before.begin(),
                      before.begin() +
                          ptrdiff_t(std::min(before.size(), shown.size())),
                      shown.begin())
            .first;
    auto length = size_t(common - before.begin());
    style.calls = nullptr;
    for (const CallForm &form : callForms()) {
      if (isForm(form, before, after, length)) {
        style.calls = &form;
        return;
      }
    }
    // a tag that the prompt begins with another one in common is told whole
    size_t tag = before.find_last_of("<[", length);
    bool isCut =
        tag < length && before.substr(tag, length - tag).find_first_of(">]") ==
                            std::string_view::npos;
    style.whyNoCalls = "the model's chat template writes calls as '" +
                       quoted(before.substr(isCut ? tag : length)) +
                       "NAME', and the forms that are read are " +
                       namesOfCallForms() +
                       "; send no tools, or tool_choice none";
  }

  ChatRenderer &chats;
  const std::string &source; ///< of the template
};

} // namespace

ChatStyle findChatStyle(TextModel &text, ChatRenderer &chats) {
  ChatStyle style;
  std::string source;
  try {
    if (!text.hasChatTemplate()) {
      return style;
    }
    text.chatTemplate();
    source = text.chatTemplateText().value_or("") +
             text.toolUseTemplateText().value_or("");
  } catch (const Error &) {
    return style; // whoever renders with it is told
  }
  style.thinks = source.find(thinkingEnds) != source.npos;
  style.whyNoCalls = "the model's chat template does not know tools";
  Probe probe(chats, source);
  probe.look(/*hasSystem=*/false, style) || probe.look(true, style);
  return style;
}

bool endsThinking(const RenderedText &prompt) {
  const std::string &text = prompt.text;
  size_t last = text.find_last_not_of(" \t\r\n");
  const size_t length = std::string_view(thinkingBegins).size();
  if (last == text.npos || last + 1 < length ||
      text.compare(last + 1 - length, length, thinkingBegins) != 0) {
    return false;
  }
  size_t begin = last + 1 - length;
  return std::none_of(
      prompt.strangers.begin(), prompt.strangers.end(), [&](const auto &each) {
        return each.first < begin + length && each.second > begin;
      });
}

} // namespace cheems::serve
