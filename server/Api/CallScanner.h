// Reads one tool call's JSON as it comes, so that its arguments can be handed
// on before they are complete.
#ifndef CHEEMS_SERVER_API_CALLSCANNER_H
#define CHEEMS_SERVER_API_CALLSCANNER_H

#include "server/Api/ValueScanner.h"

#include <optional>
#include <string>

namespace cheems::serve {

/// Knows the members "name" and "arguments" (or "parameters") of an object.
/// Values are read as ValueScanner reads them.
class CallScanner {
public:
  void push(char byte);

  const std::optional<std::string> &name() const { return called; }
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
  enum class Place { before, key, colon, value, after, broken };
  void endMember();
  void member(char byte);
  void argue(const std::string &text);

  Place place = Place::before;
  std::string key, text; ///< of the member that is being read
  bool inKey = false;
  ValueScanner scanner; ///< of the key, then of the value
  std::optional<std::string> called;
  std::string arguments; ///< not yet taken
  bool haveArguments = false, areWhole = false;
};

} // namespace cheems::serve

#endif
