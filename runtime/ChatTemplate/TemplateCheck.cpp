#include "runtime/ChatTemplate/TemplateCheck.h"
#include "runtime/Error.h"
#include <optional>

namespace cheems {

void tryChatTemplate(const ChatTemplate &format,
                     const std::map<std::string, std::string> &variables) {
  const ChatMessage system = {"system", "Be brief."}, user = {"user", "Hello!"},
                    assistant = {"assistant", "Hello."};
  std::optional<Error> first;
  bool rendered = false;
  for (const std::vector<ChatMessage> &messages :
       {std::vector{user}, {system, user}, {user, assistant, user}}) {
    try {
      format.render(messages, /*addGenerationPrompt=*/true, variables);
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
}

} // namespace cheems
