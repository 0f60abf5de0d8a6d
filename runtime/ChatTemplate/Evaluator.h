// Walks a template's tree.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_EVALUATOR_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_EVALUATOR_H

#include "runtime/ChatTemplate/Ast.h"

namespace cheems::jinja {

using ScopePtr = std::shared_ptr<Scope>;

class Macro;

class Evaluator {
public:
  explicit Evaluator(Context &context) : context(context) {}

  /// What `body` prints, with `globals` as the variables.
  TrackedText render(const Body &body, const ScopePtr &globals);

private:
  friend class Macro;
  enum class Flow { next, breakLoop, continueLoop };

  Flow execute(const Body &body, const ScopePtr &scope, TrackedText &out);
  Flow execute(const Statement &statement, const ScopePtr &scope,
               TrackedText &out);
  Flow executeIf(const Statement &statement, const ScopePtr &scope,
                 TrackedText &out);
  Flow executeLoop(const Statement &statement, const ScopePtr &scope,
                   TrackedText &out);
  Flow capture(const Statement &statement, const ScopePtr &scope, Value &value);
  Flow executeSetBlock(const Statement &statement, const ScopePtr &scope);
  Flow executeFilterBlock(const Statement &statement, const ScopePtr &scope,
                          TrackedText &out);
  Value callBlock(const Statement &statement, const ScopePtr &scope);
  std::shared_ptr<Macro> makeMacro(const Statement &statement,
                                   const ScopePtr &scope);
  void print(const TrackedText &text, TrackedText &out);
  void assign(const Target &target, const Value &value, const ScopePtr &scope);

  Value evaluate(const Expression &expression, const ScopePtr &scope);
  Value evaluateOperand(const Expression &expression, size_t index,
                        const ScopePtr &scope);
  Value lookUp(std::string_view name, const ScopePtr &scope);
  Value evaluateDict(const Expression &expression, const ScopePtr &scope);
  Value evaluateCompare(const Expression &expression, const ScopePtr &scope);
  Value evaluateConcat(const Expression &expression, const ScopePtr &scope);
  Value evaluateConditional(const Expression &expression,
                            const ScopePtr &scope);
  /// `caller`, if not null, is one more argument.
  Value evaluateCall(const Expression &expression, const ScopePtr &scope,
                     const Value *caller = nullptr);
  Value applyFilter(const Expression &expression, const ScopePtr &scope);
  Values evaluateAll(const std::vector<ExpressionPtr> &expressions,
                     const ScopePtr &scope);
  void addKeywords(CallArguments &arguments, const Value &mapping);
  CallArguments evaluateArguments(const Arguments &arguments,
                                  const ScopePtr &scope);

  Context &context;
};

} // namespace cheems::jinja

#endif
