// Finds tool calls in an answer that comes piece by piece: JSON objects with
// "name" and "arguments" between <tool_call> and </tool_call>.
#ifndef CHEEMS_SERVER_API_TOOLCALLPARSER_H
#define CHEEMS_SERVER_API_TOOLCALLPARSER_H

#include "runtime/Text/StopStrings.h"
#include "server/Api/CallScanner.h"

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

/// All events together do not depend on how the text was cut.
///
/// A call ends where its object ends: tags in its strings are a part of them.
/// What cannot become a call is text, in which calls are looked for again from
/// after the tag on. That reads no byte more than a few times: of two calls
/// that are open, the string of one begins where that of the other ends, so a
/// third tag is outside of a string for one of them, and ends it.
class ToolCallParser {
public:
  /// Unless `parallel`, calls after the first one are left out.
  explicit ToolCallParser(bool parallel);

  std::vector<ToolEvent> push(const std::string &text);
  /// At the end of the text.
  std::vector<ToolEvent> finish();
  int64_t calls() const { return count; }

private:
  enum class Place {
    text,   ///< outside of calls
    call,   ///< after <tool_call>, in what may be a call
    broken, ///< in arguments that are no JSON any more: they end at the tag
    after   ///< of a call; </tool_call> or another call may come
  };
  void run();
  void outside(char byte);
  void inside(char byte);
  void inBroken(char byte);
  void behindCall(char byte);
  void open(const std::string &tag);
  void begin(const std::string &name);
  void endCall(size_t end);
  void beginText();
  void goBack();
  void add(ToolEvent::Kind kind, const std::string &text);
  void say(const std::string &text);
  void handOn(const std::string &arguments);
  void handOnBroken(const std::string &text);

  bool parallel;
  Place place = Place::text;
  int64_t count = 0;
  std::string unread;  ///< from where reading may have to go back to
  size_t at = 0;       ///< the next byte of it
  size_t mark = 0;     ///< after the tag, or after the call
  std::string opening; ///< the tag of the call at hand; "": it has none
  StopStrings tag;
  std::string white; ///< held back: a call may follow, and then it is nothing
  CallScanner scanner;
  bool hasBegun = false;  ///< this call's name has been handed out
  bool isLeftOut = false; ///< it would have been
  std::string tail;       ///< of broken arguments, that may close the call
  size_t closing = 0;     ///< bytes of </tool_call> that came after a call
  std::vector<ToolEvent> events;
};

} // namespace cheems::serve

#endif
