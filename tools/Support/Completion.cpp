#include "Completion.h"
#include "CommandLine.h"
#include <vector>

namespace cheems {

namespace {

struct Flag {
  std::vector<std::string> names; ///< with their dashes
  std::string description;        ///< its first line
  bool takesValue;
};

std::vector<Flag> flagsOf(const CLI::App &app) {
  std::vector<Flag> flags;
  auto add = [&](const CLI::App &one) {
    for (const CLI::Option *option : one.get_options()) {
      Flag flag;
      for (const std::string &name : option->get_snames()) {
        flag.names.push_back("-" + name);
      }
      for (const std::string &name : option->get_lnames()) {
        flag.names.push_back("--" + name);
      }
      std::string text = option->get_description();
      flag.description = text.substr(0, text.find('\n'));
      flag.takesValue = option->get_items_expected_max() != 0;
      if (!flag.names.empty() && !option->get_group().empty()) {
        flags.push_back(flag);
      }
    }
  };
  add(app);
  for (const CLI::App *command : app.get_subcommands({})) {
    add(*command);
  }
  return flags;
}

std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

/// A text between single quotes, as bash and zsh read it.
std::string inQuotes(const std::string &text) {
  std::string result = "'";
  for (char c : text) {
    result += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return result + "'";
}

std::string commandsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return join(names);
}

std::string forBash(const CLI::App &app) {
  std::vector<std::string> words;
  for (const Flag &flag : flagsOf(app)) {
    words.insert(words.end(), flag.names.begin(), flag.names.end());
  }
  std::string function = "_" + app.get_name();
  for (char &c : function) {
    c = c == '-' ? '_' : c;
  }
  return function + "() {\n" + "  local word=${COMP_WORDS[COMP_CWORD]} words=" +
         inQuotes(commandsOf(app)) +
         "\n"
         "  if [[ $word == -* ]]; then\n"
         "    words=" +
         inQuotes(join(words)) +
         "\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -o default -F " +
         function + " " + app.get_name() + "\n";
}

/// In a specification of zsh's _arguments brackets and colons have a meaning.
std::string forZshDescription(const std::string &text) {
  std::string result;
  for (char c : text) {
    result += c == '[' || c == ']' || c == ':' || c == '\\'
                  ? std::string("\\") + c
                  : std::string(1, c);
  }
  return result;
}

std::string forZsh(const CLI::App &app) {
  std::string text = "#compdef " + app.get_name() + "\n_arguments -S \\\n";
  for (const Flag &flag : flagsOf(app)) {
    for (const std::string &name : flag.names) {
      text += "  " +
              inQuotes("*" + name + "[" + forZshDescription(flag.description) +
                       "]" + (flag.takesValue ? ":value:_files" : "")) +
              " \\\n";
    }
  }
  std::string commands = commandsOf(app);
  return text + "  " +
         inQuotes(commands.empty() ? "*:file:_files"
                                   : "1:command:(" + commands + ")") +
         "\n";
}

/// The same for fish, where a backslash counts between quotes, too.
std::string inFishQuotes(const std::string &text) {
  std::string result = "'";
  for (char c : text) {
    result +=
        c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + "'";
}

std::string forFish(const CLI::App &app) {
  std::string text, begin = "complete -c " + app.get_name();
  for (const Flag &flag : flagsOf(app)) {
    text += begin;
    for (const std::string &name : flag.names) {
      bool isLong = name[1] == '-';
      text += isLong             ? " -l " + name.substr(2)
              : name.size() == 2 ? " -s " + name.substr(1)
                                 : " -o " + name.substr(1);
    }
    text += (flag.takesValue ? " -r -d " : " -d ") +
            inFishQuotes(flag.description) + "\n";
  }
  std::string commands = commandsOf(app);
  if (!commands.empty()) {
    text +=
        begin + " -n __fish_use_subcommand -a " + inFishQuotes(commands) + "\n";
  }
  return text;
}

} // namespace

std::string completionScript(const CLI::App &app, const std::string &shell) {
  if (shell == "bash") {
    return forBash(app);
  }
  if (shell == "zsh") {
    return forZsh(app);
  }
  if (shell == "fish") {
    return forFish(app);
  }
  throw usage("no completion for '" + shell + "': there is bash, zsh and fish");
}

} // namespace cheems
