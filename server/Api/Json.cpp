#include "server/Api/Json.h"

#include "runtime/Json/Json.h"
#include "server/Api/ApiError.h"

#include <vector>

namespace cheems::serve {

Json parseBody(const std::string &text) {
  std::vector<int> members; // of each object that is open
  auto check = [&](size_t depth, JsonEvent event) {
    if (event != JsonEvent::name) {
      if (depth >= size_t(maximumDepth)) {
        throw ApiError(400, "the body nests more than " +
                                std::to_string(maximumDepth) + " deep");
      }
      members.resize(depth + 1);
      members.back() = 0;
    } else if (++members[depth - 1] > maximumMembers) {
      throw ApiError(400, "an object of the body has more than " +
                              std::to_string(maximumMembers) + " members");
    }
  };
  Json body;
  try {
    body = parseJsonOrThrow<Json>(text, check);
  } catch (const Json::exception &error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, …"
    size_t reason = what.find("] ");
    what = reason == what.npos ? what : what.substr(reason + 2);
    // it quotes the token that it could not read, however long that is
    throw ApiError(400, "the body is not JSON: " + what.substr(0, 300));
  }
  if (!body.is_object()) {
    throw ApiError(400, "the body must be a JSON object");
  }
  return body;
}

std::string dumped(const Json &value) { return printJsonOfAnyBytes(value); }

} // namespace cheems::serve
