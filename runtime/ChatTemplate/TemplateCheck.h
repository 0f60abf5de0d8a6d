// Tries a chat template before anybody chats. A template is read whole at
// once, but what its parts do shows only when they run.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_TEMPLATECHECK_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_TEMPLATECHECK_H

#include "runtime/ChatTemplate/ChatTemplate.h"

namespace cheems {

/// Renders short conversations. A template may refuse some of them, because it
/// wants a system prompt, say. Throws Error where it refuses all of them, or
/// where it needs a part of Jinja that is not known here.
void tryChatTemplate(const ChatTemplate &format,
                     const std::map<std::string, std::string> &variables);

} // namespace cheems

#endif
