// Expressions, with Jinja's precedence.
#include "runtime/ChatTemplate/Parser.h"

#include <algorithm>

namespace cheems::jinja {

namespace {

/// Levels of one expression, a chain of operators included; what walking it by
/// recursion can take.
constexpr int maximumHeight = 250;

} // namespace

ExpressionPtr Parser::make(Expression::Kind kind, int line) const {
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->line = line;
  return made;
}

void Parser::grow(Expression &parent, const Expression &child) const {
  parent.height = std::max(parent.height, child.height + 1);
  if (parent.height > maximumHeight) {
    unsupportedAt(parent.line, "an expression of more than " +
                                   std::to_string(maximumHeight) + " levels");
  }
}

void Parser::add(Expression &parent, ExpressionPtr operand) const {
  if (operand) {
    grow(parent, *operand);
  }
  parent.operands.push_back(std::move(operand));
}

void Parser::growByArguments(Expression &parent) const {
  for (const auto &each : parent.arguments.positional) {
    grow(parent, *each);
  }
  for (const auto &each : parent.arguments.keywords) {
    grow(parent, *each.second);
  }
  for (const auto *rest :
       {&parent.arguments.positionalRest, &parent.arguments.keywordRest}) {
    if (*rest) {
      grow(parent, **rest);
    }
  }
}

ExpressionPtr Parser::makeBinary(Expression::Kind kind, int line,
                                 ExpressionPtr left,
                                 ExpressionPtr right) const {
  auto made = make(kind, line);
  add(*made, std::move(left));
  add(*made, std::move(right));
  return made;
}

// One expression, or several with commas. Only in parentheses may there be
// none.
ExpressionPtr Parser::parseTuple(bool allowConditional, bool parenthesised) {
  int line = current().line;
  auto tuple = make(Expression::tuple, line);
  auto atEnd = [&] {
    return current().kind == Token::printEnd ||
           current().kind == Token::blockEnd || current().isSymbol(")");
  };
  bool comma = false;
  while (!atEnd()) {
    add(*tuple, allowConditional ? parseExpression() : parseOr());
    if (!skipSymbol(",")) {
      break;
    }
    comma = true;
  }
  if (comma || (parenthesised && tuple->operands.empty())) {
    return tuple;
  }
  if (tuple->operands.empty()) {
    unexpected("an expression");
  }
  return std::move(tuple->operands[0]);
}

ExpressionPtr Parser::parseExpression() {
  Nesting level(*this);
  int line = current().line;
  size_t unknownBefore = unknown.size();
  auto result = parseOr();
  while (skipName("if")) {
    bool wasInIf = std::exchange(inIf, true);
    auto conditional = make(Expression::conditional, line);
    add(*conditional, parseOr());
    add(*conditional, std::move(result));
    add(*conditional, skipName("else") ? parseExpression() : nullptr);
    result = std::move(conditional);
    inIf = wasInIf;
    unknown.resize(unknownBefore); // `result` was inside of this one, too
  }
  return result;
}

ExpressionPtr Parser::parseOr() {
  auto left = parseAnd();
  for (int line = current().line; skipName("or"); line = current().line) {
    left = makeBinary(Expression::logicalOr, line, std::move(left), parseAnd());
  }
  return left;
}

ExpressionPtr Parser::parseAnd() {
  auto left = parseNot();
  for (int line = current().line; skipName("and"); line = current().line) {
    left =
        makeBinary(Expression::logicalAnd, line, std::move(left), parseNot());
  }
  return left;
}

ExpressionPtr Parser::parseNot() {
  int line = current().line;
  if (!skipName("not")) {
    return parseCompare();
  }
  Nesting level(*this);
  auto made = make(Expression::logicalNot, line);
  add(*made, parseNot());
  return made;
}

bool Parser::takeComparison(Comparison &comparison) {
  static const std::pair<const char *, Comparison> symbols[] = {
      {"==", Comparison::equal},  {"!=", Comparison::unequal},
      {"<", Comparison::less},    {"<=", Comparison::lessEqual},
      {">", Comparison::greater}, {">=", Comparison::greaterEqual}};
  for (const auto &[spelling, kind] : symbols) {
    if (skipSymbol(spelling)) {
      comparison = kind;
      return true;
    }
  }
  if (skipName("in")) {
    comparison = Comparison::in;
    return true;
  }
  if (current().isName("not") && following().isName("in")) {
    advance();
    advance();
    comparison = Comparison::notIn;
    return true;
  }
  return false;
}

ExpressionPtr Parser::parseCompare() {
  auto left = parseSum();
  Comparison comparison;
  int line = current().line;
  if (!takeComparison(comparison)) {
    return left;
  }
  auto made = make(Expression::compare, line);
  add(*made, std::move(left));
  do {
    made->comparisons.push_back(comparison);
    add(*made, parseSum());
  } while (takeComparison(comparison));
  return made;
}

ExpressionPtr Parser::parseSum() {
  auto left = parseConcat();
  while (current().isSymbol("+") || current().isSymbol("-")) {
    int line = current().line;
    auto kind = current().isSymbol("+") ? BinaryOperator::add
                                        : BinaryOperator::subtract;
    advance();
    left = makeBinary(Expression::binary, line, std::move(left), parseConcat());
    left->binaryOperator = kind;
  }
  return left;
}

ExpressionPtr Parser::parseConcat() {
  auto left = parseMatmul();
  if (!current().isSymbol("~")) {
    return left;
  }
  auto made = make(Expression::concat, current().line);
  add(*made, std::move(left));
  while (skipSymbol("~")) {
    add(*made, parseMatmul());
  }
  return made;
}

ExpressionPtr Parser::parseMatmul() {
  static const std::pair<const char *, BinaryOperator> symbols[] = {
      {"*", BinaryOperator::multiply},
      {"/", BinaryOperator::divide},
      {"//", BinaryOperator::floorDivide},
      {"%", BinaryOperator::modulo}};
  auto left = parsePower();
  for (bool found = true; found;) {
    found = false;
    for (const auto &[spelling, kind] : symbols) {
      int line = current().line;
      if (skipSymbol(spelling)) {
        left =
            makeBinary(Expression::binary, line, std::move(left), parsePower());
        left->binaryOperator = kind;
        found = true;
        break;
      }
    }
  }
  return left;
}

// To the left, as Jinja has it and Python does not.
ExpressionPtr Parser::parsePower() {
  auto left = parseUnary(true);
  for (int line = current().line; skipSymbol("**"); line = current().line) {
    left =
        makeBinary(Expression::binary, line, std::move(left), parseUnary(true));
    left->binaryOperator = BinaryOperator::power;
  }
  return left;
}

ExpressionPtr Parser::parseUnary(bool withFilters) {
  Nesting level(*this);
  int line = current().line;
  ExpressionPtr result;
  if (current().isSymbol("-") || current().isSymbol("+")) {
    result = make(
        current().isSymbol("-") ? Expression::negate : Expression::plus, line);
    advance();
    add(*result, parseUnary(false));
  } else {
    result = parsePrimary();
  }
  result = parsePostfix(std::move(result));
  return withFilters ? parseFilters(std::move(result)) : std::move(result);
}

ExpressionPtr Parser::parsePrimary() {
  const Token &token = current();
  auto constant = make(Expression::constant, token.line);
  switch (token.kind) {
  case Token::name:
    if (token.text == "true" || token.text == "True" || token.text == "false" ||
        token.text == "False") {
      constant->value = Value((token.text[0] | 0x20) == 't');
    } else if (token.text != "none" && token.text != "None") {
      constant->kind = Expression::name;
      constant->text = token.text;
      noteLoad(token.text);
    }
    advance();
    return constant;
  case Token::string: {
    std::string text;
    for (; current().kind == Token::string; advance()) {
      text += current().text;
    }
    constant->value = Value::literal(text);
    return constant;
  }
  case Token::integer:
    constant->value = Value::integer(token.integerValue.value());
    advance();
    return constant;
  case Token::floating:
    constant->value = Value(token.floatValue);
    advance();
    return constant;
  default:
    break;
  }
  if (skipSymbol("(")) {
    auto inner = parseTuple(true, true);
    expectSymbol(")");
    return inner;
  }
  if (token.isSymbol("[")) {
    return parseList();
  }
  if (token.isSymbol("{")) {
    return parseDict();
  }
  unexpected("an expression");
}

ExpressionPtr Parser::parseList() {
  auto made = make(Expression::list, current().line);
  expectSymbol("[");
  while (!current().isSymbol("]")) {
    if (!made->operands.empty()) {
      expectSymbol(",");
    }
    if (!current().isSymbol("]")) {
      add(*made, parseExpression());
    }
  }
  expectSymbol("]");
  return made;
}

ExpressionPtr Parser::parseDict() {
  auto made = make(Expression::dict, current().line);
  expectSymbol("{");
  while (!current().isSymbol("}")) {
    if (!made->operands.empty()) {
      expectSymbol(",");
    }
    if (!current().isSymbol("}")) {
      add(*made, parseExpression());
      expectSymbol(":");
      add(*made, parseExpression());
    }
  }
  expectSymbol("}");
  return made;
}

ExpressionPtr Parser::parsePostfix(ExpressionPtr operand) {
  for (;;) {
    if (current().isSymbol(".") || current().isSymbol("[")) {
      operand = parseSubscript(std::move(operand));
    } else if (current().isSymbol("(")) {
      operand = parseCall(std::move(operand));
    } else {
      return operand;
    }
  }
}

ExpressionPtr Parser::parseFilters(ExpressionPtr operand) {
  for (;;) {
    if (skipSymbol("|")) {
      operand = parseFilter(std::move(operand));
    } else if (current().isName("is")) {
      operand = parseTest(std::move(operand));
    } else if (current().isSymbol("(")) {
      operand = parseCall(std::move(operand));
    } else {
      return operand;
    }
  }
}

// Bracketed subscripts of the kind x[1, 2] exist in Jinja; no value here takes
// them.
ExpressionPtr Parser::parseSubscript(ExpressionPtr operand) {
  int line = current().line;
  auto made = make(Expression::item, line);
  add(*made, std::move(operand));
  if (skipSymbol(".")) {
    if (current().kind == Token::integer) {
      auto index = make(Expression::constant, line);
      index->value = Value::integer(current().integerValue.value());
      advance();
      add(*made, std::move(index));
      return made;
    }
    made->kind = Expression::attribute;
    made->text = expectName("an attribute's name");
    return made;
  }
  expectSymbol("[");
  ExpressionPtr parts[3];
  size_t colons = 0;
  while (!current().isSymbol("]") && colons < 3) {
    if (skipSymbol(":")) {
      ++colons;
    } else if (parts[colons]) {
      unexpected("']'");
    } else {
      parts[colons] = parseExpression();
    }
  }
  expectSymbol("]");
  if (colons == 3 || (colons == 0 && !parts[0])) {
    failAt(line, "malformed subscript");
  }
  if (colons > 0) {
    made->kind = Expression::slice;
  }
  for (size_t i = 0; i < (colons > 0 ? 3 : 1); ++i) {
    add(*made, std::move(parts[i]));
  }
  return made;
}

ExpressionPtr Parser::parseCall(ExpressionPtr callee) {
  auto made = make(Expression::call, current().line);
  add(*made, std::move(callee));
  made->arguments = parseArguments();
  growByArguments(*made);
  return made;
}

Arguments Parser::parseArguments() {
  Arguments arguments;
  expectSymbol("(");
  bool first = true;
  while (!current().isSymbol(")")) {
    if (!first) {
      expectSymbol(",");
      if (current().isSymbol(")")) {
        break;
      }
    }
    first = false;
    parseArgument(arguments);
  }
  expectSymbol(")");
  return arguments;
}

void Parser::parseArgument(Arguments &arguments) {
  int line = current().line;
  auto require = [&](bool isAllowed) {
    if (!isAllowed) {
      failAt(line, "arguments of a call are in the wrong order");
    }
  };
  if (skipSymbol("*")) {
    require(!arguments.positionalRest && !arguments.keywordRest);
    arguments.positionalRest = parseExpression();
  } else if (skipSymbol("**")) {
    require(!arguments.keywordRest);
    arguments.keywordRest = parseExpression();
  } else if (current().kind == Token::name && following().isSymbol("=")) {
    require(!arguments.keywordRest);
    std::string name = current().text;
    for (const auto &each : arguments.keywords) {
      if (each.first == name) {
        failAt(line, "argument '" + name + "' is given twice");
      }
    }
    advance();
    advance();
    arguments.keywords.emplace_back(std::move(name), parseExpression());
  } else {
    require(arguments.keywords.empty() && !arguments.positionalRest &&
            !arguments.keywordRest);
    arguments.positional.push_back(parseExpression());
  }
}

std::string Parser::expectDottedName(const char *what) {
  std::string name = expectName(what);
  while (skipSymbol(".")) {
    name += "." + expectName(what);
  }
  return name;
}

// Applied to what the block prints.
ExpressionPtr Parser::parseBlockFilters(int line, bool withPipe) {
  bool wasInIf = std::exchange(inIf, false);
  auto filtered = make(Expression::name, line);
  filtered->text = printedBlock;
  if (withPipe) {
    expectSymbol("|");
  }
  filtered = parseFilter(std::move(filtered));
  while (skipSymbol("|")) {
    filtered = parseFilter(std::move(filtered));
  }
  inIf = wasInIf;
  return filtered;
}

// After the `|`.
ExpressionPtr Parser::parseFilter(ExpressionPtr operand) {
  auto made = make(Expression::filter, current().line);
  made->text = expectDottedName("a filter's name");
  made->filterFunction = findFilter(made->text);
  if (!isJinjaFilter(made->text)) {
    noteUnknown(made->line, "filter", made->text);
  }
  add(*made, std::move(operand));
  if (current().isSymbol("(")) {
    made->arguments = parseArguments();
    growByArguments(*made);
  }
  return made;
}

ExpressionPtr Parser::parseTest(ExpressionPtr operand) {
  int line = current().line;
  advance();
  bool negated = skipName("not");
  auto made = make(Expression::test, line);
  made->text = expectDottedName("a test's name");
  made->testFunction = findTest(made->text);
  if (!isJinjaTest(made->text)) {
    noteUnknown(line, "test", made->text);
  }
  add(*made, std::move(operand));
  const Token &token = current();
  bool startsArgument = (token.kind == Token::name && !token.isName("else") &&
                         !token.isName("or") && !token.isName("and")) ||
                        token.kind == Token::string ||
                        token.kind == Token::integer ||
                        token.kind == Token::floating || token.isSymbol("[") ||
                        token.isSymbol("{");
  if (token.isSymbol("(")) {
    made->arguments = parseArguments();
  } else if (startsArgument) {
    if (token.isName("is")) {
      failAt(line, "tests cannot be chained with 'is'");
    }
    made->arguments.positional.push_back(parsePostfix(parsePrimary()));
  }
  growByArguments(*made);
  if (!negated) {
    return made;
  }
  auto inverted = make(Expression::logicalNot, line);
  add(*inverted, std::move(made));
  return inverted;
}

} // namespace cheems::jinja
