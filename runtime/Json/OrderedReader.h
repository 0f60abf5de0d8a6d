// Builds documents whose objects keep the order of their members. The library's
// own builder looks through all members for each new one.
#ifndef CHEEMS_RUNTIME_JSON_ORDEREDREADER_H
#define CHEEMS_RUNTIME_JSON_ORDEREDREADER_H

#include "runtime/Json/Json.h"

#include <unordered_map>
#include <vector>

namespace cheems {

/// Has the functions that nlohmann's sax_parse calls.
class OrderedReader {
public:
  using Json = nlohmann::ordered_json;

  /// With `throws`, what is not JSON throws Json::parse_error.
  OrderedReader(JsonCheck check, bool throws)
      : check(std::move(check)), throws(throws) {}
  /// The document that was read.
  Json take() { return std::move(root); }

  // The parser of nlohmann/json names these.
  // NOLINTBEGIN(readability-identifier-naming)
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(int64_t value) { return add(value); }
  bool number_unsigned(uint64_t value) { return add(value); }
  bool number_float(double value, const std::string &) { return add(value); }
  bool string(std::string &value) { return add(std::move(value)); }
  bool binary(Json::binary_t &value) { return add(std::move(value)); }
  bool start_object(size_t) { return begin(JsonEvent::object, Json::object()); }
  bool start_array(size_t) { return begin(JsonEvent::array, Json::array()); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool key(std::string &name);
  template <typename Fault>
  bool parse_error(size_t, const std::string &, const Fault &fault) {
    if (throws) {
      throw fault;
    }
    return false;
  }
  // NOLINTEND(readability-identifier-naming)

private:
  struct Open {
    Json *value;
    size_t member = 0; ///< of an object: whose value comes next
    /// The map says, for an object with many members, where each is.
    std::unordered_map<std::string, size_t> places;
  };
  using Members = Json::object_t::Container;
  Json *place(Json value);
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool begin(JsonEvent event, Json value);
  bool end() {
    open.pop_back();
    return true;
  }

  JsonCheck check;
  bool throws;
  Json root;
  /// No container grows while one inside of it is open, so none moves.
  std::vector<Open> open;
};

} // namespace cheems

#endif
