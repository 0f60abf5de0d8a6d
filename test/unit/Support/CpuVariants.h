// Which variants this CPU has by what Linux says of it, so that a test can tell
// a variant that is rightly skipped from one that was lost.
#ifndef CHEEMS_TEST_UNIT_SUPPORT_CPUVARIANTS_H
#define CHEEMS_TEST_UNIT_SUPPORT_CPUVARIANTS_H

#include <string>
#include <vector>

namespace cheems::test {

/// The first flag of /proc/cpuinfo that the CPU lacks and `variant` needs;
/// empty: it runs here. Throws std::invalid_argument for unknown names.
std::string lackingFlag(const std::string &variant);

/// The variants that each add to the one before, plainest first.
const std::vector<std::string> &variantNames();

} // namespace cheems::test

#endif
