// What `loop` names inside a loop.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_LOOP_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_LOOP_H

#include "runtime/ChatTemplate/Calls.h"

namespace cheems::jinja {

class Loop : public Object, public std::enable_shared_from_this<Loop> {
public:
  /// Fails if the items nest too deep.
  explicit Loop(Values all);

  std::string typeName() const override { return "LoopContext"; }
  std::optional<Value> attribute(std::string_view name) const override;

  Values items;
  size_t index = 0;

private:
  Value callChanged(Context &context, CallArguments &arguments);

  /// What `loop.changed` was last given. The context takes it apart, as it may
  /// hold this loop.
  std::shared_ptr<Namespace> memory;
};

} // namespace cheems::jinja

#endif
