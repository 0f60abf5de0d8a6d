#include "Numbers.h"
#include "CommandLine.h"
#include <charconv>
#include <cmath>

namespace cheems {

/// The whole of `text` as decimal digits; nothing if it is anything else.
template <typename Number>
static std::optional<Number> parsed(const std::string &text) {
  Number value{};
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop == end && error == std::errc() ? std::optional<Number>(value)
                                             : std::nullopt;
}

static std::string firstOf(const std::string &names) {
  return names.substr(0, names.find(','));
}

CLI::Validator wholeNumber(const std::string &names, int64_t least,
                           int64_t most) {
  auto check = [name = firstOf(names), least, most](std::string &text) {
    std::optional<int64_t> value = parsed<int64_t>(text);
    if (!value || *value < least || *value > most) {
      throw usage(name + " must be a whole number between " +
                  std::to_string(least) + " and " + std::to_string(most) +
                  ", not '" + text + "'");
    }
    text = std::to_string(*value); // CLI11 takes a zero in front for octal
    return std::string();
  };
  return CLI::Validator(check, "");
}

CLI::Validator number(const std::string &names) {
  auto check = [name = firstOf(names)](std::string &text) {
    std::optional<double> value = parsed<double>(text);
    if (!value || !std::isfinite(*value)) {
      throw usage(name + " must be a number, not '" + text + "'");
    }
    return std::string();
  };
  return CLI::Validator(check, "");
}

CLI::Option *addNumber(CLI::App &app, const std::string &names,
                       std::optional<double> &target, const std::string &help) {
  return app.add_option(names, target, help)->transform(number(names));
}

} // namespace cheems
