// Whether slots, context and cache fit the memory, asked before any is taken.
#ifndef CHEEMS_SERVER_ENGINE_MEMORYCHECK_H
#define CHEEMS_SERVER_ENGINE_MEMORYCHECK_H

#include "runtime/Session/Session.h"
#include "server/Engine/EngineOptions.h"

namespace cheems::serve {

/// Throws Error (usage) that says how much is needed, how much there is and
/// which option to lower. Returns the bytes that are left beside all that the
/// engine may take, which may be fewer than none: then it fits only while no
/// states are copied.
int64_t checkMemory(const Model &model, const SessionOptions &session,
                    const EngineOptions &options);

} // namespace cheems::serve

#endif
