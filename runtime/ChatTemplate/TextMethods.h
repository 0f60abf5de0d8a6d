// Methods of strings.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_TEXTMETHODS_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_TEXTMETHODS_H

#include "runtime/ChatTemplate/Calls.h"
#include "runtime/ChatTemplate/PythonText.h"

namespace cheems::jinja {

/// Returns the methods by name. Each takes the string first.
std::unordered_map<std::string_view,
                   Value (*)(Context &, const Value &, CallArguments &)>
textMethods();

/// str.strip and its kin; see `strip`.
TrackedText stripped(Context &context, const TrackedText &text, Side side,
                     std::optional<std::string_view> set);

/// str.replace; a negative `count` is no limit.
TrackedText replaced(Context &context, const TrackedText &text,
                     std::string_view from, const TrackedText &to,
                     int64_t count);

} // namespace cheems::jinja

#endif
