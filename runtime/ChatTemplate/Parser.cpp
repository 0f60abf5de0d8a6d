// Statements.
#include "runtime/ChatTemplate/Parser.h"

#include <algorithm>

namespace cheems::jinja {

namespace {

/// Statements and parentheses inside each other.
constexpr int maximumParserNesting = 200;

std::string described(const Token &token) {
  switch (token.kind) {
  case Token::data:
    return "text";
  case Token::printBegin:
    return "'{{'";
  case Token::printEnd:
    return "'}}'";
  case Token::blockBegin:
    return "'{%'";
  case Token::blockEnd:
    return "'%}'";
  case Token::string:
    return "a string";
  case Token::end:
    return "the end of the template";
  default:
    return "'" + token.text + "'";
  }
}

} // namespace

Body parse(std::string_view source) {
  return Parser(tokenize(source)).parseTemplate();
}

Parser::Nesting::Nesting(Parser &parser) : parser(parser) {
  if (++parser.nesting > maximumParserNesting) {
    --parser.nesting; // no destructor will
    unsupportedAt(parser.current().line,
                  "nesting deeper than " +
                      std::to_string(maximumParserNesting) + " levels");
  }
}

void Parser::unexpected(const std::string &wanted) const {
  failAt(current().line,
         "expected " + wanted + ", found " + described(current()));
}

bool Parser::skipSymbol(std::string_view spelling) {
  bool found = current().isSymbol(spelling);
  position += found;
  return found;
}

bool Parser::skipName(std::string_view word) {
  bool found = current().isName(word);
  position += found;
  return found;
}

void Parser::expectSymbol(std::string_view spelling) {
  if (!skipSymbol(spelling)) {
    unexpected("'" + std::string(spelling) + "'");
  }
}

std::string Parser::expectName(const char *what) {
  if (current().kind != Token::name) {
    unexpected(what);
  }
  std::string name = current().text;
  advance();
  return name;
}

void Parser::expect(Token::Kind kind) {
  if (current().kind != kind) {
    unexpected(described({kind, "", 0}));
  }
  advance();
}

Body Parser::parseTemplate() {
  Body body = parseBody({});
  if (current().kind != Token::end) {
    failAt(current().line, "'" + current().text + "' has nothing to end here");
  }
  if (!unknown.empty()) {
    failAt(unknown.front().line, unknown.front().message);
  }
  return body;
}

bool Parser::atEndOf(std::initializer_list<const char *> ends) const {
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char *each) { return current().isName(each); });
}

// A body that Jinja gives a frame of its own.
Body Parser::parseInner(std::initializer_list<const char *> ends) {
  bool wasInIf = std::exchange(inIf, false);
  Body body = parseBody(ends);
  inIf = wasInIf;
  return body;
}

// Up to one of the statements in `ends`, whose name is then the current token.
Body Parser::parseBody(std::initializer_list<const char *> ends) {
  Nesting level(*this);
  Body body;
  for (;;) {
    const Token &token = current();
    if (token.kind == Token::data) {
      body.emplace_back(Statement::text, token.line, token.text);
      advance();
    } else if (token.kind == Token::printBegin) {
      advance();
      Statement print(Statement::print, token.line);
      print.expression = parseTuple(true, false);
      body.push_back(std::move(print));
      expect(Token::printEnd);
    } else if (token.kind == Token::blockBegin) {
      advance();
      if (atEndOf(ends)) {
        return body;
      }
      body.push_back(parseStatement());
      expect(Token::blockEnd);
    } else if (ends.size() == 0) {
      return body;
    } else {
      unexpected(std::string("'{% ") + (ends.end() - 1)[0] + " %}'");
    }
  }
}

Statement Parser::parseStatement() {
  int line = current().line;
  std::string name = expectName("a statement");
  if (name == "if") {
    return parseIf(line);
  }
  if (name == "for") {
    return parseFor(line);
  }
  if (name == "set") {
    return parseSet(line);
  }
  if (name == "macro") {
    return parseMacro(line);
  }
  if (name == "call") {
    return parseCallBlock(line);
  }
  if (name == "filter") {
    return parseFilterBlock(line);
  }
  if (name == "generation") {
    return parseGeneration(line);
  }
  if (name == "break") {
    return parseLoopControl(line, Statement::breakLoop);
  }
  if (name == "continue") {
    return parseLoopControl(line, Statement::continueLoop);
  }
  if (name.compare(0, 3, "end") == 0 || name == "else" || name == "elif") {
    failAt(line, "'" + name + "' has nothing to end here");
  }
  unsupportedAt(line, "statement '" + name + "'");
}

Statement Parser::parseIf(int line) {
  Statement statement(Statement::condition, line);
  bool wasInIf = std::exchange(inIf, true);
  do {
    Branch branch;
    branch.condition = parseTuple(false, false);
    expect(Token::blockEnd);
    branch.body = parseBody({"elif", "else", "endif"});
    statement.branches.push_back(std::move(branch));
  } while (skipName("elif"));
  if (skipName("else")) {
    expect(Token::blockEnd);
    statement.otherwise = parseBody({"endif"});
  }
  inIf = wasInIf;
  advance();
  return statement;
}

Statement Parser::parseFor(int line) {
  Statement statement(Statement::loop, line);
  statement.target = parseTarget(false);
  if (!skipName("in")) {
    unexpected("'in'");
  }
  statement.expression = parseTuple(false, false);
  if (skipName("if")) {
    bool wasInIf = std::exchange(inIf, false);
    statement.filter = parseExpression();
    inIf = wasInIf;
  }
  if (current().isName("recursive")) {
    unsupportedAt(line, "a recursive loop");
  }
  expect(Token::blockEnd);
  ++loops;
  statement.body = parseInner({"else", "endfor"});
  --loops;
  if (skipName("else")) {
    expect(Token::blockEnd);
    statement.otherwise = parseInner({"endfor"});
  }
  advance();
  return statement;
}

