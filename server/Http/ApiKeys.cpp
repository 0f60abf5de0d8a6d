#include "server/Http/ApiKeys.h"
#include "runtime/Error.h"
#include <algorithm>
#include <fstream>

namespace cheems::serve {

static std::string trimmed(const std::string &line) {
  const char *blanks = " \t\r";
  size_t first = line.find_first_not_of(blanks);
  return first == std::string::npos
             ? std::string()
             : line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

ApiKeys ApiKeys::read(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> keys;
  bool first = true;
  for (std::string line; std::getline(file, line); first = false) {
    constexpr std::string_view mark = "\xef\xbb\xbf"; // of UTF-8
    bool marked = first && line.compare(0, mark.size(), mark) == 0;
    std::string key = trimmed(marked ? line.substr(mark.size()) : line);
    if (key.empty() || key[0] == '#') {
      continue;
    }
    bool sound = std::all_of(key.begin(), key.end(),
                             [](char c) { return c > ' ' && c < 0x7f; });
    if (!sound) {
      throw Error(path + ": a key has characters that no header can carry; "
                         "use letters, digits and signs without spaces");
    }
    keys.push_back(std::move(key));
  }
  if (!file.eof()) {
    throw FileUnusable(path + ": cannot be read");
  }
  if (keys.empty()) {
    throw Error(path + ": has no key; write one a line");
  }
  return ApiKeys(std::move(keys));
}

/// Goes through all of `given`, wherever the first difference is.
static bool equals(std::string_view given, std::string_view key) {
  volatile unsigned difference = given.size() == key.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    auto a = static_cast<unsigned char>(given[i]);
    auto b = static_cast<unsigned char>(key[i % key.size()]);
    difference = difference | static_cast<unsigned>(a ^ b);
  }
  return difference == 0;
}

std::optional<size_t> ApiKeys::indexOf(std::string_view authorization) const {
  std::string scheme(authorization.substr(0, 7));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; });
  if (scheme != "bearer ") {
    return std::nullopt;
  }
  std::string_view given = authorization.substr(7);
  given.remove_prefix(std::min(given.find_first_not_of(' '), given.size()));
  size_t found = keys.size();
  for (size_t i = 0; i < keys.size(); ++i) { // all, whichever is the one
    found = equals(given, keys[i]) ? i : found;
  }
  return found < keys.size() ? std::optional(found) : std::nullopt;
}

} // namespace cheems::serve
