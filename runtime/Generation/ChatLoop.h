// A chat on standard input and output: messages, commands, answers.
#ifndef CHEEMS_RUNTIME_GENERATION_CHATLOOP_H
#define CHEEMS_RUNTIME_GENERATION_CHATLOOP_H

#include "runtime/Generation/Chat.h"
#include <functional>
#include <optional>
#include <string>

namespace cheems {

/// Says where the lines of a chat come from.
class ChatInput {
public:
  enum class Event { line, end, interrupted };
  virtual ~ChatInput() = default;
  /// Shows `prompt` and waits for the next line, which comes without its line
  /// end, or for a Ctrl-C where none was `pending` when the user was asked.
  /// Where the program is to end, so does the input. Throws Error.
  virtual Event next(const std::string &prompt, std::string &line,
                     bool pending) = 0;
};

/// Standard input a line at a time. Prompts are shown where a user is asked:
/// where it and standard error are terminals.
std::unique_ptr<ChatInput> plainInput();

struct ChatLoop {
  Chat &chat;
  ChatInput &input;
  std::optional<std::string> first; ///< message
  std::function<void()> changed;    ///< at the beginning and after each turn
  bool color = false; ///< prompts and what is typed stand out, on a terminal

  /// Asks until the input or the program ends, and answers on standard output.
  /// A line that ends in a backslash goes on in the next one; one that begins
  /// with a slash is a command. Says which messages are refused, and goes on.
  /// Returns the exit code.
  int run();

private:
  ChatInput::Event ask(std::string &message);
  void talk(const std::function<std::optional<Stop>()> &turn);
  /// False where the command ends the chat.
  bool command(const std::string &line);
};

} // namespace cheems

#endif
