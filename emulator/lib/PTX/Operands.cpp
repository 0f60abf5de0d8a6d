//===- Operands.cpp -------------------------------------------------------===//
#include "Operands.h"

#include "ConstantExpression.h"
#include "Support/Error.h"

namespace cheems::emulator::ptx {
namespace {

Immediate immediate(const Literal &literal) {
  switch (literal.kind) {
  case Literal::Kind::single:
    return {Immediate::Kind::single, literal.bits};
  case Literal::Kind::real:
    return {Immediate::Kind::real, literal.bits};
  default:
    return {Immediate::Kind::integer, literal.bits};
  }
}

/// The number of a component, `.x` to `.w` or `.r` to `.a` (PTX ISA, "Vectors
/// as Operands"); -1 if a word is none.
int componentOf(std::string_view word) {
  constexpr std::string_view positions = "xyzw", colours = "rgba";
  if (word.size() != 2) {
    return -1;
  }
  size_t found = positions.find(word[1]);
  found = found == positions.npos ? colours.find(word[1]) : found;
  return found == colours.npos ? -1 : int(found);
}

/// Bytes and halves of a register (PTX ISA, "Scalar Video Instructions").
bool isPart(std::string_view word) {
  return word == ".b0" || word == ".b1" || word == ".b2" || word == ".b3" ||
         word == ".h0" || word == ".h1";
}

class OperandParser {
public:
  OperandParser(Cursor &cursor, Names &names, std::string_view opcode)
      : cursor(cursor), names(names), opcode(opcode) {}

  Operand operand() {
    Location location = cursor.location();
    Operand result;
    if (cursor.at("{")) {
      result.value = vector();
    } else if (cursor.at("[")) {
      result.value = address();
    } else if (atConstant(cursor)) {
      result.value = immediate(parseConstant(cursor));
    } else if (cursor.at("!") || cursor.at("-")) {
      result = negated();
    } else {
      result = named();
      if (cursor.at("|")) {
        Operand both;
        both.value = pair(std::move(result));
        both.location = location;
        return both;
      }
    }
    result.location = location;
    return result;
  }

  /// A name, with its component, index or addend.
  Operand named() {
    Operand result = name();
    auto *variable = std::get_if<const Variable *>(&result.value);
    if (!variable) {
      return result;
    }
    const Variable &found = **variable;
    if (found.space == StateSpace::reg) {
      if (cursor.at(Token::Kind::dotWord)) {
        result.component = component(found);
      }
    } else if (cursor.at("[")) {
      return element(found, result.location);
    } else if (cursor.accept("+")) {
      result.addend = int64_t(parseInteger(cursor));
    }
    return result;
  }

private:
  Operand name() {
    const Token &token = cursor.expect(Token::Kind::identifier, "an operand");
    Operand result;
    result.location = token.location;
    if (token.is("_")) {
      return result;
    }
    const Meaning *meaning = names.find(token.text);
    if (!meaning) {
      result.value = special(token);
    } else if (auto *variable = std::get_if<Variable *>(meaning)) {
      result.value = static_cast<const Variable *>(*variable);
    } else if (auto *function = std::get_if<Function *>(meaning)) {
      result.value = static_cast<const Function *>(*function);
    } else {
      refuse(token.location,
             quoted(token.text) + " is a label, which is no operand here");
    }
    return result;
  }

  SpecialRegister special(const Token &token) {
    std::string_view text = token.text;
    bool percent = text.starts_with('%');
    text.remove_prefix(percent);
    if (percent && isSpecialVector(text)) {
      std::string whole(text);
      if (cursor.at(Token::Kind::dotWord)) {
        const Token &word = cursor.take();
        int index = componentOf(word.text);
        if (index < 0) {
          refuse(word.location, quoted(word.text) + " is no component of " +
                                    quoted(token.text));
        }
        whole += std::string(".") + "xyzw"[index];
      }
      return {whole};
    }
    if (percent && isSpecialRegister(text)) {
      return {std::string(text)};
    }
    refuse(token.location, quoted(token.text) + " is not declared");
  }

