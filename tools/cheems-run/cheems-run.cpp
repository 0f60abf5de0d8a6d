// cheems-run: text, chat, logits and more from a compiled model.
#include "Modes.h"
#include "Options.h"
#include "runtime/Generation/Program.h"

using namespace cheems;

int main(int argc, char **argv) {
  return runProgram("cheems-run", "a lower -c or --prefill-chunk needs less",
                    [&] {
                      auto options = run::parseOptions(argc, argv);
                      return options ? run::runMode(*options) : 0;
                    });
}
