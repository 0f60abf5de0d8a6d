// Reads one tool call's JSON as it comes, so that its arguments can be handed
// on before they are complete.
#ifndef CHEEMS_RUNTIME_SERVE_API_CALLSCANNER_H
#define CHEEMS_RUNTIME_SERVE_API_CALLSCANNER_H

#include <optional>
#include <string>

namespace cheems::serve {

/// Knows the members "name" and "arguments" (or "parameters") of an object. It
/// follows strings and brackets, and does not check what is in them.
class CallScanner {
public:
  void push(char byte);

  const std::optional<std::string> &name() const { return called; }
  bool hasArguments() const { return !arguments.empty(); }
  /// Their text so far, less what was taken: as it came, or decoded where it is
  /// a string of JSON.
  std::string takeArguments();
  /// The object is closed.
  bool isComplete() const { return place == Place::behind; }

private:
  enum class Place { before, key, colon, value, behind, broken };
  void endMember();
  void member(char byte);

  Place place = Place::before;
  std::string key, text; ///< of the member that is being read
  int depth = 0;         ///< of brackets inside the value
  bool inString = false, escaped = false, begun = false;
  std::optional<std::string> called;
  std::string arguments;
  size_t taken = 0;
  bool areWhole = false; ///< nothing more comes to the arguments
};

} // namespace cheems::serve

#endif
