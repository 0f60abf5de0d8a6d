// The tools that a chat's model may call, and how much it may choose.
#ifndef CHEEMS_SERVER_API_TOOLS_H
#define CHEEMS_SERVER_API_TOOLS_H

#include "runtime/Grammar/Grammar.h"
#include "server/Api/ChatRenderer.h"
#include "server/Api/ChatStyle.h"
#include "server/Api/Fields.h"

#include <memory>
#include <set>
#include <string>

namespace cheems::serve {

struct ToolUse {
  Json tools; ///< null: none; what the template is given
  /// Calls of this form are looked for in the answer; null: none are.
  const CallForm *calls = nullptr;
  bool parallel = true;        ///< more than one call may come
  std::set<std::string> names; ///< of the tools that may be called
  /// The grammar of one call if the answer must be a call; else null.
  std::shared_ptr<const Grammar> grammar;
};

/// `tools`, `tool_choice` and `parallel_tool_calls`, for a model that calls
/// tools as `style` says. Throws ApiError, also where it cannot.
ToolUse readTools(Fields &fields, const ChatStyle &style,
                  const Tokenizer &tokenizer);

/// The tools of a request that is rendered and not answered: calls of any form
/// will do.
Json readRenderedTools(Fields &fields, const ChatStyle &style,
                       const Tokenizer &tokenizer);

} // namespace cheems::serve

#endif
