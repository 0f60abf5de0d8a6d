// Numbers in words.
#ifndef CHEEMS_TOOLS_SUPPORT_FORMAT_H
#define CHEEMS_TOOLS_SUPPORT_FORMAT_H

#include <string>

namespace cheems {

/// Formats as printf does, to any length.
std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));

} // namespace cheems

#endif
