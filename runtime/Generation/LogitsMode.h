// Logits of given token ids, from file to file.
#ifndef CHEEMS_RUNTIME_GENERATION_LOGITSMODE_H
#define CHEEMS_RUNTIME_GENERATION_LOGITSMODE_H

#include "runtime/Generation/TokenTable.h"
#include "runtime/Session/Session.h"

namespace cheems {

/// Feeds each row of `table`, a sequence of its own, to slot 0 and writes the
/// logits of all of them to `path`. `name` is what messages call the table.
/// Throws Error: ids outside the vocabulary, rows longer than the context,
/// interrupted.
void writeLogits(Session &session, const TokenTable &table,
                 const std::string &name, const std::string &path);

} // namespace cheems

#endif
