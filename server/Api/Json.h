// JSON of requests and answers. Objects keep the order of their members: chat
// templates print tools as the client wrote them.
#ifndef CHEEMS_SERVER_API_JSON_H
#define CHEEMS_SERVER_API_JSON_H

#include <nlohmann/json.hpp>

#include <string>

namespace cheems::serve {

using Json = nlohmann::ordered_json;

/// How deep a body may nest, and how many members an object may have: looking
/// members up takes as many steps as there are.
constexpr int maximumDepth = 64;
constexpr int maximumMembers = 4096;

/// The object that a request's body is. Throws ApiError for anything else.
Json parseBody(const std::string &text);

/// On one line. Bytes that are not UTF-8 become U+FFFD.
std::string dumped(const Json &value);

} // namespace cheems::serve

#endif
