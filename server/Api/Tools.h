// The tools that a chat's model may call, and how much it may choose.
#ifndef CHEEMS_SERVER_API_TOOLS_H
#define CHEEMS_SERVER_API_TOOLS_H

#include "runtime/Grammar/Grammar.h"
#include "server/Api/ChatRenderer.h"
#include "server/Api/Fields.h"

#include <memory>
#include <optional>
#include <string>

namespace cheems::serve {

struct ToolUse {
  Json tools;           ///< null: none; what the template is given
  bool parses = false;  ///< calls are looked for in the answer
  bool parallel = true; ///< more than one call may come
  /// The grammar of one call if the answer must be a call; else null.
  std::shared_ptr<const Grammar> grammar;
};

/// `tools`, `tool_choice` and `parallel_tool_calls`. Throws ApiError.
ToolUse readTools(Fields &fields);

} // namespace cheems::serve

#endif
