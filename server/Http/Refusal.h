// Errors in the form that OpenAI's clients read.
#ifndef CHEEMS_SERVER_HTTP_REFUSAL_H
#define CHEEMS_SERVER_HTTP_REFUSAL_H

#include "server/Http/Exchange.h"
#include <string>

namespace cheems::serve {

/// {"error": {message, type, param, code}}; `parameter` and `code` are null
/// where they are empty, `type` is that of the status.
std::string errorJson(int status, const std::string &message,
                      const std::string &parameter = "",
                      const std::string &code = "");
/// The same as an answer. 429 and 503 say when to come again.
HttpResponse refusal(int status, const std::string &message,
                     const std::string &parameter = "",
                     const std::string &code = "");
HttpResponse noSuchPath(const HttpRequest &request);
/// `allowed` as in the field Allow: "GET, HEAD, OPTIONS".
HttpResponse noSuchMethod(const HttpRequest &request,
                          const std::string &allowed);

} // namespace cheems::serve

#endif
