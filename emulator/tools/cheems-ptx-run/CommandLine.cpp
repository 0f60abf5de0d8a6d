//===- CommandLine.cpp ----------------------------------------------------===//
#include "CommandLine.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace cheems::ptxrun {

Error usage(const std::string &what) {
  return Error(Status::usage, what + "; see --help");
}

namespace {

/// The whole of `text` as decimal digits; nothing if it is anything else.
template <typename Number>
std::optional<Number> parsed(const std::string &text) {
  Number value{};
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end && error == std::errc() ? std::optional<Number>(value)
                                             : std::nullopt;
}

} // namespace

template <typename Number>
void addNumber(CLI::App &app, const std::string &name, Number &target,
               int64_t least, int64_t most, const std::string &help) {
  auto check = [name, least, most](std::string &text) {
    std::optional<int64_t> value = parsed<int64_t>(text);
    if (!value || *value < least || *value > most) {
      throw usage(name + " must be a whole number between " +
                  std::to_string(least) + " and " + std::to_string(most) +
                  ", not '" + text + "'");
    }
    text = std::to_string(*value);
    return std::string();
  };
  app.add_option(name, target, help)->transform(CLI::Validator(check, ""));
}
template void addNumber(CLI::App &, const std::string &, int &, int64_t,
                        int64_t, const std::string &);
template void addNumber(CLI::App &, const std::string &, uint32_t &, int64_t,
                        int64_t, const std::string &);
template void addNumber(CLI::App &, const std::string &, uint64_t &, int64_t,
                        int64_t, const std::string &);

void addNumber(CLI::App &app, const std::string &name,
               std::optional<double> &target, const std::string &help) {
  auto check = [name](std::string &text) {
    std::optional<double> value = parsed<double>(text);
    if (!value || !std::isfinite(*value)) {
      throw usage(name + " must be a number, not '" + text + "'");
    }
    return std::string();
  };
  app.add_option(name, target, help)->transform(CLI::Validator(check, ""));
}

bool parse(CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    std::ostringstream text;
    app.exit(request, text, text);
    writeOutput(text.str());
    return false;
  } catch (const CLI::ParseError &error) {
    // Some of CLI11's messages have several lines.
    std::string what = error.what();
    for (char &c : what) {
      c = c == '\n' ? ' ' : c;
    }
    throw usage(what);
  }
  return true;
}

void writeOutput(const std::string &text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0) {
    throw Error("standard output cannot be written");
  }
}

void printMessage(const std::string &text) {
  std::fputs(("cheems-ptx-run: " + text + "\n").c_str(), stderr);
}

} // namespace cheems::ptxrun
