// From tokens to a tree.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_PARSER_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_PARSER_H

#include "runtime/ChatTemplate/Ast.h"
#include "runtime/ChatTemplate/Lexer.h"

#include <initializer_list>

namespace cheems::jinja {

/// Throws Error with the line: unsupported for what this interpreter lacks,
/// failed for what Jinja refuses too.
Body parse(std::string_view source);

/// The methods are named after Jinja's grammar: a level each, from `expression`
/// down to `primary`.
class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}
  Body parseTemplate();

private:
  // ---- tokens
  const Token &current() const { return tokens[position]; }
  const Token &following() const {
    return tokens[position + 1 < tokens.size() ? position + 1 : position];
  }
  void advance() { position += position + 1 < tokens.size(); }
  bool skipSymbol(std::string_view spelling);
  bool skipName(std::string_view word);
  void expectSymbol(std::string_view spelling);
  std::string expectName(const char *what);
  void expect(Token::Kind kind);
  [[noreturn]] void unexpected(const std::string &wanted) const;

  // ---- statements
  Body parseBody(std::initializer_list<const char *> ends);
  bool atEndOf(std::initializer_list<const char *> ends) const;
  Statement parseStatement();
  Statement parseIf(int line);
  Statement parseFor(int line);
  Statement parseSet(int line);
  Statement parseMacro(int line);
  Statement parseCallBlock(int line);
  Statement parseFilterBlock(int line);
  Statement parseGeneration(int line);
  Statement parseLoopControl(int line, Statement::Kind kind);
  Target parseTarget(bool allowAttribute);
  void parseSignature(Statement &statement);
  void parseMacroBody(Statement &statement, const char *end);
  Body parseInner(std::initializer_list<const char *> ends);

  // ---- expressions
  ExpressionPtr parseTuple(bool allowConditional, bool parenthesised);
  ExpressionPtr parseExpression();
  ExpressionPtr parseOr();
  ExpressionPtr parseAnd();
  ExpressionPtr parseNot();
  ExpressionPtr parseCompare();
  ExpressionPtr parseSum();
  ExpressionPtr parseConcat();
  ExpressionPtr parseMatmul();
  ExpressionPtr parsePower();
  ExpressionPtr parseUnary(bool withFilters);
  ExpressionPtr parsePrimary();
  ExpressionPtr parsePostfix(ExpressionPtr operand);
  ExpressionPtr parseFilters(ExpressionPtr operand);
  ExpressionPtr parseFilter(ExpressionPtr operand);
  ExpressionPtr parseBlockFilters(int line, bool withPipe);
  ExpressionPtr parseTest(ExpressionPtr operand);
  ExpressionPtr parseSubscript(ExpressionPtr operand);
  ExpressionPtr parseCall(ExpressionPtr callee);
  ExpressionPtr parseList();
  ExpressionPtr parseDict();
  Arguments parseArguments();
  void parseArgument(Arguments &arguments);
  bool takeComparison(Comparison &comparison);

  ExpressionPtr make(Expression::Kind kind, int line) const;
  /// Adds an operand (may be null), keeping the height.
  void add(Expression &parent, ExpressionPtr operand) const;
  void grow(Expression &parent, const Expression &child) const;
  void growByArguments(Expression &parent) const;
  std::string expectDottedName(const char *what);
  ExpressionPtr makeBinary(Expression::Kind kind, int line, ExpressionPtr left,
                           ExpressionPtr right) const;

  // ---- names
  /// What a macro's body says about the arguments that Jinja gathers.
  struct GatheredNames {
    bool isUsed[3] = {}, isHidden[3] = {};
  };
  void noteLoad(const std::string &name);
  void noteStore(const std::string &name);
  /// Jinja refuses a filter or test that it does not have when it compiles the
  /// template, but for those right inside of an `if`: they fail when they run.
  void noteUnknown(int line, const char *what, const std::string &name);
  struct Unknown {
    int line;
    std::string message;
  };

  /// Bounds the parser's own recursion.
  class Nesting {
  public:
    explicit Nesting(Parser &parser);
    ~Nesting() { --parser.nesting; }
    Nesting(const Nesting &) = delete;

  private:
    Parser &parser;
  };

  std::vector<Token> tokens;
  size_t position = 0;
  int nesting = 0;
  int loops = 0;     ///< around the current statement, in its macro
  bool inIf = false; ///< with no other body between
  std::vector<GatheredNames> macros; ///< around the current token
  std::vector<Unknown> unknown;
};

} // namespace cheems::jinja

#endif
