// Text that no terminal takes for commands.
#ifndef CHEEMS_RUNTIME_PROCESS_PLAINTEXT_H
#define CHEEMS_RUNTIME_PROCESS_PLAINTEXT_H

#include <string>
#include <string_view>

namespace cheems {

/// `text` with `replacement` for each control character that is not in `kept`:
/// U+0000 to U+001F, U+007F, U+0080 to U+009F, and those last as bytes by
/// themselves, which old terminals obey. Characters must not be cut.
std::string withoutControls(std::string_view text, std::string_view kept,
                            std::string_view replacement);

} // namespace cheems

#endif
