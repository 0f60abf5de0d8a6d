// Lines that a user edits on a terminal, with the history of earlier ones.
#ifndef CHEEMS_TOOLS_CHEEMS_RUN_LINEEDITOR_H
#define CHEEMS_TOOLS_CHEEMS_RUN_LINEEDITOR_H

#include "runtime/Generation/ChatLoop.h"
#include <memory>
#include <string>

namespace cheems::run {

/// If standard input and standard error are terminals, this is libedit, which
/// reads the user's ~/.editrc. `history` is the file with the lines of earlier
/// chats; empty: none. Elsewhere plainInput().
std::unique_ptr<ChatInput> makeChatInput(const std::string &history);

/// $XDG_STATE_HOME/cheems/history, where that is unset
/// ~/.local/state/cheems/history; empty where neither can be told.
std::string standardHistory();

} // namespace cheems::run

#endif
