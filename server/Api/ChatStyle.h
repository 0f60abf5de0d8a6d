// What a model's chat template says of how the model answers: in which form it
// calls tools, and whether it thinks first.
#ifndef CHEEMS_SERVER_API_CHATSTYLE_H
#define CHEEMS_SERVER_API_CHATSTYLE_H

#include "server/Api/CallForms.h"
#include "server/Api/ChatRenderer.h"

#include <string>

namespace cheems::serve {

struct ChatStyle {
  const CallForm *calls = nullptr; ///< null: `whyNoCalls` says why
  /// One line, for whoever sends tools; "" where there is no chat template.
  std::string whyNoCalls;
  /// An answer may begin with what is between <think> and </think>.
  bool thinks = false;
};

/// Renders a conversation with a call of a tool, and looks at what the template
/// makes of it. Where it writes no calls, what it tells the model of them
/// counts, and last what its own text has of them. A template that fails with
/// that knows no tools.
ChatStyle findChatStyle(TextModel &text, ChatRenderer &chats);

inline constexpr const char *thinkingBegins = "<think>";
inline constexpr const char *thinkingEnds = "</think>";

/// Whether the rendered prompt ends within the model's thinking. Letters of a
/// message do not count.
bool endsThinking(const RenderedText &prompt);

} // namespace cheems::serve

#endif
