// x-request-id.
#ifndef CHEEMS_SERVER_HTTP_REQUESTID_H
#define CHEEMS_SERVER_HTTP_REQUESTID_H

#include <string>

namespace cheems::serve {

/// The client's, where it has at most 64 letters, digits, '-', '_' and '.';
/// else a random one: "req-" and 24 hexadecimal digits.
std::string requestId(const std::string &fromClient);

} // namespace cheems::serve

#endif