  int component(const Variable &variable) {
    const Token &word = cursor.take();
    if (opcode.starts_with('v') && isPart(word.text)) {
      return -1; // all opcodes that take one are refused by name
    }
    int index = componentOf(word.text);
    if (index < 0 || index >= variable.vector || variable.vector == 1) {
      refuse(word.location, quoted(word.text) + " is no component of " +
                                quoted(variable.name));
    }
    return index;
  }

  /// `a[3]` (PTX ISA, "Arrays as Operands"): where mov takes an address, that
  /// of the element, else the element.
  Operand element(const Variable &variable, Location location) {
    cursor.take();
    if (!atConstant(cursor)) {
      throw NotModelled(cursor.location().line,
                        "an index of an array that is a register");
    }
    int64_t offset = int64_t(parseInteger(cursor) * variable.elementBytes());
    cursor.expect("]", "after an index");
    Operand result;
    result.location = location;
    result.value = &variable;
    if (opcode == "mov") {
      result.addend = offset;
      return result;
    }
    Address address;
    address.base = std::make_shared<Operand>(std::move(result));
    address.offset = offset;
    Operand whole;
    whole.location = location;
    whole.value = std::move(address);
    return whole;
  }

  /// `!p`, `-x`
  Operand negated() {
    cursor.take();
    Operand result = named();
    auto *variable = std::get_if<const Variable *>(&result.value);
    if (!variable || (*variable)->space != StateSpace::reg) {
      refuse(result.location, "only registers and numbers have a sign");
    }
    result.negated = true;
    return result;
  }

  PairOperand pair(Operand first) {
    isRegisterOrSink(first);
    cursor.take();
    Operand second = named();
    isRegisterOrSink(second);
    return {std::make_shared<Operand>(std::move(first)),
            std::make_shared<Operand>(std::move(second))};
  }

  static void isRegisterOrSink(const Operand &operand) {
    auto *variable = std::get_if<const Variable *>(&operand.value);
    bool isRegister = variable && (*variable)->space == StateSpace::reg;
    if (!isRegister && !std::holds_alternative<Sink>(operand.value)) {
      refuse(operand.location, "both sides of '|' are registers, or '_'");
    }
  }

  VectorOperand vector() {
    cursor.take();
    VectorOperand result;
    do {
      Location location = cursor.location();
      if (atConstant(cursor)) {
        result.elements.emplace_back();
        result.elements.back().value = immediate(parseConstant(cursor));
      } else {
        result.elements.push_back(named());
      }
      result.elements.back().location = location;
    } while (cursor.accept(","));
    cursor.expect("}", "after the elements of a vector");
    return result;
  }

  /// PTX ISA, "Addresses as Operands".
  Address address() {
    cursor.take();
    Address result;
    if (atConstant(cursor)) {
      result.offset = int64_t(parseInteger(cursor));
    } else {
      Operand base = name();
      auto *variable = std::get_if<const Variable *>(&base.value);
      if (!variable) {
        refuse(base.location, "an address starts with a register, a variable "
                              "or a number");
      }
      if (cursor.at(Token::Kind::dotWord)) {
        base.component = component(**variable);
      }
      result.base = std::make_shared<Operand>(std::move(base));
      if (cursor.at("-")) {
        cursor.refuseNext("'+' and a number, which may be negative,");
      }
      if (cursor.accept("+")) {
        result.offset = int64_t(parseInteger(cursor));
      }
    }
    while (cursor.accept(",")) {
      coordinates(result);
    }
    cursor.expect("]", "after an address");
    return result;
  }

  void coordinates(Address &address) {
    if (cursor.at("{")) {
      for (Operand &element : vector().elements) {
        address.coordinates.push_back(std::move(element));
      }
    } else {
      address.coordinates.push_back(named());
    }
  }

  Cursor &cursor;
  Names &names;
  std::string_view opcode;
};

} // namespace

Operand parseOperand(Cursor &cursor, Names &names, std::string_view opcode) {
  return OperandParser(cursor, names, opcode).operand();
}

Operand parseName(Cursor &cursor, Names &names) {
  return OperandParser(cursor, names, "").named();
}

} // namespace cheems::emulator::ptx
