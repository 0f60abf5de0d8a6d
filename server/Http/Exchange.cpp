#include "server/Http/Exchange.h"

namespace cheems::serve {

const std::string &HttpRequest::field(const std::string &name) const {
  static const std::string none;
  for (const auto &[key, value] : fields) {
    if (key == name) {
      return value;
    }
  }
  return none;
}

} // namespace cheems::serve
