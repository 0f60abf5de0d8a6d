// Characters that a shell makes hard to type.
#ifndef CHEEMS_TOOLS_SUPPORT_ESCAPES_H
#define CHEEMS_TOOLS_SUPPORT_ESCAPES_H

#include <string>

namespace cheems {

/// With \n, \r, \t, \\, \", \' and \xHH as what they stand for. A backslash
/// before anything else stays.
std::string unescape(const std::string &text);

} // namespace cheems

#endif
