#include "runtime/Generation/ChatLoop.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Process/Interrupt.h"
#include "runtime/Process/Output.h"
#include <unistd.h>

namespace cheems {

namespace {

constexpr const char *commands =
    R"(/clear         forget the conversation; the system prompt stays
/regen         another answer to the last message
/undo          forget the last message and its answer
/system TEXT   another system prompt, from the next message on; without TEXT: none
/save FILE     save the conversation
/load FILE     go on with a conversation that was saved
/help          print this list
/exit          leave the chat, as the end of the input does
A line that ends in \ goes on in the next one. A message that begins with a slash needs a space in front.
)";

class PlainInput : public ChatInput {
public:
  Event next(const std::string &prompt, std::string &line,
             bool pending) override {
    bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (asks) {
      writeAll(STDERR_FILENO, prompt);
    }
    switch (reader.next(line, pending)) {
    case LineReader::Event::line:
      return Event::line;
    case LineReader::Event::interrupted:
      return Event::interrupted;
    case LineReader::Event::end:
      if (asks) {
        writeAll(STDERR_FILENO, "\n");
      }
      return Event::end;
    }
    return Event::end; // not reached: all events are above
  }

private:
  LineReader reader;
};

} // namespace

std::unique_ptr<ChatInput> plainInput() {
  return std::make_unique<PlainInput>();
}

/// A turn of the conversation on standard output.
void ChatLoop::talk(const std::function<std::optional<Stop>()> &turn) {
  interrupt::forget();
  std::optional<Stop> stop;
  try {
    stop = turn();
  } catch (const MessageRefused &refused) {
    printMessage(std::string("this message is dropped: ") + refused.what());
    return;
  } catch (const OutputClosed &) { // nobody reads, but the turn is saved
    changed();
    throw;
  }
  if (!stop) {
    printMessage("there is no message yet");
    return;
  }
  changed();
  writeOutput("\n");
  if (*stop == Stop::contextFull) {
    printMessage("the context is full; raise it with -c");
  }
}

bool ChatLoop::command(const std::string &line) {
  size_t space = line.find(' ');
  std::string name = line.substr(0, space);
  size_t from = line.find_first_not_of(' ', space);
  std::string rest = from == std::string::npos || space == std::string::npos
                         ? ""
                         : line.substr(from);
  bool takesFile = name == "/save" || name == "/load";
  if (takesFile && rest.empty()) {
    printMessage(name + " needs the name of a file");
  } else if (!takesFile && name != "/system" && !rest.empty()) {
    printMessage(name + " takes nothing; to send this as a message, put a "
                        "space in front");
  } else if (name == "/clear") {
    chat.clear();
  } else if (name == "/regen") {
    talk([&] { return chat.regenerate(writeOutput); });
  } else if (name == "/undo") {
    if (!chat.undo()) {
      printMessage("there is no message yet");
    }
  } else if (name == "/system") {
    chat.setSystemPrompt(rest);
  } else if (takesFile) {
    try {
      name == "/save" ? chat.save(rest) : chat.load(rest);
    } catch (const Error &error) {
      printMessage(error.what());
    }
  } else if (name == "/help") {
    writeAll(STDERR_FILENO, commands);
  } else if (name == "/exit") {
    return false;
  } else {
    printMessage("no command " + name +
                 "; /help lists them; to send this as a message, put a space "
                 "in front");
  }
  return true;
}

/// All lines of a message.
ChatInput::Event ChatLoop::ask(std::string &message) {
  auto colored = [&](const char *prompt) {
    return (color ? "\x1b[1;32m" : "") + std::string(prompt);
  };
  message.clear();
  std::string line;
  bool pending = interrupt::requested();
  ChatInput::Event event = input.next(colored("> "), line, pending);
  while (event == ChatInput::Event::line && !line.empty() &&
         line.back() == '\\') {
    line.back() = '\n';
    message += line;
    event = input.next(colored(". "), line, pending);
  }
  if (color) {
    writeAll(STDERR_FILENO, "\x1b[0m");
  }
  bool ends = event == ChatInput::Event::end;
  message += event == ChatInput::Event::line ? line : "";
  // what was said before the end of the input counts
  return ends && !message.empty() && !interrupt::ending()
             ? ChatInput::Event::line
             : event;
}

int ChatLoop::run() {
  std::string message = first.value_or("");
  bool given = true; // on the command line: no command
  changed();
  for (;;) {
    if (!given && !message.empty() && message[0] == '/') {
      if (!command(message)) {
        return static_cast<int>(Status::ok);
      }
    } else if (!message.empty()) {
      talk([&] { return std::optional(chat.answer(message, writeOutput)); });
    }
    given = false;
    if (interrupt::ending()) {
      return static_cast<int>(Status::interrupted);
    }
    switch (ask(message)) {
    case ChatInput::Event::line:
      break;
    case ChatInput::Event::end:
      return static_cast<int>(interrupt::ending() ? Status::interrupted
                                                  : Status::ok);
    case ChatInput::Event::interrupted:
      message.clear();
      printMessage(" press Ctrl-C again to leave the chat");
    }
  }
}

} // namespace cheems
