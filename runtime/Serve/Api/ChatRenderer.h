// From messages to the tokens of a prompt, by the model's chat template.
#ifndef CHEEMS_RUNTIME_SERVE_API_CHATRENDERER_H
#define CHEEMS_RUNTIME_SERVE_API_CHATRENDERER_H

#include "runtime/Serve/Api/Json.h"
#include "runtime/Serve/Api/SpecialTexts.h"
#include "runtime/Text/TextModel.h"

#include <memory>
#include <mutex>

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
  std::vector<int32_t> tokens;
  /// Ends of the system prompt and of the last messages, in tokens.
  std::vector<int64_t> boundaries;
};

/// Any thread may use it.
class ChatRenderer {
public:
  explicit ChatRenderer(TextModel &text) : text(text) {}

  /// Throws ApiError: 400 where the template refuses the messages, or does not
  /// know tools.
  RenderedChat render(const ChatInput &input);

private:
  const SpecialTexts &specialTexts();

  TextModel &text;
  std::once_flag made;
  std::unique_ptr<SpecialTexts> special;
};

} // namespace cheems::serve

#endif