Statement Parser::parseSet(int line) {
  Statement statement(Statement::set, line);
  statement.target = parseTarget(true);
  if (skipSymbol("=")) {
    statement.expression = parseTuple(true, false);
    return statement;
  }
  statement.kind = Statement::setBlock;
  if (current().isSymbol("|")) {
    statement.expression = parseBlockFilters(line, /*withPipe=*/true);
  }
  expect(Token::blockEnd);
  statement.body = parseInner({"endset"});
  advance();
  return statement;
}

Statement Parser::parseMacro(int line) {
  Statement statement(Statement::macro, line);
  statement.literal = expectName("the macro's name");
  parseSignature(statement);
  parseMacroBody(statement, "endmacro");
  return statement;
}

void Parser::parseSignature(Statement &statement) {
  bool wasInIf = std::exchange(inIf, false);
  expectSymbol("(");
  while (!current().isSymbol(")")) {
    if (!statement.parameters.empty()) {
      expectSymbol(",");
    }
    int line = current().line;
    Parameter parameter{expectName("a parameter's name"), nullptr};
    noteStore(parameter.name);
    for (const Parameter &each : statement.parameters) {
      if (each.name == parameter.name) {
        failAt(line, "parameter '" + parameter.name + "' is declared twice");
      }
    }
    if (skipSymbol("=")) {
      parameter.fallback = parseExpression();
    } else if (!statement.parameters.empty() &&
               statement.parameters.back().fallback) {
      failAt(line, "parameter '" + parameter.name +
                       "' needs a default, because the one before it has one");
    }
    statement.parameters.push_back(std::move(parameter));
  }
  expectSymbol(")");
  inIf = wasInIf;
}

void Parser::parseMacroBody(Statement &statement, const char *end) {
  expect(Token::blockEnd);
  int outerLoops = std::exchange(loops, 0);
  macros.emplace_back();
  statement.body = parseInner({end});
  const auto &isUsed = macros.back().isUsed;
  statement.usesCaller = isUsed[0];
  statement.usesVarargs = isUsed[1];
  statement.usesKwargs = isUsed[2];
  macros.pop_back();
  loops = outerLoops;
  for (const Parameter &each : statement.parameters) {
    if (each.name == "caller" && statement.usesCaller && !each.fallback) {
      failAt(statement.line, "parameter 'caller' needs a default");
    }
  }
  advance();
}

Statement Parser::parseCallBlock(int line) {
  Statement statement(Statement::callBlock, line);
  if (current().isSymbol("(")) {
    parseSignature(statement);
  }
  statement.expression = parseExpression();
  if (statement.expression->kind != Expression::call) {
    failAt(line, "a call block needs a call");
  }
  parseMacroBody(statement, "endcall");
  return statement;
}

Statement Parser::parseFilterBlock(int line) {
  Statement statement(Statement::filterBlock, line);
  statement.expression = parseBlockFilters(line, /*withPipe=*/false);
  expect(Token::blockEnd);
  statement.body = parseInner({"endfilter"});
  advance();
  return statement;
}

// transformers marks what the assistant wrote with this; it prints its body.
Statement Parser::parseGeneration(int line) {
  Statement statement(Statement::generation, line);
  parseMacroBody(statement, "endgeneration");
  return statement;
}

Statement Parser::parseLoopControl(int line, Statement::Kind kind) {
  if (loops == 0) {
    failAt(line, std::string("'") +
                     (kind == Statement::breakLoop ? "break" : "continue") +
                     "' outside of a loop");
  }
  return Statement(kind, line);
}

namespace {

constexpr const char *gathered[] = {"caller", "varargs", "kwargs"};

} // namespace

void Parser::noteLoad(const std::string &name) {
  for (size_t i = 0; i < std::size(gathered); ++i) {
    for (GatheredNames &each : macros) {
      each.isUsed[i] |= name == gathered[i] && !each.isHidden[i];
    }
  }
}

void Parser::noteStore(const std::string &name) {
  for (size_t i = 0; i < std::size(gathered); ++i) {
    for (GatheredNames &each : macros) {
      each.isHidden[i] |= name == gathered[i];
    }
  }
}

void Parser::noteUnknown(int line, const char *what, const std::string &name) {
  if (!inIf) {
    unknown.push_back(
        {line, std::string("no ") + what + " named '" + name + "'"});
  }
}

Target Parser::parseTarget(bool allowAttribute) {
  Target target;
  bool parenthesised = skipSymbol("(");
  do {
    if (target.unpacks && (current().isSymbol("=") || current().isSymbol(")") ||
                           current().isName("in"))) {
      break; // a comma may end the list
    }
    int line = current().line;
    std::string name = expectName("a name to assign to");
    for (const char *constant :
         {"true", "false", "none", "True", "False", "None"}) {
      if (name == constant) {
        failAt(line, "cannot assign to '" + name + "'");
      }
    }
    if (current().isSymbol(".") && allowAttribute) {
      advance();
      target.attribute = expectName("an attribute's name");
      if (target.unpacks || parenthesised || current().isSymbol(",")) {
        unsupportedAt(line,
                      "assigning to an attribute together with other names");
      }
    }
    if (target.attribute.empty()) {
      noteStore(name);
    }
    target.names.push_back(std::move(name));
    target.unpacks = target.unpacks || current().isSymbol(",");
  } while (skipSymbol(","));
  if (parenthesised) {
    expectSymbol(")");
  }
  return target;
}

} // namespace cheems::jinja
