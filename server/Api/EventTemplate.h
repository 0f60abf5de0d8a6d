// Events of a stream that differ in few values.
#ifndef CHEEMS_SERVER_API_EVENTTEMPLATE_H
#define CHEEMS_SERVER_API_EVENTTEMPLATE_H

#include "server/Api/Json.h"

#include <functional>
#include <string>
#include <vector>

namespace cheems::serve {

/// The text of an event, cut where its values stand. Each token of each stream
/// has an event, and to fill in a text takes less than to build an object and
/// to write it.
class EventTemplate {
public:
  /// \param count how many values differ.
  /// \param make gives the event with such values, each of which stands in one
  ///   place, as a whole value.
  EventTemplate(size_t count,
                const std::function<Json(const std::vector<Json> &)> &make);

  /// The event with these values, as text of JSON.
  std::string with(const std::vector<std::string> &values) const;

private:
  struct Part {
    std::string before; ///< the text before the value
    size_t value;       ///< its number
  };
  std::vector<Part> parts; ///< in the order of the text
  std::string rest;
};

} // namespace cheems::serve

#endif
