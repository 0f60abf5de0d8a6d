// The head of an answer as bytes.
#ifndef CHEEMS_SERVER_HTTP_RESPONSEHEAD_H
#define CHEEMS_SERVER_HTTP_RESPONSEHEAD_H

#include "server/Http/Exchange.h"
#include <cstddef>
#include <optional>
#include <string>

namespace cheems::serve {

struct Framing {
  std::string id;               ///< x-request-id
  HttpFields fields;            ///< beside those of the answer
  std::optional<size_t> length; ///< of the body, where it is known
  bool chunked = false;
  bool keepAlive = true;
};

/// A status of which no body may follow.
bool hasNoBody(int status);

/// From "HTTP/1.1 200 OK" to the empty line. A line end in a field's value
/// becomes a space: no value can begin another field.
std::string headText(const HttpResponse &response, const Framing &framing);

/// Bytes of a chunked body.
std::string chunkText(const std::string &bytes);

} // namespace cheems::serve

#endif
