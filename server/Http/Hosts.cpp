#include "server/Http/Hosts.h"
#include "runtime/Error.h"
#include <algorithm>

namespace cheems::serve {

/// Brings a name into the form in which names are compared: in lower case,
/// without the brackets of an IPv6 address and without the dot that may end a
/// name.
static std::string plainName(std::string_view name) {
  if (name.size() > 1 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  } else if (name.size() > 1 && name.back() == '.') {
    name.remove_suffix(1);
  }
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return result;
}

static bool isPort(std::string_view text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), [](char c) {
           return c >= '0' && c <= '9';
         });
}

/// Empty where the field has something else.
static std::string_view withoutPort(std::string_view host) {
  size_t bracket = host.rfind(']'), colon = host.rfind(':');
  bool hasPort =
      colon != host.npos &&
      (bracket == host.npos ? host.find(':') == colon : colon == bracket + 1);
  if (hasPort) {
    return isPort(host.substr(colon + 1)) ? host.substr(0, colon)
                                          : std::string_view();
  }
  return host;
}

Hosts::Hosts(const std::vector<std::string> &given) : all(false) {
  for (const std::string &name : given) {
    std::string plain = plainName(name);
    bool hasPort = plain.find(':') != plain.rfind(':') // one of IPv6
                       ? false
                       : plain.find(':') != plain.npos;
    if (plain.empty() || plain.front() == '.' || hasPort ||
        plain.find_first_of("/ ,*@?#[]") != plain.npos) {
      throw Error(Status::usage, "--allowed-host: '" + name +
                                     "' is no name of a host; write it "
                                     "without scheme and port, such as "
                                     "models.example.org");
    }
    names.push_back(std::move(plain));
  }
}

std::vector<std::string> Hosts::ofLoopback() {
  return {"localhost", "127.0.0.1", "::1"};
}

bool Hosts::allows(std::string_view host) const {
  return all || std::find(names.begin(), names.end(),
                          plainName(withoutPort(host))) != names.end();
}

} // namespace cheems::serve
