#include "Manual.h"

namespace cheems {

namespace {

/// Text that roff prints as it is.
std::string plain(const std::string &text) {
  std::string result;
  bool lineBegins = true;
  for (char c : text) {
    if (lineBegins && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    lineBegins = c == '\n';
    switch (c) {
    case '\\':
      result += "\\e";
      break;
    case '-': // else a hyphen, which nobody could copy into a shell
      result += "\\-";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string capital(std::string text) {
  for (char &c : text) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

/// What stands after the names: "N", or nothing for a flag.
std::string valueOf(const CLI::Option &option) {
  if (option.get_items_expected_max() == 0) {
    return "";
  }
  std::string type = option.get_type_name();
  return type.empty() ? "VALUE" : type;
}

std::string entry(const CLI::Option &option) {
  std::string names;
  for (const std::string &name : option.get_snames()) {
    names += (names.empty() ? "" : ", ") + ("\\fB\\-" + plain(name) + "\\fR");
  }
  for (const std::string &name : option.get_lnames()) {
    names +=
        (names.empty() ? "" : ", ") + ("\\fB\\-\\-" + plain(name) + "\\fR");
  }
  if (names.empty()) {
    names = "\\fI" + plain(option.get_name()) + "\\fR";
  } else if (std::string value = valueOf(option); !value.empty()) {
    names += " \\fI" + plain(value) + "\\fR";
  }
  return ".TP\n" + names + "\n" + plain(option.get_description()) + "\n";
}

/// The options of a program or of one of its commands, by group.
std::string optionsOf(const CLI::App &app, const char *section) {
  std::string text;
  for (const std::string &group : app.get_groups()) {
    auto options = app.get_options([&](const CLI::Option *option) {
      return !group.empty() && option->get_group() == group;
    });
    if (options.empty()) {
      continue;
    }
    text += std::string(section) + " " + plain(group) + "\n";
    for (const CLI::Option *option : options) {
      text += entry(*option);
    }
  }
  return text;
}

} // namespace

std::string manualPage(const CLI::App &app) {
  const std::string &name = app.get_name();
  std::string description = app.get_description();
  std::string first = description.substr(0, description.find_first_of(".:\n"));
  std::string text = ".TH " + capital(name) +
                     " 1 \"\" \"Cheems\" \"Cheems\"\n" + ".SH NAME\n" +
                     plain(name + " - " + first) + "\n" + ".SH SYNOPSIS\n.B " +
                     plain(name) + "\n";
  for (const CLI::Option *option : app.get_options()) {
    if (option->get_positional() && option->nonpositional()) {
      text += ".I MODEL\n";
    } else if (option->get_positional()) {
      text += ".I " + plain(option->get_name(true)) + "\n";
    }
  }
  auto commands = app.get_subcommands({});
  text += commands.empty() ? "[options]\n" : "[options] command [options]\n";
  text += ".SH DESCRIPTION\n" + plain(description) + "\n";
  text += optionsOf(app, ".SH");
  for (const CLI::App *command : commands) {
    text += ".SH " + plain("The command " + command->get_name()) + "\n" +
            plain(command->get_description()) + "\n" +
            optionsOf(*command, ".SS");
  }
  return text + ".SH EXIT STATUS\n0: done. 1: failed. 2: wrong use. 3: a model "
                "or target that is not supported. 130: interrupted.\n";
}

} // namespace cheems
