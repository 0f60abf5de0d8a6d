//===- ConstantExpression.cpp ---------------------------------------------===//
#include "ConstantExpression.h"

#include <bit>

namespace cheems::emulator::ptx {
namespace {

using Kind = Literal::Kind;

/// Parentheses and signs within each other; a parser calls itself for each.
constexpr int deepest = 100;

bool isInteger(const Literal &value) {
  return value.kind == Kind::signedInteger ||
         value.kind == Kind::unsignedInteger;
}

Literal integer(bool isUnsigned, uint64_t bits) {
  return {isUnsigned ? Kind::unsignedInteger : Kind::signedInteger, bits};
}
Literal truth(bool value) { return integer(false, value); }
Literal real(double value) {
  return {Kind::real, std::bit_cast<uint64_t>(value)};
}
double toDouble(const Literal &value) {
  return std::bit_cast<double>(value.bits);
}

/// Operators bind as in C: one with a higher number binds more. 0: the text is
/// no operator of two operands.
int precedence(std::string_view text) {
  struct Level {
    std::string_view text;
    int level;
  };
  constexpr Level levels[] = {
      {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
      {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
      {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10},
  };
  for (const Level &entry : levels) {
    if (entry.text == text) {
      return entry.level;
    }
  }
  return 0;
}

class Evaluator {
public:
  explicit Evaluator(Cursor &cursor) : cursor(cursor) {}

  Literal conditional() {
    Location location = cursor.location();
    Literal condition = binary(1);
    if (!cursor.accept("?")) {
      return condition;
    }
    needInteger(condition, location);
    Nesting nesting(*this);
    Literal yes = conditional();
    cursor.expect(":", "of a conditional expression");
    Literal no = conditional();
    if (isInteger(yes) != isInteger(no)) {
      refuse(location, "an integer and a floating-point number are mixed");
    }
    Literal chosen = condition.bits ? yes : no;
    if (isInteger(chosen) &&
        (isUnsigned(yes) || isUnsigned(no))) { // usual arithmetic conversions
      chosen.kind = Kind::unsignedInteger;
    }
    return chosen;
  }

private:
  struct Nesting {
    explicit Nesting(Evaluator &evaluator) : evaluator(evaluator) {
      if (++evaluator.depth > deepest) {
        refuse(evaluator.cursor.location(), "an expression is nested too deep");
      }
    }
    ~Nesting() { --evaluator.depth; }
    Evaluator &evaluator;
  };

  static bool isUnsigned(const Literal &value) {
    return value.kind == Kind::unsignedInteger;
  }

  static void needInteger(const Literal &value, Location location) {
    if (!isInteger(value)) {
      refuse(location, "an integer is expected here");
    }
  }

  Literal binary(int least) {
    Literal left = unary();
    while (true) {
      const Token &token = cursor.peek();
      int level =
          token.kind == Token::Kind::punctuation ? precedence(token.text) : 0;
      if (level < least || level == 0) {
        return left;
      }
      cursor.take();
      left = apply(token, left, binary(level + 1));
    }
  }

  Literal unary() {
    Location location = cursor.location();
    if (cursor.accept("+")) {
      Nesting nesting(*this);
      return number(unary(), location);
    }
    if (cursor.accept("-")) {
      Nesting nesting(*this);
      Literal value = number(unary(), location);
      if (value.kind == Kind::real) {
        return real(-toDouble(value));
      }
      value.bits = -value.bits;
      return value;
    }
    if (cursor.accept("!")) {
      Nesting nesting(*this);
      Literal value = unary();
      needInteger(value, location);
      return truth(!value.bits);
    }
    if (cursor.accept("~")) {
      Nesting nesting(*this);
      Literal value = unary();
      needInteger(value, location);
      return integer(/*isUnsigned=*/true, ~value.bits);
    }
    return primary();
  }

  Literal primary() {
    if (cursor.at("(")) {
      return parenthesis();
    }
    if (cursor.accept("WARP_SZ")) { // PTX ISA, "Predefined Constants"
      return integer(/*isUnsigned=*/false, 32);
    }
    return readLiteral(cursor.expect(Token::Kind::number, "a constant"));
  }

  /// `(expression)`, or a cast in front of an operand.
  Literal parenthesis() {
    Nesting nesting(*this);
    Location location = cursor.location();
    cursor.take();
    if (cursor.at(Token::Kind::dotWord)) {
      const Token &type = cursor.take();
      if (!type.is(".s64") && !type.is(".u64")) {
        refuse(type.location,
               "a cast to " + quoted(type.text) + "; there are .s64 and .u64");
      }
      cursor.expect(")", "after the type of a cast");
      Literal value = unary();
      needInteger(value, location);
      return integer(type.is(".u64"), value.bits);
    }
    Literal value = conditional();
    cursor.expect(")", "after an expression");
    return value;
  }

  /// Exact bits are no operand ("Floating-Point Constants").
  static Literal number(const Literal &value, Location location) {
    if (value.kind == Kind::single) {
      refuse(location, "a number of exact bits (0f) is no operand of a "
                       "constant expression");
    }
    return value;
  }

  static Literal apply(const Token &token, Literal left, Literal right) {
    number(left, token.location);
    number(right, token.location);
    if (isInteger(left) != isInteger(right)) {
      refuse(token.location,
             "an integer and a floating-point number are mixed");
    }
    return isInteger(left) ? applyInteger(token, left, right)
                           : applyReal(token, left, right);
  }

  static Literal applyReal(const Token &token, const Literal &left,
                           const Literal &right) {
    double a = toDouble(left), b = toDouble(right);
    std::string_view op = token.text;
    if (op == "+") {
      return real(a + b);
    }
    if (op == "-") {
      return real(a - b);
    }
    if (op == "*") {
      return real(a * b);
    }
    if (op == "/") {
      return real(a / b);
    }
    if (op == "<") {
      return truth(a < b);
    }
    if (op == ">") {
      return truth(a > b);
    }
    if (op == "<=") {
      return truth(a <= b);
    }
    if (op == ">=") {
      return truth(a >= b);
    }
    if (op == "==") {
      return truth(a == b);
    }
    if (op == "!=") {
      return truth(a != b);
    }
    refuse(token.location, quoted(op) + " takes integers");
  }

  static Literal applyInteger(const Token &token, const Literal &left,
                              const Literal &right) {
    uint64_t a = left.bits, b = right.bits;
    auto signedA = static_cast<int64_t>(a), signedB = static_cast<int64_t>(b);
    bool either = isUnsigned(left) || isUnsigned(right);
    std::string_view op = token.text;
    if (op == "+") {
      return integer(either, a + b);
    }
    if (op == "-") {
      return integer(either, a - b);
    }
    if (op == "*") {
      return integer(either, a * b);
    }
    if (op == "/" || op == "%") {
      if (b == 0) {
        refuse(token.location, "a constant expression divides by zero");
      }
      if (op == "%") { // its operands are unsigned
        return integer(either, a % b);
      }
      if (either) {
        return integer(true, a / b);
      }
      return integer(false, signedB == -1 ? -a : uint64_t(signedA / signedB));
    }
    // The second operand is unsigned; the first one says the type.
    if (op == "<<") {
      return integer(isUnsigned(left), b > 63 ? 0 : a << b);
    }
    if (op == ">>") {
      if (isUnsigned(left)) {
        return integer(true, b > 63 ? 0 : a >> b);
      }
      return integer(false, uint64_t(signedA >> (b > 63 ? 63 : b)));
    }
    if (op == "&") {
      return integer(either, a & b);
    }
    if (op == "|") {
      return integer(either, a | b);
    }
    if (op == "^") {
      return integer(either, a ^ b);
    }
    if (op == "&&") {
      return truth(a && b);
    }
    if (op == "||") {
      return truth(a || b);
    }
    if (op == "==") {
      return truth(a == b);
    }
    if (op == "!=") {
      return truth(a != b);
    }
    if (op == "<") {
      return truth(either ? a < b : signedA < signedB);
    }
    if (op == ">") {
      return truth(either ? a > b : signedA > signedB);
    }
    if (op == "<=") {
      return truth(either ? a <= b : signedA <= signedB);
    }
    return truth(either ? a >= b : signedA >= signedB);
  }

  Cursor &cursor;
  int depth = 0;
};

} // namespace

bool atConstant(const Cursor &cursor) {
  size_t ahead = 0;
  while (cursor.peek(ahead).is("+") || cursor.peek(ahead).is("-") ||
         cursor.peek(ahead).is("!") || cursor.peek(ahead).is("~")) {
    ++ahead;
  }
  const Token &token = cursor.peek(ahead);
  return token.kind == Token::Kind::number || token.is("(") ||
         token.is("WARP_SZ");
}

Literal parseConstant(Cursor &cursor) {
  return Evaluator(cursor).conditional();
}

uint64_t parseInteger(Cursor &cursor) {
  Location location = cursor.location();
  Literal value = parseConstant(cursor);
  if (!isInteger(value)) {
    refuse(location, "an integer is expected here");
  }
  return value.bits;
}

uint64_t parseNumber(Cursor &cursor, std::string_view what) {
  const Token &token = cursor.expect(Token::Kind::number, what);
  Literal value = readLiteral(token);
  if (!isInteger(value)) {
    refuse(token.location, quoted(token.text) + " stands where " +
                               std::string(what) + " is expected");
  }
  return value.bits;
}

} // namespace cheems::emulator::ptx
