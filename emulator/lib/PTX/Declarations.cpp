//===- Declarations.cpp ---------------------------------------------------===//
#include "Declarations.h"

#include "ConstantExpression.h"

#include <bit>

namespace cheems::emulator::ptx {
namespace {

/// No variable is larger; so sums of a few sizes cannot overflow.
constexpr uint64_t mostBytes = uint64_t(1) << 48;
/// Names of a range in memory, each of which is a variable of its own.
constexpr uint64_t mostInMemory = 65536;

struct KnownType {
  std::string_view text;
  Kind kind;
  int width;
};
constexpr KnownType types[] = {
    {".b8", Kind::bits, 8},
    {".b16", Kind::bits, 16},
    {".b32", Kind::bits, 32},
    {".b64", Kind::bits, 64},
    {".b128", Kind::bits, 128},
    {".u8", Kind::unsignedInteger, 8},
    {".u16", Kind::unsignedInteger, 16},
    {".u32", Kind::unsignedInteger, 32},
    {".u64", Kind::unsignedInteger, 64},
    {".s8", Kind::signedInteger, 8},
    {".s16", Kind::signedInteger, 16},
    {".s32", Kind::signedInteger, 32},
    {".s64", Kind::signedInteger, 64},
    {".f16", Kind::floating, 16},
    {".f16x2", Kind::packed, 32},
    {".f32", Kind::floating, 32},
    {".f64", Kind::floating, 64},
    {".pred", Kind::predicate, 1},
    {".texref", Kind::opaque, 64},
    {".samplerref", Kind::opaque, 64},
    {".surfref", Kind::opaque, 64},
};

int parseAlignment(Cursor &cursor) {
  Location location = cursor.location();
  uint64_t alignment = parseNumber(cursor, "an alignment");
  if (!std::has_single_bit(alignment) || alignment > 65536) {
    refuse(location, "an alignment must be a power of two up to 65536");
  }
  return int(alignment);
}

/// `.align 8`, `.v4` and the type, in this order.
void parseLayout(Cursor &cursor, Variable &variable) {
  while (cursor.accept(".align")) {
    variable.alignment = parseAlignment(cursor);
  }
  if (cursor.at(".v2") || cursor.at(".v4")) {
    variable.vector = cursor.take().is(".v2") ? 2 : 4;
  }
  Location location = cursor.location();
  variable.type = parseType(cursor);
  bool predicate = variable.type.kind == Kind::predicate;
  if (predicate && variable.space != StateSpace::reg) {
    refuse(location, "a predicate is a register");
  }
  if (variable.type.kind == Kind::opaque &&
      variable.space != StateSpace::global &&
      variable.space != StateSpace::param) {
    refuse(location, "'." + variable.type.text +
                         "' is a type of global variables and parameters");
  }
  if (variable.vector > 1 && (predicate || variable.type.kind == Kind::opaque ||
                              variable.vector * variable.type.width > 128)) {
    refuse(location, "a vector has at most 128 bits, and no predicates or "
                     "references");
  }
}

/// `[4][2]`, `[]`. A first extent that is left out is 0.
void parseExtents(Cursor &cursor, Variable &variable) {
  uint64_t bytes = variable.elementBytes();
  while (cursor.at("[")) {
    Location location = cursor.take().location;
    if (cursor.accept("]")) {
      if (!variable.extents.empty()) {
        refuse(location, "only the first extent may be left out");
      }
      variable.extents.push_back(0);
      continue;
    }
    uint64_t extent = parseNumber(cursor, "an extent of an array");
    cursor.expect("]", "after an extent");
    if (extent == 0) {
      refuse(location, "an extent must not be zero");
    }
    if (extent > mostBytes / bytes) {
      refuse(location, "a variable is larger than 2^48 bytes");
    }
    bytes *= extent;
    variable.extents.push_back(extent);
  }
  if (!variable.extents.empty() && variable.space == StateSpace::reg) {
    refuse(variable.location, "a register is no array");
  }
}

/// `.attribute(.managed)` changes nothing here; others would.
void parseAttributes(Cursor &cursor) {
  while (cursor.accept(".attribute")) {
    cursor.expect("(", "after .attribute");
    if (!cursor.accept(".managed")) {
      cursor.refuseNext("'.managed', the one attribute that is known,");
    }
    cursor.expect(")", "after an attribute");
  }
}

/// A declaration after an .extern one is its definition.
Variable *declaredBefore(Names &names, const Variable &variable) {
  Meaning *meaning = names.declared(variable.name);
  auto *before = meaning ? std::get_if<Variable *>(meaning) : nullptr;
  if (!before || (*before)->linkage != Linkage::external) {
    return nullptr;
  }
  if (variable.linkage == Linkage::none) {
    refuse(variable.location, quoted(variable.name) +
                                  " was declared .extern, so its definition "
                                  "needs .visible or .weak");
  }
  bool unsized = !(*before)->extents.empty() && (*before)->extents[0] == 0;
  if ((*before)->space != variable.space ||
      (*before)->type.text != variable.type.text ||
      (*before)->vector != variable.vector ||
      (!unsized && (*before)->extents != variable.extents)) {
    refuse(variable.location,
           quoted(variable.name) + " was declared with another type");
  }
  return *before;
}

class VariableParser {
public:
  VariableParser(Cursor &cursor, Names &names, bool inFunction,
                 Variables &variables)
      : cursor(cursor), names(names), inFunction(inFunction),
        variables(variables) {}

