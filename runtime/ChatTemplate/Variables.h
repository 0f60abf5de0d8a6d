// A rendering's variables, from JSON.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_VARIABLES_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_VARIABLES_H

#include "runtime/ChatTemplate/Value.h"

namespace cheems::jinja {

/// The members of a JSON object, as Python's json.loads reads them. Throws
/// Error for anything else.
std::shared_ptr<const Dict> readVariables(std::string_view json);
/// The same of messages alone: an array of objects; or of an object with
/// "messages" among its members.
std::shared_ptr<const Dict> readMessages(std::string_view json);

} // namespace cheems::jinja

#endif
