// Follows one value of JSON as its text comes: where it ends, and what cannot
// be a part of it.
#ifndef CHEEMS_SERVER_API_VALUESCANNER_H
#define CHEEMS_SERVER_API_VALUESCANNER_H

#include <string>

namespace cheems::serve {

/// Models write what is nearly JSON, so not all rules are checked: strings may
/// hold any bytes, a comma may come last, words and numbers are not told apart.
/// But outside of strings is nothing that only prose or a tag has.
class ValueScanner {
public:
  /// The next byte. White space may come first.
  void push(char byte);

  /// It ended with its last byte.
  bool isComplete() const { return place == Place::after && open.empty(); }
  /// It may end here. A word or a number may also go on.
  bool mayEnd() const {
    return open.empty() && (place == Place::after || place == Place::word);
  }
  /// For ever; the last byte cannot stand where it came.
  bool isBroken() const { return place == Place::broken; }

private:
  enum class Place { front, word, string, escape, after, broken };
  void outside(char byte);

  Place place = Place::front; ///< of what may begin at the next byte
  std::string open;           ///< brackets, the innermost last
};

/// White space of JSON.
bool isWhite(char byte);

} // namespace cheems::serve

#endif
