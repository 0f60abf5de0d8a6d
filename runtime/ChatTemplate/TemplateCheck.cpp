#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/Error.h"
#include <optional>

namespace cheems {

void tryChatTemplate(const ChatTemplate &format,
                     const std::map<std::string, std::string> &variables) {
  const ChatMessage system = {"system", "Be brief."}, user = {"user", "Hello!"},
                    assistant = {"assistant", "Hello."};
  std::optional<Error> first;
  bool rendered = false, saysAny = false;
  for (const std::vector<ChatMessage> &messages :
       {std::vector{user}, {system, user}, {user, assistant, user}}) {
    try {
      saysAny |=
          !format.render(messages, /*addGenerationPrompt=*/true, variables)
               .text.empty();
      rendered = true;
    } catch (const Error &error) {
      if (error.status == Status::unsupported) {
        throw;
      }
      first = first ? first : error;
    }
  }
  if (first && !rendered) {
    throw *first;
  }
  if (!saysAny) {
    throw Error("the chat template gives no text for short chats");
  }
}

} // namespace cheems
