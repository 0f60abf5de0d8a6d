//===- Initializers.cpp - What variables are at first ---------------------===//
#include "ConstantExpression.h"
#include "Declarations.h"

#include <algorithm>
#include <bit>

namespace cheems::emulator::ptx {
namespace {

/// Elements that braces leave out are written down as zeros, in front of those
/// that are given; text alone cannot make the list long.
constexpr uint64_t mostLeftOut = uint64_t(1) << 20;

class Initializer {
public:
  Initializer(Cursor &cursor, Names &names, Variable &variable)
      : cursor(cursor), names(names), variable(variable),
        extents(variable.extents) {
    if (variable.vector > 1) {
      extents.push_back(variable.vector);
    }
  }

  void parse() {
    check();
    if (extents.empty()) {
      variable.initial.push_back(value());
      return;
    }
    uint64_t count = level(0, 0);
    if (!variable.extents.empty() && variable.extents[0] == 0) {
      if (count == 0) {
        cursor.refuseNext("a value of the array, whose size is not given");
      }
      variable.extents[0] = count;
    }
  }

private:
  void check() const {
    Location location = cursor.location();
    if (variable.space != StateSpace::global &&
        variable.space != StateSpace::constant) {
      refuse(location, "only .global and .const variables have initial values");
    }
    bool half =
        variable.type.kind == Kind::packed ||
        (variable.type.kind == Kind::floating && variable.type.width == 16);
    if (half || variable.type.kind == Kind::opaque ||
        variable.type.width == 128) {
      refuse(location, "variables of type ." + variable.type.text +
                           " have no initial values");
    }
  }

  /// Elements of one element of a level.
  uint64_t below(size_t depth) const {
    uint64_t count = 1;
    for (size_t inner = depth + 1; inner < extents.size(); ++inner) {
      count *= extents[inner];
    }
    return count;
  }

  /// One list in braces, whose first value is the variable's element `begin`.
  /// Returns how many values it has.
  uint64_t level(size_t depth, uint64_t begin) {
    cursor.expect("{", "in front of the values of an array or vector");
    uint64_t count = 0, stride = below(depth);
    if (cursor.accept("}")) {
      return 0;
    }
    do {
      if (extents[depth] && count == extents[depth]) {
        refuse(cursor.location(), "there are more values than elements");
      }
      if (depth + 1 < extents.size()) {
        level(depth + 1, begin + count * stride);
      } else {
        place(begin + count);
      }
      ++count;
    } while (cursor.accept(","));
    cursor.expect("}", "after the values of an array or vector");
    return count;
  }

  void place(uint64_t element) {
    InitialValue parsed = value();
    leftOut += element - variable.initial.size();
    if (leftOut > mostLeftOut) {
      refuse(cursor.location(), "more than 2^20 elements in front of this one "
                                "have no value");
    }
    variable.initial.resize(element);
    variable.initial.push_back(std::move(parsed));
  }

  /// PTX ISA, "Initializers".
  InitialValue value() {
    if (cursor.at(Token::Kind::identifier) && !cursor.at("WARP_SZ")) {
      bool pointer = variable.type.kind == Kind::unsignedInteger &&
                     variable.type.width >= 32;
      if (!pointer) {
        refuse(cursor.location(),
               "an address is a value of .u32 or .u64, but this is ." +
                   variable.type.text);
      }
      return address();
    }
    Location location = cursor.location();
    Literal literal = parseConstant(cursor);
    if (cursor.at("(")) {
      return masked(literal, location);
    }
    InitialValue result;
    result.bits = bitsOf(literal, location);
    return result;
  }

  /// `x`, `x + 8`, `generic(x) + 8`, or a function
  InitialValue address() {
    InitialValue result;
    if (cursor.at("generic") && cursor.peek(1).is("(")) {
      result.generic = true;
      cursor.take();
      cursor.take();
      result.symbol = symbol(/*orFunction=*/false);
      cursor.expect(")", "after the name of a variable");
    } else {
      const Token &name = cursor.peek();
      result.symbol = symbol(/*orFunction=*/true);
      if (std::holds_alternative<Function *>(*names.find(name.text))) {
        return result;
      }
    }
    if (cursor.accept("+")) {
      result.bits = parseInteger(cursor);
    }
    return result;
  }

  std::string symbol(bool orFunction) {
    const Token &name =
        cursor.expect(Token::Kind::identifier, "the name of a variable");
    const Meaning *meaning = names.find(name.text);
    auto *found = meaning ? std::get_if<Variable *>(meaning) : nullptr;
    bool inMemory = found && ((*found)->space == StateSpace::global ||
                              (*found)->space == StateSpace::constant);
    bool function = meaning && std::holds_alternative<Function *>(*meaning);
    if (!inMemory && !(orFunction && function)) {
      refuse(name.location, quoted(name.text) +
                                " is no .global or .const variable that was "
                                "declared above");
    }
    return std::string(name.text);
  }

  /// `0xff00(x)`: one byte of an address
  InitialValue masked(const Literal &mask, Location location) {
    bool byte = mask.bits && std::countr_zero(mask.bits) % 8 == 0 &&
                mask.bits >> std::countr_zero(mask.bits) == 0xff;
    bool isInteger = mask.kind == Literal::Kind::signedInteger ||
                     mask.kind == Literal::Kind::unsignedInteger;
    if (!byte || !isInteger) {
      refuse(location, "a mask selects one byte: 0xff, 0xff00, and so on");
    }
    if (variable.type.text != "u8") {
      refuse(location, "a byte of an address is a value of .u8, but this is ." +
                           variable.type.text);
    }
    cursor.expect("(", "after a mask");
    InitialValue result = address();
    cursor.expect(")", "after an address");
    result.mask = mask.bits;
    return result;
  }

  uint64_t bitsOf(const Literal &literal, Location location) const {
    bool integer = literal.kind == Literal::Kind::signedInteger ||
                   literal.kind == Literal::Kind::unsignedInteger;
    int width = variable.type.width;
    bool floating = variable.type.kind == Kind::floating;
    bool bits = variable.type.kind == Kind::bits && width >= 32;
    if (integer ? floating : !(floating || bits)) {
      refuse(location, integer
                           ? "an integer is no value of ." + variable.type.text
                           : "a floating-point number is no value of ." +
                                 variable.type.text);
    }
    if (integer) {
      return width == 64 ? literal.bits
                         : literal.bits & ((uint64_t(1) << width) - 1);
    }
    if (literal.kind == Literal::Kind::single) {
      return width == 32 ? literal.bits
                         : std::bit_cast<uint64_t>(double(
                               std::bit_cast<float>(uint32_t(literal.bits))));
    }
    return width == 64 ? literal.bits
                       : std::bit_cast<uint32_t>(
                             float(std::bit_cast<double>(literal.bits)));
  }

  Cursor &cursor;
  Names &names;
  Variable &variable;
  std::vector<uint64_t> extents; ///< with that of the vector
  uint64_t leftOut = 0;
};

} // namespace

void parseInitializer(Cursor &cursor, Names &names, Variable &variable) {
  Initializer(cursor, names, variable).parse();
}

} // namespace cheems::emulator::ptx
