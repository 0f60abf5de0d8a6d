// cheems-serve: a compiled model behind OpenAI's interface.
#include "Options.h"
#include "Server.h"
#include "runtime/Generation/Program.h"

using namespace cheems;

int main(int argc, char **argv) {
  return runProgram("cheems-serve",
                    "a lower --parallel, -c or --cache-ram needs less", [&] {
                      auto options = serve::parseOptions(argc, argv);
                      return options ? serve::serve(*options) : 0;
                    });
}
