// cheems-bench: how fast a compiled model is, and how fast it could be.
#include "Counts.h"
#include "RandomCompile.h"
#include "Suite.h"
#include "runtime/Generation/Program.h"
#include "runtime/Process/Output.h"

using namespace cheems;

int main(int argc, char **argv) {
  return runProgram(
      "cheems-bench", "a lower -c, -b or --prefill-chunk needs less", [&] {
        auto options = bench::parseOptions(argc, argv);
        if (options && options->compileOnly) {
          bench::compileOperations(*options);
        } else if (options && options->counts) {
          bench::prepareCounts();
          writeOutput(bench::countSteps(*options));
        } else if (options) {
          bench::Report report = bench::runSuite(*options);
          writeOutput(options->json ? report.json() : report.markdown());
        }
        return 0;
      });
}
