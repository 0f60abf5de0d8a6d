// The messages of a chat request, checked and in the form that chat templates
// expect.
#ifndef CHEEMS_SERVER_API_CHATMESSAGES_H
#define CHEEMS_SERVER_API_CHATMESSAGES_H

#include "server/Api/ChatRenderer.h"
#include "server/Api/Fields.h"

namespace cheems::serve {

/// Contents become strings, "developer" becomes "system", arguments of tool
/// calls become objects where they are the JSON of one. Reasoning, by whatever
/// name, becomes "reasoning_content". Throws ApiError, naming the member at
/// fault, for what is malformed and for images and the like.
Json readMessages(const Json *messages);

/// `messages`, `tools`, `tool_choice`, `chat_template_kwargs` and
/// `add_generation_prompt` of a request; see Tools.h for the choice.
ChatInput readChat(Fields &fields);

} // namespace cheems::serve

#endif
