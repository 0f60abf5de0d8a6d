// Whether slots, context and cache fit the memory, asked before any is taken.
#ifndef CHEEMS_RUNTIME_SERVE_ENGINE_MEMORYCHECK_H
#define CHEEMS_RUNTIME_SERVE_ENGINE_MEMORYCHECK_H

#include "runtime/Serve/Engine/EngineOptions.h"
#include "runtime/Session/Session.h"

namespace cheems::serve {

/// Throws Error (usage) that says how much is needed, how much there is and
/// which option to lower.
void checkMemory(const Model &model, const SessionOptions &session,
                 const EngineOptions &options);

} // namespace cheems::serve

#endif
