// Reads one tool call's JSON as it comes, so that its arguments can be handed
// on before they are complete.
#ifndef CHEEMS_SERVER_API_CALLSCANNER_H
#define CHEEMS_SERVER_API_CALLSCANNER_H

#include "server/Api/CallForms.h"
#include "server/Api/ValueScanner.h"

#include <optional>
#include <string>

namespace cheems::serve {

/// Knows the members "name" and "arguments" (or "parameters") of an object, or
/// name[ARGS]{…}, with [CALL_ID] and an id between if they are there. Values
/// are read as ValueScanner reads them.
class CallScanner {
public:
  explicit CallScanner(CallLayout layout = CallLayout::objects)
      : place(layout == CallLayout::named ? Place::head : Place::before) {}
  void push(char byte);

  const std::optional<std::string> &name() const { return called; }
  /// Members came that calls do not have.
  bool hasOtherMembers() const { return haveOthers; }
  /// Some of them came.
  bool hasArguments() const { return haveArguments; }
  /// Nothing more comes to them.
  bool hasAllArguments() const { return areWhole; }
  /// Their text so far, less what was taken: as it came, or decoded where it is
  /// a string of JSON.
  std::string takeArguments();
  /// The object is closed.
  bool isComplete() const { return place == Place::after; }
  /// For ever; the last byte cannot be a part of a call.
  bool isBroken() const { return place == Place::broken; }

private:
  enum class Place { head, whole, before, key, colon, value, after, broken };
  void head(char byte);
  void whole(char byte);
  void endMember();
  void member(char byte);
  void argue(const std::string &text);

  Place place = Place::before;
  std::string key, text; ///< of the member, or the head, that is being read
  bool inKey = false;
  ValueScanner scanner; ///< of the key, then of the value
  std::optional<std::string> called;
  std::string arguments; ///< not yet taken
  bool haveArguments = false, areWhole = false, haveOthers = false;
};

} // namespace cheems::serve

#endif
