// Plugins that run images of other targets (include/cheems/executor.h).
#ifndef CHEEMS_RUNTIME_ARTIFACT_EXECUTORPLUGINS_H
#define CHEEMS_RUNTIME_ARTIFACT_EXECUTORPLUGINS_H

#include "cheems/executor.h"
#include <string>

namespace cheems {

/// The plugin for a target among the libraries that CHEEMS_EXECUTORS names,
/// which are loaded on the first call and stay; null where there is none.
/// Throws Error for a library that is no plugin.
const cheems_executor_plugin *findExecutorPlugin(const std::string &target);

} // namespace cheems

#endif