  void parse(Linkage linkage) {
    const Token &space = cursor.take();
    pattern.space = *stateSpace(space.text);
    pattern.linkage = linkage;
    checkSpace(space.location);
    parseAttributes(cursor);
    parseLayout(cursor, pattern);
    do {
      parseDeclarator();
    } while (cursor.accept(","));
    cursor.expect(";", "after a declaration");
  }

private:
  void checkSpace(Location location) const {
    bool ofFunction = pattern.space == StateSpace::reg ||
                      pattern.space == StateSpace::local ||
                      pattern.space == StateSpace::param;
    if (ofFunction && !inFunction) {
      refuse(location, "registers, local variables and parameters belong into "
                       "a function");
    }
    if (pattern.linkage == Linkage::common &&
        pattern.space != StateSpace::global) {
      refuse(location, ".common is for global variables");
    }
  }

  void parseDeclarator() {
    const Token &name =
        cursor.expect(Token::Kind::identifier, "the name of a variable");
    checkName(name);
    if (cursor.accept("<")) {
      parseRange(name);
      return;
    }
    Variable variable = pattern;
    variable.location = name.location;
    variable.name = name.text;
    parseExtents(cursor, variable);
    // The name is known after its initial values only.
    if (cursor.at("=")) {
      if (variable.linkage == Linkage::external) {
        refuse(cursor.location(), "an .extern variable has no initial value");
      }
      cursor.take();
      parseInitializer(cursor, names, variable);
    }
    checkComplete(variable);
    if (Variable *before = declaredBefore(names, variable)) {
      *before = std::move(variable);
      return;
    }
    names.declare(name, add(std::move(variable)));
  }

  void parseRange(const Token &name) {
    uint64_t count = parseNumber(cursor, "the number of names");
    cursor.expect(">", "after the number of names");
    auto make = [variable = pattern, location = name.location,
                 this_ = &variables](std::string_view one) mutable {
      variable.location = location;
      variable.name = one;
      this_->push_back(std::make_unique<Variable>(variable));
      return this_->back().get();
    };
    if (pattern.space == StateSpace::reg) {
      names.declareRange(name, count, make);
      return;
    }
    if (count > mostInMemory) {
      refuse(name.location, "more than 65536 names in memory");
    }
    Variable variable = pattern;
    checkComplete(variable);
    for (uint64_t number = 0; number < count; ++number) {
      make(std::string(name.text) + std::to_string(number));
    }
    names.declareRange(
        name, count,
        [&all = variables, begin = variables.size() - count,
         prefix = name.text.size()](std::string_view one) {
          return all[begin + std::stoull(std::string(one.substr(prefix)))]
              .get();
        });
  }

