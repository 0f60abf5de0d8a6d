// Finds tool calls in an answer that comes piece by piece, in the form that the
// model writes them in.
#ifndef CHEEMS_SERVER_API_TOOLCALLPARSER_H
#define CHEEMS_SERVER_API_TOOLCALLPARSER_H

#include "runtime/Text/StopStrings.h"
#include "server/Api/CallScanner.h"

#include <set>
#include <string>
#include <vector>

namespace cheems::serve {

/// What a piece of text adds to the answer.
struct AnswerEvent {
  enum class Kind {
    text,      ///< `text` is said to the user
    reasoning, ///< `text` is how the model came to it
    call,      ///< a call of the tool named `text` begins
    arguments  ///< `text` goes on the last call's arguments
  };
  Kind kind;
  std::string text;
};

/// All events together do not depend on how the text was cut.
///
/// A call ends where its object ends: tags in its strings are a part of them.
/// What cannot become a call is text, in which calls are looked for again from
/// after the tag on. That reads no byte more than a few times: of two calls
/// that are open, the string of one begins where that of the other ends, so a
/// third tag is outside of a string for one of them, and ends it.
class ToolCallParser {
public:
  /// Unless `parallel`, calls after the first one are left out. A call without
  /// an opener, where the form has such, is one only of a tool of `names`, with
  /// arguments: answers may be JSON, too.
  ToolCallParser(const CallForm &form, bool parallel,
                 const std::set<std::string> &names);

  std::vector<AnswerEvent> push(const std::string &text);
  /// At the end of the text.
  std::vector<AnswerEvent> finish();

private:
  enum class Place {
    front,  ///< of the answer, which may be a call
    text,   ///< outside of calls
    call,   ///< after an opener, in what may be a call
    broken, ///< in arguments that are no JSON any more: they end at the tag
    after   ///< of a call; the closer or another call may come
  };
  void run();
  void front(char byte);
  void outside(char byte);
  void inside(char byte);
  void inBroken(char byte);
  void behindCall(char byte);
  void open(const std::string &tag);
  void openNext();
  bool mayBegin() const;
  bool isStranger() const;
  void begin(const std::string &name);
  void endCall(size_t end);
  void beginText();
  void goBack();
  void add(AnswerEvent::Kind kind, const std::string &text);
  void say(const std::string &text);
  void handOn(const std::string &arguments);
  void handOnBroken(const std::string &text);

  const CallForm &form;
  bool parallel;
  std::set<std::string> names;
  Place place = Place::text;
  int64_t count = 0;
  std::string unread;       ///< from where reading may have to go back to
  size_t at = 0;            ///< the next byte of it
  size_t mark = 0;          ///< after the tag, or after the call
  std::string opening;      ///< the tag of the call at hand; "": it has none
  bool isBare = false;      ///< no tag opened it, nor those before it
  bool mayOpenList = false; ///< no call came in it, and no bracket
  bool inList = false;      ///< the list of calls is open
  StopStrings tag;
  std::string white; ///< held back: a call may follow, and then it is nothing
  CallScanner scanner;
  bool hasBegun = false;    ///< this call's name has been handed out
  bool isLeftOut = false;   ///< it would have been
  std::string tail;         ///< of broken arguments, that may close the call
  bool isSeparated = false; ///< the separator came after the call
  size_t closing = 0;       ///< bytes of the closer that came after a call
  std::vector<AnswerEvent> events;
};

} // namespace cheems::serve

#endif
