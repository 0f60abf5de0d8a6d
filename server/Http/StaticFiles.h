// Files that are a part of the program: the page.
#ifndef CHEEMS_SERVER_HTTP_STATICFILES_H
#define CHEEMS_SERVER_HTTP_STATICFILES_H

#include "server/Http/Exchange.h"
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cheems::serve {

class StaticFiles {
public:
  /// `bytes` stay where they are. `policy` is the Content-Security-Policy, or
  /// "".
  void add(const std::string &path, const std::string &type,
           std::string_view bytes, const std::string &policy);
  /// Nothing where there is no such file. A browser that has it is told so.
  std::optional<HttpResponse> answer(const HttpRequest &request) const;

private:
  struct File {
    std::string type, tag, policy;
    std::string_view bytes;
  };
  std::map<std::string, File> files;
};

} // namespace cheems::serve

#endif
