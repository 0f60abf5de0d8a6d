// Why a request ends that something failed for, such as memory.
#ifndef CHEEMS_SERVER_ENGINE_FAULTS_H
#define CHEEMS_SERVER_ENGINE_FAULTS_H

#include "server/Engine/GenerationRequest.h"

#include <new>

namespace cheems::serve {

inline constexpr const char *memoryIsShort =
    "what is asked of the server takes too much memory; try again later";

/// `what` did not fit; `thrift` is what the client can do about it.
inline GenerationFault memoryFault(BudgetShare::Full full,
                                   const BudgetShare &share,
                                   const std::string &what,
                                   const std::string &thrift) {
  GenerationFault fault;
  if (full == BudgetShare::Full::own) {
    fault.kind = GenerationFault::Kind::invalid;
    fault.message = what + " needs more than the " +
                    std::to_string(share.most() >> 20) +
                    " MiB that a request may have; " + thrift;
  } else {
    fault.kind = GenerationFault::Kind::memory;
    fault.message = memoryIsShort;
  }
  return fault;
}

/// Makes a fault of what was thrown while the request ran. Budgets count what
/// requests take, but the system may have less than --memory says.
inline GenerationFault faultOf(const std::exception &error) {
  GenerationFault fault;
  fault.message = error.what();
  if (dynamic_cast<const std::bad_alloc *>(&error)) {
    fault.kind = GenerationFault::Kind::memory;
    fault.message = memoryIsShort;
  }
  return fault;
}

} // namespace cheems::serve

#endif
