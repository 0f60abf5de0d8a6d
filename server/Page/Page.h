// The page at /, which is a part of the program.
#ifndef CHEEMS_SERVER_PAGE_PAGE_H
#define CHEEMS_SERVER_PAGE_PAGE_H

#include <string>
#include <string_view>

namespace cheems::serve::page {

/// page.html as it is.
std::string_view text();
/// Its Content-Security-Policy: it asks nobody but this server, and runs only
/// the scripts that stand in it, whose hashes are here.
std::string policy();

} // namespace cheems::serve::page

#endif
