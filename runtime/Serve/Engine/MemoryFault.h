// Why a request ends for which there is no more memory.
#ifndef CHEEMS_RUNTIME_SERVE_ENGINE_MEMORYFAULT_H
#define CHEEMS_RUNTIME_SERVE_ENGINE_MEMORYFAULT_H

#include "runtime/Serve/Engine/GenerationRequest.h"

namespace cheems::serve {

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
    fault.message =
        "what is asked of the server takes too much memory; try again later";
  }
  return fault;
}

} // namespace cheems::serve

#endif
