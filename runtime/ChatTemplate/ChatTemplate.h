// Turns a conversation into the prompt that a chat model was trained on, by the
// template its author wrote.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_CHATTEMPLATE_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_CHATTEMPLATE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

struct ChatMessage {
  std::string role; ///< "system", "user", "assistant", …
  std::string content;
};

/// What a template may use up before it is refused: a bound on its time, memory
/// and stack. Time and memory grow with the input, by enough that a template
/// may look at 2,000 messages once for each of them.
struct ChatTemplateLimits {
  int64_t steps = 5'000'000; ///< nodes evaluated and items walked
  int64_t bytes = int64_t(128)
                  << 20; ///< of all texts and lists made on the way
  int depth = 600;       ///< nodes inside nodes, through macro calls too
  int64_t stepsAnInputByte = 2048; ///< more for each byte of the variables
  int64_t bytesAnInputByte = 2048; ///< the same
};

/// A Jinja template, rendered as transformers' apply_chat_template does.
/// Immutable; may be shared between threads.
class ChatTemplate {
public:
  /// Throws Error naming the line: unsupported for a construct of Jinja that is
  /// not known here, failed for a template that is malformed or not UTF-8. A
  /// filter or test of Jinja that is not known here is refused where it runs.
  explicit ChatTemplate(std::string_view source);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate &&) noexcept;
  ChatTemplate &operator=(ChatTemplate &&) noexcept;

  /// The prompt. `variables` are texts such as bos_token. `tools` and
  /// `documents` are none, as where a caller of transformers gives none. Texts
  /// must be UTF-8. Throws Error naming the template's line, also where the
  /// template itself refuses the messages (raise_exception).
  std::string
  render(const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
         const std::map<std::string, std::string> &variables = {}) const;

  /// The same with messages as the text of a JSON array, as an OpenAI request
  /// has them, or of an object with "messages" and whatever other variables,
  /// which go before those above. Throws Error for other JSON, too.
  std::string renderMessages(
      std::string_view json, bool addGenerationPrompt,
      const std::map<std::string, std::string> &variables = {}) const;

  /// The same with all variables given as the text of a JSON object; nothing is
  /// added to them.
  std::string renderJson(std::string_view variables,
                         const ChatTemplateLimits &limits = {}) const;

private:
  struct Tree;
  std::unique_ptr<Tree> tree;
};

} // namespace cheems

#endif
