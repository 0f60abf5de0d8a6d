#include "server/Http/Cors.h"
#include "runtime/Error.h"
#include <algorithm>

namespace cheems::serve {

Cors::Cors(const std::vector<std::string> &origins) {
  for (std::string origin : origins) {
    if (origin == "*") {
      all = true;
      continue;
    }
    if (!origin.empty() && origin.back() == '/') {
      origin.pop_back();
    }
    size_t scheme = origin.find("://");
    if (scheme == std::string::npos || scheme == 0 ||
        origin.size() == scheme + 3 ||
        origin.find_first_of("/ ,", scheme + 3) != std::string::npos) {
      throw Error(Status::usage, "--cors-origin: '" + origin +
                                     "' is no origin; write "
                                     "https://example.org, or '*' for all");
    }
    this->origins.push_back(std::move(origin));
  }
}

bool Cors::lists(const std::string &origin) const {
  return all ||
         std::find(origins.begin(), origins.end(), origin) != origins.end();
}

bool Cors::allows(const HttpRequest &request) const {
  const std::string &origin = request.field("origin");
  if (origin.empty() || lists(origin)) {
    return true;
  }
  // a page of the server's own; a proxy may have taken its TLS away
  size_t scheme = origin.find("://");
  return scheme != std::string::npos &&
         origin.compare(scheme + 3, std::string::npos, request.field("host")) ==
             0;
}

HttpFields Cors::fields(const HttpRequest &request) const {
  HttpFields result;
  const std::string &origin = request.field("origin");
  if (all) {
    result.emplace_back("Access-Control-Allow-Origin", "*");
  } else if (!origins.empty()) {
    result.emplace_back("Vary", "Origin"); // a cache must not mix them up
    if (origin.empty() || !lists(origin)) {
      return result;
    }
    result.emplace_back("Access-Control-Allow-Origin", origin);
  } else {
    return result;
  }
  result.emplace_back("Access-Control-Expose-Headers",
                      "x-request-id, retry-after");
  return result;
}

bool Cors::isPreflight(const HttpRequest &request) {
  return request.method == "OPTIONS" && !request.field("origin").empty() &&
         !request.field("access-control-request-method").empty();
}

HttpResponse Cors::preflight(const HttpRequest &request) {
  HttpResponse response;
  response.status = 204;
  response.fields = {{"Access-Control-Allow-Methods", "GET, HEAD, POST"},
                     {"Access-Control-Max-Age", "600"}};
  // clients send fields of their own, such as x-stainless-lang
  const std::string &asked = request.field("access-control-request-headers");
  if (!asked.empty()) {
    response.fields.emplace_back("Access-Control-Allow-Headers", asked);
  }
  return response;
}

} // namespace cheems::serve
