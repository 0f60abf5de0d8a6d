// Texts that `safe` marked: as markupsafe has it, another text that meets one
// is escaped for HTML, and the result is marked, too.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_MARKUP_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_MARKUP_H

#include "runtime/ChatTemplate/Context.h"

namespace cheems::jinja {

/// &, <, >, ' and " by their names.
TrackedText escaped(Context &context, const TrackedText &text);
/// str(value), escaped unless it is marked.
TrackedText escapedText(Context &context, const Value &value);
/// The same where `self`, whose method or operator takes `value`, is marked;
/// else just str(value).
TrackedText textFor(Context &context, const Value &self, const Value &value);

} // namespace cheems::jinja

#endif
