// The tree of a template.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_AST_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_AST_H

#include "runtime/ChatTemplate/Calls.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cheems::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Arguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> keywords;
  ExpressionPtr positionalRest; ///< after *; may be null
  ExpressionPtr keywordRest;    ///< after **; may be null
};

enum class BinaryOperator {
  add,
  subtract,
  multiply,
  divide,
  floorDivide,
  modulo,
  power
};
enum class Comparison {
  equal,
  unequal,
  less,
  lessEqual,
  greater,
  greaterEqual,
  in,
  notIn
};

struct Expression {
  enum Kind {
    constant,
    name,      ///< `text`
    tuple,     ///< operands
    list,      ///< operands
    dict,      ///< operands: key, value, key, …
    attribute, ///< operands[0].text
    item,      ///< operands[0][operands[1]]
    slice,  ///< operands[0][operands[1]:operands[2]:operands[3]], each of the
            ///< last three may be null
    call,   ///< operands[0](arguments)
    filter, ///< operands[0]|filter(arguments)
    test,   ///< operands[0] is test(arguments)
    negate, ///< -operands[0]
    plus,   ///< +operands[0]
    logicalNot,  ///< operands[0]
    logicalAnd,  ///< operands[0], operands[1]
    logicalOr,   ///< operands[0], operands[1]
    binary,      ///< operands[0] `binaryOperator` operands[1]
    compare,     ///< operands[0] comparisons[0] operands[1] comparisons[1]
                 ///< operands[2] …
    concat,      ///< all operands as text
    conditional, ///< operands[1] if operands[0] else operands[2], which may be
                 ///< null
  } kind;
  int line;
  int height =
      1; ///< levels of expressions from here down, bounded by the parser
  std::string text;
  Value value;
  std::vector<ExpressionPtr> operands;
  Arguments arguments;
  Filter filterFunction = nullptr; ///< null: fails once it is evaluated
  Test testFunction = nullptr;     ///< the same
  BinaryOperator binaryOperator = BinaryOperator::add;
  std::vector<Comparison> comparisons;
};

/// The name by which the filters of a set or filter block refer to what the
/// block printed; no template can spell it.
constexpr const char *printedBlock = "(block)";

struct Statement;
using Body = std::vector<Statement>;

/// What `set` and `for` assign to: one name, several, or a namespace's
/// attribute.
struct Target {
  std::vector<std::string> names;
  bool unpacks = false;
  std::string attribute; ///< if not empty, names[0].attribute
};

struct Branch {
  ExpressionPtr condition;
  Body body;
};

struct Parameter {
  std::string name;
  ExpressionPtr fallback; ///< may be null
};

struct Statement {
  enum Kind {
    text,      ///< `literal` as it is
    print,     ///< `expression`
    condition, ///< the first of `branches` that holds, or `otherwise`
    loop, ///< for `target` in `expression` if `filter`: `body`; `otherwise` if
          ///< there was no item
    set,  ///< `target` = `expression`
    setBlock,    ///< `target` = what `body` prints, or `expression` of it (see
                 ///< `printedBlock`) if there is one
    filterBlock, ///< `expression` of what `body` prints
    macro,       ///< `literal`(`parameters`): `body`
    callBlock,   ///< `expression`, a call whose `caller` is (`parameters`):
                 ///< `body`
    generation,  ///< `body`, as a macro without arguments
    breakLoop,
    continueLoop,
  };
  Statement(Kind kind, int line, std::string literal = {})
      : kind(kind), line(line), literal(std::move(literal)) {}

  Kind kind;
  int line;
  std::string literal;
  ExpressionPtr expression;
  ExpressionPtr filter;
  Target target;
  std::vector<Branch> branches;
  std::vector<Parameter> parameters;
  /// These are facts about a macro's body: whether it refers to the arguments
  /// that Jinja gathers where no parameter takes them.
  bool usesCaller = false, usesVarargs = false, usesKwargs = false;
  Body body;
  Body otherwise;
};

} // namespace cheems::jinja

#endif
