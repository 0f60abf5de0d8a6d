// Methods of strings.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_TEXTMETHODS_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_TEXTMETHODS_H

#include "runtime/ChatTemplate/Calls.h"

namespace cheems::jinja {

/// By name; each takes the string first.
std::unordered_map<std::string,
                   Value (*)(Context &, const Value &, CallArguments &)>
textMethods();

/// str.replace; a negative `count` is no limit. Charges for the result.
std::string replaced(Context &context, std::string_view text,
                     std::string_view from, std::string_view to, int64_t count);

} // namespace cheems::jinja

#endif
