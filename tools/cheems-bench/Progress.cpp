#include "Progress.h"
#include "runtime/Process/Output.h"

namespace cheems::bench {

void say(const std::string &text) { printMessage("cheems-bench: " + text); }

} // namespace cheems::bench
