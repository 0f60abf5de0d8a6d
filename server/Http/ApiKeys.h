// Who may ask: keys from a file. They are never written anywhere.
#ifndef CHEEMS_SERVER_HTTP_APIKEYS_H
#define CHEEMS_SERVER_HTTP_APIKEYS_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::serve {

class ApiKeys {
public:
  /// Everybody may ask.
  ApiKeys() = default;
  explicit ApiKeys(std::vector<std::string> keys) : keys(std::move(keys)) {}
  /// One key a line; empty lines and those that begin with '#' are left out.
  /// Throws Error, also for a file without a key.
  static ApiKeys read(const std::string &path);

  bool any() const { return !keys.empty(); }
  /// Whether a field "Authorization: Bearer KEY" has one of them. The time it
  /// takes tells nothing of the keys but their lengths.
  bool allows(std::string_view authorization) const {
    return !any() || indexOf(authorization);
  }
  /// Which of them it has, in as much time.
  std::optional<size_t> indexOf(std::string_view authorization) const;

private:
  std::vector<std::string> keys;
};

} // namespace cheems::serve

#endif
