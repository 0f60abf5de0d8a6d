// Which pages of other origins a browser may let ask this server.
#ifndef CHEEMS_SERVER_HTTP_CORS_H
#define CHEEMS_SERVER_HTTP_CORS_H

#include "server/Http/Exchange.h"
#include <string>
#include <vector>

namespace cheems::serve {

class Cors {
public:
  /// Pages of the server itself alone.
  Cors() = default;
  /// Origins as browsers send them, "https://example.org", or "*" for all.
  /// Throws Error (usage) for what is no origin.
  explicit Cors(const std::vector<std::string> &origins);

  /// Not where a page of another origin asks that is not one of them. A
  /// browser sends simple requests without asking first, so they must be
  /// refused here.
  bool allows(const HttpRequest &request) const;
  /// What an answer to this request tells the browser.
  HttpFields fields(const HttpRequest &request) const;
  /// Whether a browser asks what it may send.
  static bool isPreflight(const HttpRequest &request);
  /// The answer to that, without `fields`.
  static HttpResponse preflight(const HttpRequest &request);

private:
  bool lists(const std::string &origin) const;

  bool all = false;
  std::vector<std::string> origins;
};

} // namespace cheems::serve

#endif
