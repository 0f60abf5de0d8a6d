// Ctrl-C as something that loops can ask about.
#ifndef CHEEMS_RUNTIME_GENERATION_INTERRUPT_H
#define CHEEMS_RUNTIME_GENERATION_INTERRUPT_H

namespace cheems::interrupt {

/// From here on SIGINT and SIGTERM are counted instead of ending the process;
/// the second SIGINT since the last `forget` ends it with 130 at once.
/// SIGPIPE becomes an error of the write.
void install();
/// Whether one came since the last `forget`.
bool requested();
/// Starts counting afresh: the user went on.
void forget();

} // namespace cheems::interrupt

#endif
