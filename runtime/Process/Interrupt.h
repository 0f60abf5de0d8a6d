// Signals that end a program, as something that loops can ask about.
#ifndef CHEEMS_RUNTIME_PROCESS_INTERRUPT_H
#define CHEEMS_RUNTIME_PROCESS_INTERRUPT_H

#include <functional>

namespace cheems::interrupt {

/// From here on SIGINT, SIGTERM and SIGHUP are noted instead of ending the
/// process, unless they were ignored; the same one again ends it at once.
/// SIGPIPE becomes an error of the write. SIGCHLD is no longer ignored, so that
/// a child can be waited for. All of it holds for the whole process: programs
/// do this, and the library, whose host may want it otherwise, does not.
void install();
/// Whether the work at hand is to stop: SIGINT came since the last `forget`, or
/// one of the others ever did.
bool requested();
/// Whether the program is to end: SIGTERM or SIGHUP came.
bool ending();
/// The user went on: no SIGINT was before.
void forget();
/// Returns the exit code of a program that a signal stopped: 128 and its
/// number.
int exitCode();

/// Between the two, the file goes away where the same signal again ends the
/// process at once; of more than 16 at a time the rest stay. Both take the very
/// same pointer, which stays valid meanwhile.
void addUnfinished(const char *path);
void dropUnfinished(const char *path);

/// Until `descriptor` is ready for `events` of poll; false where `stops` says
/// so first, which is asked again after each signal.
bool waitFor(int descriptor, short events, const std::function<bool()> &stops);

} // namespace cheems::interrupt

#endif
