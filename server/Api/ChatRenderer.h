// From messages to the tokens of a prompt, by the model's chat template.
#ifndef CHEEMS_SERVER_API_CHATRENDERER_H
#define CHEEMS_SERVER_API_CHATRENDERER_H

#include "runtime/Text/TextModel.h"
#include "server/Api/Json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cheems::serve {

/// A conversation as a template sees it; see ChatMessages.h.
struct ChatInput {
  Json messages = Json::array();
  Json tools;                      ///< null: none
  Json variables = Json::object(); ///< chat_template_kwargs
  bool addGenerationPrompt = true;
};

struct RenderedChat {
  std::string text;
  bool endsThinking = false; ///< the model goes on with its thinking
  /// Letters that messages, tools or variables have a part in are no control
  /// token.
  std::vector<int32_t> tokens;
  /// The positions, in tokens, at which the system prompt and the last messages
  /// of a prompt end.
  std::vector<int64_t> boundaries;
};

/// Any thread may use it.
class ChatRenderer {
public:
  explicit ChatRenderer(TextModel &text);

  /// Returns what the template makes of it, unchecked. Throws Error.
  RenderedText print(const ChatInput &input);

  /// Throws ApiError: 400 where the template refuses the messages, or does not
  /// know tools.
  RenderedChat render(ChatInput input);
  /// The same with boundaries. A prompt of more than `longest` tokens is
  /// refused once it is rendered, before it is tokenized whole.
  RenderedChat renderPrompt(ChatInput input, int64_t longest);

private:
  /// The same; messages that the template cannot take get a form that it can.
  RenderedText printTakeable(ChatInput &input);
  RenderedText printCalls(ChatInput &input);
  RenderedChat renderOnce(ChatInput &input, size_t longest);
  /// Throws ApiError where the template prints the same without the tools.
  void requireTools(const ChatInput &input, const RenderedChat &chat);
  std::vector<int64_t> boundaries(const ChatInput &input,
                                  const RenderedChat &chat);

  TextModel &text;
  bool namesXmlTools = false; ///< SmolLM3's template has tools by this name
};

} // namespace cheems::serve

#endif
