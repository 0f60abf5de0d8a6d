// A rendering's variables, from JSON.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_VARIABLES_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_VARIABLES_H

#include "runtime/ChatTemplate/Value.h"

namespace cheems::jinja {

/// The members of a JSON object, as Python's json.loads reads them: all texts,
/// keys, numbers and the like are a stranger's. A message's role, if it is one
/// that everybody knows, is not: templates make control tokens of it, such as
/// `<|user|>`, and it says nothing that its sender may not say. Throws Error
/// for anything else.
std::shared_ptr<const Dict> readVariables(std::string_view json);
/// The same of messages alone: an array of objects; or of an object with
/// "messages" among its members.
std::shared_ptr<const Dict> readMessages(std::string_view json);
/// Whose the role of a message is.
Origin originOfRole(std::string_view role);

} // namespace cheems::jinja

#endif
