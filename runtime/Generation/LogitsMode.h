// Logits of given token ids, from file to file.
#ifndef CHEEMS_RUNTIME_GENERATION_LOGITSMODE_H
#define CHEEMS_RUNTIME_GENERATION_LOGITSMODE_H

#include "runtime/Generation/TokenTable.h"
#include "runtime/Session/Session.h"

namespace cheems {

/// A session for `table`: a slot per row up to a bound, with room for its rows
/// and no more. Throws Error where they do not fit in the context that was
/// asked for, else in the model's.
Session sessionFor(const TokenTable &table, const std::string &name,
                   const std::shared_ptr<const Model> &model,
                   SessionOptions options);

/// Writes the logits of each row of `table`, a sequence of its own, to `path`:
/// as many rows at once as the session has slots and a step has room, each in
/// chunks of prefillChunk(), so that the bits are those of one row after the
/// other. `interrupted` is asked before each step. Throws Error: ids outside
/// the vocabulary, rows longer than the context, interrupted.
void writeLogits(Session &session, const TokenTable &table,
                 const std::string &name, const std::string &path,
                 const std::function<bool()> &interrupted = nullptr);

} // namespace cheems

#endif
