//===- Report.cpp ---------------------------------------------------------===//
#include "Report.h"

#include "Failure.h"
#include "Process.h"

#include <cstdio>

namespace cheems::emulator::driver {
void write(const Options &options, const std::string &text) {
  if (!options.reportFile.empty()) {
    if (std::FILE *file = std::fopen(options.reportFile.c_str(), "a")) {
      std::fputs(text.c_str(), file);
      std::fclose(file);
      return;
    }
  }
  std::fputs(text.c_str(), stderr);
}

void report(const Options &options, const Finding &finding) {
  write(options, "cheems-emulator: " + describe(finding) + "\n");
}

void reportWarnings(Device &device) {
  for (const Finding &warning : device.warnings) {
    ++process().warnings;
    noteOnce(describeWarning(warning));
  }
  device.warnings.clear();
}

void note(const std::string &line) {
  const auto &options = process().options;
  write(options ? *options : Options(), "cheems-emulator: " + line + "\n");
}

void noteOnce(const std::string &line) {
  if (process().noted.insert(line).second) {
    note(line);
  }
}

} // namespace cheems::emulator::driver
