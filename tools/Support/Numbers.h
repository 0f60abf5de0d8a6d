// Numbers on a command line: decimal, in range, else refused as they were
// written.
#ifndef CHEEMS_TOOLS_SUPPORT_NUMBERS_H
#define CHEEMS_TOOLS_SUPPORT_NUMBERS_H

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

/// For transform(): throws usage() unless the text given to the first of
/// `names`, "-n,--n-predict" say, is a whole number of [least, most].
CLI::Validator wholeNumber(const std::string &names, int64_t least,
                           int64_t most);
/// The same for any number that a double holds.
CLI::Validator number(const std::string &names);

/// An option that takes a whole number of [least, most]; a list of them where
/// `target` is a vector.
template <typename Target>
CLI::Option *addNumber(CLI::App &app, const std::string &names, Target &target,
                       int64_t least, int64_t most, const std::string &help) {
  return app.add_option(names, target, help)
      ->transform(wholeNumber(names, least, most));
}
/// An option that takes any number.
CLI::Option *addNumber(CLI::App &app, const std::string &names,
                       std::optional<double> &target, const std::string &help);

} // namespace cheems

#endif
