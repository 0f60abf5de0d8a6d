#include "CommandLine.h"
#include "Completion.h"
#include "ForeignFlags.h"
#include "Manual.h"
#include "cheems/abi.h"
#include "cheems/artifact.h"
#include "runtime/Process/Output.h"
#include <algorithm>
#include <sstream>

namespace cheems {

Error usage(const std::string &what) {
  return Error(Status::usage, what + "; see --help");
}

void prepare(CLI::App &app, int width) {
  app.set_version_flag(
      "--version", app.get_name() + " " CHEEMS_VERSION " (artefact format " +
                       std::to_string(CHEEMS_ARTIFACT_VERSION) +
                       ", interface " + std::to_string(CHEEMS_ABI_VERSION) +
                       ")");
  app.get_formatter()->column_width(width);
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A flag that `app` does not have.
static Error unknown(const CLI::App &app, const std::string &flag) {
  std::string reason = reasonAgainst(app, flag);
  if (!reason.empty()) {
    return Error(Status::usage, "no " + flag + ": " + reason);
  }
  if (flag[1] != '-') {
    if (app.get_option_no_throw("-" + flag)) {
      return usage("no " + flag + ": write -" + flag);
    }
    std::string first = flag.substr(0, 2);
    const CLI::Option *option = app.get_option_no_throw(first);
    bool attached = flag.size() > 2 && !isLetter(flag[2]);
    if (attached && option && option->get_items_expected_min() != 0) {
      return usage("no " + flag + "; put a space before the value, as in " +
                   first + " " + flag.substr(flag[2] == '=' ? 3 : 2));
    }
  }
  return usage("no " + flag);
}

/// Refuses an option that takes one value and has been `given` one already.
static void checkOnce(const CLI::Option *option, const std::string &flag,
                      std::map<const CLI::Option *, std::string> &given) {
  auto [first, isFirst] = given.emplace(option, flag);
  if (!isFirst && option->get_items_expected_max() == 1 &&
      option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw) {
    throw usage(first->second == flag
                    ? flag + " is given twice; give it once"
                    : first->second + " and " + flag +
                          " are the same option; give it once");
  }
}

/// The words with their aliases in place. Every flag is known: CLI11 would read
/// several letters after one dash as flags of one letter. What a flag takes
/// may look like one.
static std::vector<std::string> checkedWords(const CLI::App &whole,
                                             std::vector<std::string> words,
                                             const Aliases &aliases) {
  const CLI::App *app = &whole; // or the subcommand that was named
  std::map<const CLI::Option *, std::string> given;
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string &word = words[i];
    if (word.size() < 2 || word[0] != '-' || isDigit(word[1])) {
      auto named = app->get_subcommands(
          [&](const CLI::App *one) { return one->get_name() == word; });
      app = named.empty() ? app : named.front();
      continue; // no flag; numbers may be negative
    }
    auto alias = aliases.find(word);
    if (alias != aliases.end()) {
      word = alias->second;
    }
    std::string flag = word[1] == '-' ? word.substr(0, word.find('=')) : word;
    const CLI::Option *option = app->get_option_no_throw(flag);
    if (!option) {
      throw unknown(*app, flag);
    }
    checkOnce(option, flag, given);
    if (flag.size() == word.size()) {
      i += static_cast<size_t>(option->get_items_expected_min());
    }
  }
  return words;
}

/// What packages make of the options: not for users, so --help has it not.
static bool printsItself(const CLI::App &app, int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--print-manual") {
    writeOutput(manualPage(app));
    return true;
  }
  if (words.size() == 2 && words[0] == "--print-completion") {
    writeOutput(completionScript(app, words[1]));
    return true;
  }
  return false;
}

bool parse(CLI::App &app, int argc, char **argv, const Aliases &aliases) {
  if (printsItself(app, argc, argv)) {
    return false;
  }
  std::vector<std::string> words =
      checkedWords(app, {argv + 1, argv + argc}, aliases);
  std::reverse(words.begin(), words.end()); // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success &request) {
    std::ostringstream text;
    app.exit(request, text, text);
    writeOutput(text.str());
    return false;
  } catch (const CLI::ExtrasError &) {
    std::string rest;
    for (const std::string &word : app.remaining(/*recurse=*/true)) {
      rest += (rest.empty() ? "'" : " '") + word + "'";
    }
    throw usage("cannot tell what " + rest +
                " is for; a text with spaces needs quotes");
  } catch (const CLI::ArgumentMismatch &error) {
    std::string what = error.what(), name = what.substr(0, what.find(':'));
    bool tooMany = what.find("At Most") != std::string::npos;
    throw usage(tooMany ? name + " is given twice; give it once" : what);
  } catch (const CLI::ParseError &error) {
    throw usage(error.what());
  }
  return true;
}

} // namespace cheems
