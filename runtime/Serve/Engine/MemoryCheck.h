// Whether slots, context and cache fit the memory, asked before any is taken.
#ifndef CHEEMS_RUNTIME_SERVE_ENGINE_MEMORYCHECK_H
#define CHEEMS_RUNTIME_SERVE_ENGINE_MEMORYCHECK_H

#include "runtime/Serve/Engine/EngineOptions.h"
#include "runtime/Session/Session.h"

namespace cheems::serve {

/// Throws Error (usage) that says how much is needed, how much there is and
/// which option to lower. Returns the bytes that are left beside all that the
/// engine may take, which may be fewer than none: then it fits only while no
/// states are copied.
int64_t checkMemory(const Model &model, const SessionOptions &session,
                    const EngineOptions &options);

} // namespace cheems::serve

#endif
