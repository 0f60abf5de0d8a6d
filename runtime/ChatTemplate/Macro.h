// Macros, and the bodies of call blocks.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_MACRO_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_MACRO_H

#include "runtime/ChatTemplate/Evaluator.h"

namespace cheems::jinja {

/// A macro as a value. Valid while its evaluator and the tree live.
class Macro : public Object {
public:
  Macro(Evaluator &evaluator, const Statement &statement, ScopePtr scope)
      : evaluator(evaluator), statement(statement), scope(std::move(scope)) {}

  std::string typeName() const override { return "Macro"; }
  std::optional<Value> attribute(std::string_view name) const override;
  std::optional<std::string> repr() const override;
  bool isCallable() const override { return true; }
  Value call(Context &context, CallArguments &arguments) override;

  /// What it prints.
  TrackedText run(const CallArguments &arguments);

private:
  bool hasParameter(const char *name) const;
  bool catches(const char *name, bool isUsed) const {
    return isUsed && !hasParameter(name);
  }
  /// Binds the arguments in `inner`, those that Jinja gathers by itself
  /// included.
  void bind(const CallArguments &arguments, Scope &inner) const;

  Evaluator &evaluator;
  const Statement &statement;
  ScopePtr scope;
};

} // namespace cheems::jinja

#endif
