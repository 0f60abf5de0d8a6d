// Turns a conversation into the prompt that a chat model was trained on, by the
// template its author wrote.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_CHATTEMPLATE_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_CHATTEMPLATE_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems {

struct ChatMessage {
  std::string role; ///< "system", "user", "assistant", …
  std::string content;
};

/// What a template may use up before it is refused: a bound on its time, memory
/// and stack. Time and memory grow with the input: the time by enough that a
/// template may look at 2,000 messages once for each of them, the memory by
/// enough for the input itself and some copies of it.
struct ChatTemplateLimits {
  /// Nodes evaluated, items walked, blocks of 256 bytes copied, and blocks of 4
  /// bytes gone through by character: each takes 0.1 µs or so.
  int64_t steps = 20'000'000;
  int64_t bytes = int64_t(64) << 20; ///< of texts and lists, at any one time
  int depth = 600; ///< nodes inside nodes, through macro calls too
  int64_t stepsAnInputByte = 512; ///< more for each byte of the variables
  int64_t bytesAnInputByte = 16;  ///< the same
  int64_t mostSteps = 64'000'000; ///< however long the input is
};

/// What a template printed.
struct RenderedText {
  std::string text;
  /// [begin, end) of what messages, tools and other variables gave, in order.
  /// The rest is the template's own, the special tokens included that it
  /// names. What is made of both is a stranger's.
  std::vector<std::pair<size_t, size_t>> strangers;
};

/// A Jinja template, rendered as transformers' apply_chat_template does. A
/// model may have another one for conversations with tools. Immutable; may be
/// shared between threads.
class ChatTemplate {
public:
  /// Throws Error naming the line: unsupported for a construct of Jinja that is
  /// not known here, failed for a template that is malformed or not UTF-8. A
  /// filter or test of Jinja that is not known here is refused where it runs.
  explicit ChatTemplate(
      std::string_view source,
      const std::optional<std::string> &toolUse = std::nullopt);
  ~ChatTemplate();
  ChatTemplate(ChatTemplate &&) noexcept;
  ChatTemplate &operator=(ChatTemplate &&) noexcept;

  /// The prompt. `variables` are texts such as bos_token. `tools` and
  /// `documents` are none, as where a caller of transformers gives none. Texts
  /// must be UTF-8. Throws Error naming the template's line, also where the
  /// template itself refuses the messages (raise_exception).
  RenderedText
  render(const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
         const std::map<std::string, std::string> &variables = {}) const;

  /// The same with messages as the text of a JSON array, as an OpenAI request
  /// has them, or of an object with "messages" and whatever other variables,
  /// which go before those above. Throws Error for other JSON, too.
  RenderedText renderMessages(
      std::string_view json, bool addGenerationPrompt,
      const std::map<std::string, std::string> &variables = {}) const;

  /// The same with all variables given as the text of a JSON object; nothing is
  /// added to them.
  RenderedText renderJson(std::string_view variables,
                          const ChatTemplateLimits &limits = {}) const;

private:
  struct Tree;
  std::unique_ptr<Tree> tree, toolUse;
};

} // namespace cheems

#endif
