// cheems-bench: how fast a compiled model is, and how fast it could be.
#include "Suite.h"
#include "runtime/Generation/Program.h"
#include "runtime/Process/Output.h"

using namespace cheems;

int main(int argc, char **argv) {
  return runProgram(
      "cheems-bench", "a lower -c, -b or --prefill-chunk needs less", [&] {
        if (auto options = bench::parseOptions(argc, argv)) {
          bench::Report report = bench::runSuite(*options);
          writeOutput(options->json ? report.json() : report.markdown());
        }
        return 0;
      });
}
