// Chooses where compiled code is kept for its user alone.
#ifndef CHEEMS_RUNTIME_PROCESS_CACHEPLACE_H
#define CHEEMS_RUNTIME_PROCESS_CACHEPLACE_H

#include <string>

namespace cheems {

/// $XDG_CACHE_HOME/cheems, where that is unset ~/.cache/cheems. Throws Error if
/// neither can be told.
std::string standardCache();

/// Makes the folder, and parents that it lacks, for its user alone. What is
/// loaded from it runs: throws Error where others may have written there.
void prepareCache(const std::string &path);

} // namespace cheems

#endif
