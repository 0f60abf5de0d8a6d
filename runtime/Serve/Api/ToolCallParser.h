// Finds tool calls in an answer that comes piece by piece: JSON objects with
// "name" and "arguments" between <tool_call> and </tool_call>.
#ifndef CHEEMS_RUNTIME_SERVE_API_TOOLCALLPARSER_H
#define CHEEMS_RUNTIME_SERVE_API_TOOLCALLPARSER_H

#include "runtime/Serve/Api/CallScanner.h"
#include "runtime/Text/StopStrings.h"

#include <string>
#include <vector>

namespace cheems::serve {

/// What a piece of text adds to the answer.
struct ToolEvent {
  enum class Kind {
    text,     ///< `text` is said to the user
    call,     ///< a call of the tool named `text` begins
    arguments ///< `text` goes on the last call's arguments
  };
  Kind kind;
  std::string text;
};

/// What opens and closes a call in the text of a model of Qwen's kind.
inline constexpr const char *callBegins = "<tool_call>";
inline constexpr const char *callEnds = "</tool_call>";

/// All events together do not depend on how the text was cut. What is between
/// the tags and is no call is text.
class ToolCallParser {
public:
  /// Unless `parallel`, calls behind the first one are left out.
  explicit ToolCallParser(bool parallel);

  std::vector<ToolEvent> push(const std::string &text);
  /// At the end of the text.
  std::vector<ToolEvent> finish();
  int64_t calls() const { return count; }

private:
  void outside(char byte);
  void inside(char byte);
  void say(const std::string &text);
  void closeCall(bool isTagged);
  void takeScanned();

  bool parallel;
  bool inCall = false;
  int64_t count = 0;
  StopStrings tag;
  std::string white; ///< held back: a call may follow, and then it is nothing
  std::string body;  ///< of the call
  CallScanner scanner;
  bool isAnnounced = false; ///< this call's name has been handed out
  std::vector<ToolEvent> events;
};

} // namespace cheems::serve

#endif
