// Reading a request's members with refusals that name them; what nobody has
// asked for is refused in the end, so that no wish goes unheard.
#ifndef CHEEMS_SERVER_API_FIELDS_H
#define CHEEMS_SERVER_API_FIELDS_H

#include "server/Api/Json.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>

namespace cheems::serve {

/// A number without a fraction, however it is written (40, 40.0), where 64 bits
/// hold it.
std::optional<int64_t> wholeNumber(const Json &value);

/// A member that is null counts as absent. All functions throw ApiError.
class Fields {
public:
  /// `object` must outlive it; `where` stands before names in messages.
  explicit Fields(const Json &object, std::string where = "");

  /// Null where it is absent.
  const Json *find(const std::string &name);
  std::optional<int64_t> integer(const std::string &name,
                                 int64_t least = INT64_MIN,
                                 int64_t most = INT64_MAX);
  std::optional<double> number(const std::string &name);
  std::optional<bool> boolean(const std::string &name);
  bool flag(const std::string &name) { return boolean(name).value_or(false); }
  std::optional<std::string> text(const std::string &name);

  /// They change nothing of the answer.
  void ignore(std::initializer_list<const char *> names);
  /// It is not implemented, except that it has one of these values.
  void onlyAs(const std::string &name, std::initializer_list<Json> values);
  /// Refuses the first member that none of the above has named.
  void finish() const;

  /// The member's name as messages have it.
  std::string nameOf(const std::string &name) const { return where + name; }

private:
  const Json &object;
  std::string where;
  std::set<std::string> known;
};

} // namespace cheems::serve

#endif
