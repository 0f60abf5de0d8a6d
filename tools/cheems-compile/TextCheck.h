// Reads the texts of a model folder as the runtime will, so that what is wrong
// with them is said when the model is compiled.
#ifndef CHEEMS_TOOLS_CHEEMS_COMPILE_TEXTCHECK_H
#define CHEEMS_TOOLS_CHEEMS_COMPILE_TEXTCHECK_H

#include "cheems/Compiler/Compiler.h"

namespace cheems {

/// Checks the texts of `folder`. Refuses a tokenizer and defaults for
/// generation that no program could use. Warns of a chat template, as all but
/// chats works without it, and programs take another one; and of a tokenizer in
/// another format.
llvm::Error checkTexts(const std::string &folder, const Checkpoint &checkpoint,
                       MessageHandler warn);

} // namespace cheems

#endif