  static void checkName(const Token &name) {
    if (name.is("_") || name.is("WARP_SZ")) {
      refuse(name.location, quoted(name.text) + " cannot be declared");
    }
  }

  static void checkComplete(const Variable &variable) {
    bool unsized = !variable.extents.empty() && variable.extents[0] == 0;
    if (unsized && variable.linkage != Linkage::external) {
      refuse(variable.location,
             quoted(variable.name) + " has no size and is not .extern");
    }
  }

  Variable *add(Variable variable) {
    variables.push_back(std::make_unique<Variable>(std::move(variable)));
    return variables.back().get();
  }

  Cursor &cursor;
  Names &names;
  const bool inFunction;
  Variables &variables;
  Variable pattern; ///< what all declarators share
};

/// `.ptr .global .align 8`
void parsePointer(Cursor &cursor, Variable &parameter) {
  parameter.pointer = true;
  if (cursor.at(".global") || cursor.at(".shared") || cursor.at(".const") ||
      cursor.at(".local")) {
    parameter.pointee = *stateSpace(cursor.take().text);
  }
  if (cursor.accept(".align")) {
    parameter.pointeeAlignment = parseAlignment(cursor);
  }
}

Variable parseParameter(Cursor &cursor, ParameterOf of) {
  Variable parameter;
  Location location = cursor.location();
  if (cursor.at(".reg") && of != ParameterOf::entry) {
    parameter.space = StateSpace::reg;
  } else if (cursor.at(".param")) {
    parameter.space = StateSpace::param;
  } else {
    cursor.refuseNext("a parameter");
  }
  cursor.take();
  parseLayout(cursor, parameter);
  if (cursor.at(".ptr")) {
    if (of != ParameterOf::entry) {
      cursor.refuseNext("the name of a function's parameter");
    }
    cursor.take();
    parsePointer(cursor, parameter);
  }
  parameter.location = cursor.location();
  parameter.name =
      cursor.expect(Token::Kind::identifier, "the name of a parameter, or '_',")
          .text;
  parseExtents(cursor, parameter);
  bool unsized = !parameter.extents.empty() && parameter.extents[0] == 0;
  if (unsized && of == ParameterOf::entry) {
    refuse(location, "a parameter of a kernel has a size");
  }
  return parameter;
}

} // namespace

std::optional<StateSpace> stateSpace(std::string_view directive) {
  struct Space {
    std::string_view text;
    StateSpace space;
  };
  constexpr Space spaces[] = {
      {".reg", StateSpace::reg},       {".const", StateSpace::constant},
      {".global", StateSpace::global}, {".local", StateSpace::local},
      {".param", StateSpace::param},   {".shared", StateSpace::shared},
  };
  for (const Space &space : spaces) {
    if (space.text == directive) {
      return space.space;
    }
  }
  return std::nullopt;
}

Type parseType(Cursor &cursor) {
  for (const KnownType &type : types) {
    if (cursor.accept(type.text)) {
      return {type.kind, type.width, std::string(type.text.substr(1))};
    }
  }
  cursor.refuseNext("the type of a variable");
}

void parseVariables(Cursor &cursor, Names &names, Linkage linkage,
                    bool inFunction, Variables &variables) {
  VariableParser(cursor, names, inFunction, variables).parse(linkage);
}

std::vector<const Variable *> parseParameters(Cursor &cursor, Names &names,
                                              ParameterOf of,
                                              Variables &variables) {
  std::vector<const Variable *> parameters;
  cursor.expect("(", "in front of parameters");
  if (cursor.accept(")")) {
    return parameters;
  }
  do {
    variables.push_back(std::make_unique<Variable>(parseParameter(cursor, of)));
    Variable *parameter = variables.back().get();
    parameters.push_back(parameter);
    if (parameter->name != "_" && of != ParameterOf::prototype) {
      names.declare(
          {Token::Kind::identifier, parameter->name, parameter->location},
          parameter);
    }
  } while (cursor.accept(","));
  cursor.expect(")", "after parameters");
  return parameters;
}

} // namespace cheems::emulator::ptx
