#include "runtime/Serve/Api/ChatRenderer.h"

#include "runtime/Serve/Api/ApiError.h"

#include <algorithm>
#include <set>

namespace cheems::serve {

namespace {

/// One rendering's template and what it names.
struct Renderer {
  const ChatTemplate &format;
  std::map<std::string, std::string> variables;

  std::string render(const ChatInput &input, const Json &messages,
                     bool addGenerationPrompt) const {
    Json all = input.variables;
    all["messages"] = messages;
    if (!input.tools.is_null()) {
      all["tools"] = input.tools;
    }
    return format.renderMessages(dumped(all), addGenerationPrompt, variables);
  }
};

/// How many messages at the front are likely to begin other conversations, too.
/// Earlier ones were the last ones of an earlier turn.
std::set<size_t> boundaryCounts(const Json &messages) {
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

/// Throws ApiError where the template prints nothing of the tools.
void requireTools(const Renderer &renderer, const ChatInput &input,
                  const std::string &rendered) {
  ChatInput without = input;
  without.tools = Json();
  if (renderer.render(without, without.messages, input.addGenerationPrompt) ==
      rendered) {
    refuse("tools", "the model's chat template does not know tools");
  }
}

} // namespace

const SpecialTexts &ChatRenderer::specialTexts() {
  std::call_once(made, [&] {
    special = std::make_unique<SpecialTexts>(text.tokenizer());
  });
  return *special;
}

RenderedChat ChatRenderer::render(const ChatInput &given) {
  if (!text.hasChatTemplate()) {
    refuse("messages", "the model has no chat template; give one with "
                       "--chat-template-file, or use /v1/completions");
  }
  ChatInput input = given;
  SpecialMarks marks(specialTexts(),
                     dumped(input.messages) + dumped(input.tools));
  marks.hide(input.messages);
  marks.hide(input.tools);
  Renderer renderer{text.chatTemplate(), text.templateVariables()};
  RenderedChat chat;
  std::string rendered;
  try {
    rendered =
        renderer.render(input, input.messages, input.addGenerationPrompt);
    if (!input.tools.is_null()) {
      requireTools(renderer, input, rendered);
    }
  } catch (const Error &error) {
    refuse("messages", error.what());
  }
  const Tokenizer &tokenizer = text.tokenizer();
  // as in training, every special token comes from the template
  chat.tokens = marks.encode(tokenizer, rendered);
  if (chat.tokens.empty()) {
    refuse("messages", "the chat template gives no text for the messages");
  }
  for (size_t count : boundaryCounts(input.messages)) {
    Json front(input.messages.begin(),
               input.messages.begin() + ptrdiff_t(count));
    std::string prefix;
    try {
      prefix = renderer.render(input, front, /*addGenerationPrompt=*/false);
    } catch (const Error &) {
      continue; // the template takes no such conversation
    }
    if (prefix.empty() || rendered.compare(0, prefix.size(), prefix) != 0) {
      continue;
    }
    std::vector<int32_t> tokens = marks.encode(tokenizer, prefix);
    size_t most = std::min(tokens.size(), chat.tokens.size());
    auto begin = tokens.begin();
    int64_t same =
        std::mismatch(begin, begin + ptrdiff_t(most), chat.tokens.begin())
            .first -
        begin;
    if (same > 0 &&
        (chat.boundaries.empty() || chat.boundaries.back() < same)) {
      chat.boundaries.push_back(same);
    }
  }
  chat.text = marks.shown(rendered);
  return chat;
}

} // namespace cheems::serve
