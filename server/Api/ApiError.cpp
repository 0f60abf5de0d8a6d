#include "server/Api/ApiError.h"

#include "server/Http/Refusal.h"

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
  case GenerationFault::Kind::memory:
    return {503, fault.message, fault.parameter, "memory"};
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

std::string errorJson(const ApiError &error) {
  return errorJson(error.status, error.what(), error.param, error.code);
}

HttpResponse errorResponse(const ApiError &error) {
  return refusal(error.status, error.what(), error.param, error.code);
}

} // namespace cheems::serve
