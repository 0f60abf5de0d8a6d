// Refusals that handlers throw, and what becomes of the engine's.
#ifndef CHEEMS_SERVER_API_APIERROR_H
#define CHEEMS_SERVER_API_APIERROR_H

#include "runtime/Error.h"
#include "server/Engine/GenerationRequest.h"
#include "server/Http/Exchange.h"

#include <stdexcept>
#include <string>

namespace cheems::serve {

/// Why a request gets no answer.
struct ApiError : std::runtime_error {
  int status;
  std::string param; ///< the field at fault, or ""
  std::string code;  ///< such as "context_length_exceeded", or ""
  ApiError(int status, const std::string &message, std::string param = "",
           std::string code = "")
      : std::runtime_error(message), status(status), param(std::move(param)),
        code(std::move(code)) {}
};

/// Throws an ApiError with status 400.
[[noreturn]] void refuse(const std::string &param, const std::string &message);

ApiError errorOf(const GenerationFault &fault);
/// The client's fault where the error is one of usage or of what the model
/// lacks, else the server's.
ApiError errorOf(const Error &error);

/// See server/Http/Refusal.h.
std::string errorJson(const ApiError &error);
HttpResponse errorResponse(const ApiError &error);

} // namespace cheems::serve

#endif
