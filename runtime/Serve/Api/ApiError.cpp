#include "runtime/Serve/Api/ApiError.h"

namespace cheems::serve {

void refuse(const std::string &param, const std::string &message) {
  throw ApiError(400, message, param);
}

ApiError errorOf(const GenerationFault &fault) {
  switch (fault.kind) {
  case GenerationFault::Kind::invalid:
    return {400, fault.message, fault.parameter};
  case GenerationFault::Kind::contextLength:
    return {400, fault.message, fault.parameter, "context_length_exceeded"};
  case GenerationFault::Kind::queueFull:
    return {429, fault.message, fault.parameter, "queue_full"};
  case GenerationFault::Kind::timeout:
    return {503, fault.message, fault.parameter, "timeout"};
  case GenerationFault::Kind::shuttingDown:
    return {503, fault.message, fault.parameter, "shutting_down"};
  case GenerationFault::Kind::internal:
    break;
  }
  return {500, fault.message, fault.parameter};
}

ApiError errorOf(const Error &error) {
  bool theirs =
      error.status == Status::usage || error.status == Status::unsupported;
  return {theirs ? 400 : 500, error.what()};
}

/// As OpenAI's and llama.cpp's servers call them.
static const char *typeOf(int status) {
  switch (status) {
  case 401:
    return "authentication_error";
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

static Json textOrNull(const std::string &text) {
  return text.empty() ? Json() : Json(text);
}

Json errorJson(const ApiError &error) {
  return {{"error",
           {{"message", error.what()},
            {"type", typeOf(error.status)},
            {"param", textOrNull(error.param)},
            {"code", textOrNull(error.code)}}}};
}

HttpResponse errorResponse(const ApiError &error) {
  HttpResponse response;
  response.status = error.status;
  response.body = dumped(errorJson(error));
  if (error.status == 429 || error.status == 503) {
    response.fields.emplace_back("Retry-After", "1");
  }
  return response;
}

} // namespace cheems::serve
