// The request target: which path, which query.
#ifndef CHEEMS_SERVER_HTTP_TARGET_H
#define CHEEMS_SERVER_HTTP_TARGET_H

#include <optional>
#include <string>
#include <string_view>

namespace cheems::serve {

struct Target {
  std::string path;  ///< begins with '/', or is "*"
  std::string query; ///< as it came
};

/// "/path?query", "http://host/path?query" or "*"; the path is decoded. Nothing
/// where it is none of them, an escape is broken, or a control character comes
/// of one.
std::optional<Target> parseTarget(std::string_view text);

/// "%41" becomes "A"; nothing for a '%' without two hexadecimal digits.
std::optional<std::string> percentDecoded(std::string_view text);

} // namespace cheems::serve

#endif
