// Whether a random model fits this machine, before any of it is written.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_ROOM_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_ROOM_H

#include <string>

namespace cheems::bench {

/// "1.5 GiB".
std::string gibibytes(double bytes);

/// For what errors call `name`: a model of so many bytes of `weights` that is
/// written to `folder` and compiled there, and the `state` of its session.
/// Throws Error.
void checkRoom(const std::string &name, const std::string &folder,
               double weights, double state);

} // namespace cheems::bench

#endif
