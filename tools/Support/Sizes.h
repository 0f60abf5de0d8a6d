// Sizes in bytes on a command line.
#ifndef CHEEMS_TOOLS_SUPPORT_SIZES_H
#define CHEEMS_TOOLS_SUPPORT_SIZES_H

#include <cstdint>
#include <string>

namespace cheems {

/// Bytes: a whole number, and K, M, G or T for 1024 and its powers. Throws
/// usage(), which names the option, for anything else.
int64_t parseSize(const std::string &option, const std::string &text);

} // namespace cheems

#endif
