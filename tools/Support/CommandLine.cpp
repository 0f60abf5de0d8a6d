#include "CommandLine.h"
#include "cheems/abi.h"
#include "cheems/artifact.h"
#include <algorithm>

namespace cheems {

Error usage(const std::string &what) {
  return Error(Status::usage, what + "; see --help");
}

void checkNumber(const char *name, const std::optional<int64_t> &value,
                 int64_t least, int64_t most) {
  if (value && (*value < least || *value > most)) {
    throw usage(std::string(name) + " must be between " +
                std::to_string(least) + " and " + std::to_string(most) +
                ", not " + std::to_string(*value));
  }
}

void prepare(CLI::App &app, int width) {
  app.set_version_flag(
      "--version", app.get_name() + " " CHEEMS_VERSION " (artefact format " +
                       std::to_string(CHEEMS_ARTIFACT_VERSION) +
                       ", interface " + std::to_string(CHEEMS_ABI_VERSION) +
                       ")");
  app.get_formatter()->column_width(width);
}

bool parse(CLI::App &app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end()); // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success &request) {
    app.exit(request);
    return false;
  } catch (const CLI::ParseError &error) {
    throw usage(error.what());
  }
  return true;
}

bool parse(CLI::App &app, int argc, char **argv) {
  return parse(app, std::vector<std::string>(argv + 1, argv + argc));
}

} // namespace cheems
