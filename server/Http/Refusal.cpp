#include "server/Http/Refusal.h"
#include "runtime/Json/Json.h"
#include <nlohmann/json.hpp>

namespace cheems::serve {

using nlohmann::ordered_json;

/// A message shows so many bytes of a path; clients may send long ones.
static constexpr size_t shownBytes = 200;

/// OpenAI's and llama.cpp's servers use these names.
static const char *typeOf(int status) {
  switch (status) {
  case 401:
    return "authentication_error";
  case 403:
    return "permission_error";
  case 404:
    return "not_found_error";
  case 429:
    return "rate_limit_error";
  case 501:
    return "not_supported_error";
  case 503:
    return "unavailable_error";
  default:
    return status < 500 ? "invalid_request_error" : "server_error";
  }
}

std::string errorJson(int status, const std::string &message,
                      const std::string &parameter, const std::string &code) {
  auto orNull = [](const std::string &text) {
    return text.empty() ? ordered_json() : ordered_json(text);
  };
  ordered_json error = {{"message", message},
                        {"type", typeOf(status)},
                        {"param", orNull(parameter)},
                        {"code", orNull(code)}};
  // what a client sent may stand in a message, and need not be UTF-8
  return printJsonOfAnyBytes(ordered_json{{"error", error}});
}

HttpResponse refusal(int status, const std::string &message,
                     const std::string &parameter, const std::string &code) {
  HttpResponse response;
  response.status = status;
  response.body = errorJson(status, message, parameter, code);
  if (status == 429 || status == 503) {
    response.fields.emplace_back("Retry-After", "1");
  }
  return response;
}

HttpResponse noSuchPath(const HttpRequest &request) {
  // most often a client has another base URL than it needs here
  return refusal(404, "there is nothing at " +
                          request.path.substr(0, shownBytes) +
                          "; the base URL of OpenAI's clients ends in /v1 "
                          "here, where chat/completions, completions, "
                          "embeddings and models are");
}

HttpResponse noSuchMethod(const HttpRequest &request,
                          const std::string &allowed) {
  HttpResponse response =
      refusal(405, request.path.substr(0, shownBytes) + " takes no " +
                       request.method + "; it takes " + allowed);
  response.fields.emplace_back("Allow", allowed);
  return response;
}

} // namespace cheems::serve
