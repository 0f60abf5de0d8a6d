//===- Syntax.h - What a PTX text says, before it is decoded ----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_SYNTAX_H
#define CHEEMS_EMULATOR_PTX_SYNTAX_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The syntax tree of a PTX module (PTX ISA, "Syntax" and "State Spaces, Types,
/// and Variables"). Names are resolved by scope: two registers of the same name
/// in nested blocks are two `Variable`s, and an operand points to the one it
/// means. Nothing here knows what an opcode does.
namespace cheems::emulator::ptx {

/// The position at which a statement starts in the text, counted from 1.
struct Location {
  int line = 0;
  int column = 0;
};

enum class StateSpace {
  generic, ///< an address whose space is found when it is used
  reg,
  sreg,
  constant,
  global,
  local,
  param,
  shared,
};

enum class Kind {
  predicate,
  bits,
  unsignedInteger,
  signedInteger,
  floating,
  bfloat,
  packed,
  opaque
};

/// A fundamental type: `.b32` is {bits, 32}, `.pred` {predicate, 1}, `.f16x2`
/// {packed, 32}, `.b128` {bits, 128}. `text` is what the source says, without
/// the dot.
struct Type {
  Kind kind = Kind::bits;
  int width = 0; ///< bits
  std::string text;
};

enum class Linkage { none, visible, external, weak, common };

/// A word of an initializer: bits, or the address of a variable or function
/// plus a number (`generic(x) + 8`, `0xff(x)`).
struct InitialValue {
  uint64_t bits = 0;
  std::string symbol;   ///< empty: `bits` is the value
  bool generic = false; ///< the generic address of `symbol`
  std::optional<uint64_t>
      mask; ///< `0xff00(x)`: the byte of the address that the mask selects
};

/// A register, a parameter, or memory with a name.
struct Variable {
  Location location;
  StateSpace space = StateSpace::reg;
  Linkage linkage = Linkage::none;
  Type type;
  int vector = 1;    ///< 2 or 4 for .v2 and .v4
  int alignment = 0; ///< bytes; 0: the natural one of its type
  std::string name;
  /// Extents of an array, outermost first; empty: a scalar. An extent of 0 in
  /// front is an unsized array (`[]`).
  std::vector<uint64_t> extents;
  std::vector<InitialValue> initial; ///< words of the type, innermost dimension
                                     ///< fastest; the rest is zero
  bool pointer = false;              ///< a parameter with .ptr
  StateSpace pointee = StateSpace::generic;
  int pointeeAlignment = 0;

  /// Bytes of one element, with its vector.
  uint64_t elementBytes() const;
  /// Bytes of all of it. An unsized array has none.
  uint64_t bytes() const;
  /// `alignment`, or the natural one.
  uint64_t byteAlignment() const;
};

struct Function;

/// `%tid.x`, `%laneid`, `%clock64`: without the percent sign.
struct SpecialRegister {
  std::string name;
};

/// A literal. An integer of the source is in `bits` as two's complement;
/// `0f3f800000` and `0d…` are raw bits.
struct Immediate {
  enum class Kind { integer, single, real } kind = Kind::integer;
  uint64_t bits = 0;
};

/// A label of the function. `target` is the index of the statement that follows
/// it.
struct LabelReference {
  std::string name;
  size_t target = 0;
};

struct Operand;

/// `[base + offset]`, `[symbol + offset]`, `[address]`, `[map, {x, y}]`, `[list
/// of operands]` of a texture or a TMA operand.
struct Address {
  std::shared_ptr<Operand> base; ///< null: the offset alone
  int64_t offset = 0;
  std::vector<Operand> coordinates; ///< the list after the comma
};

/// `{a, b, c, d}`
struct VectorOperand {
  std::vector<Operand> elements;
};

/// `a|b`: two destinations
struct PairOperand {
  std::shared_ptr<Operand> first, second;
};

/// `_`: a result that nobody wants
struct Sink {};

/// One operand as written. `negated` is `!p` of a predicate or `-x` in front of
/// a register.
struct Operand {
  Location location;
  std::variant<Sink, Immediate, const Variable *, const Function *,
               SpecialRegister, LabelReference, Address, VectorOperand,
               PairOperand>
      value;
  bool negated = false;
  /// `%x` of a vector register's component (`%v.x`): 0 to 3, or -1
  int component = -1;
  /// `symbol + 4` outside of brackets
  int64_t addend = 0;
};

struct Guard {
  const Variable *predicate = nullptr;
  bool negated = false;
};

/// `@p opcode.modifier.modifier operands;`. "ld.global.v4.b32" has the opcode
/// "ld" and the modifiers "global", "v4", "b32".
/// `::` stays within a modifier ("shared::cta").
struct Instruction {
  Location location;
  std::optional<Guard> guard;
  std::string opcode;
  std::vector<std::string> modifiers;
  std::vector<Operand> operands;
  /// call: results, callee and arguments, instead of operands. `prototype` is
  /// the name of the .callprototype or .calltargets list of a call by register.
  std::vector<Operand> results;
  std::vector<Operand> arguments;
  std::optional<Operand> callee;
  std::string prototype;
  /// brx.idx: the list that its one operand, the index, chooses from
  std::vector<LabelReference> targets;
};

/// A function with a body, or a declaration without one.
struct Function {
  Location location;
  bool entry = false;
  bool defined = false;
  Linkage linkage = Linkage::none;
  std::string name;
  std::vector<const Variable *> results;    ///< .func only
  std::vector<const Variable *> parameters; ///< in order
  /// performance directives: `.maxntid`, `.reqntid`, `.minnctapersm`,
  /// `.maxnreg`, `.reqnctapercluster`, `.explicitcluster`,
  /// `.maxclusterrank`, `.noreturn`, … with their numbers. Names are without
  /// the dot.
  struct Directive {
    Location location;
    std::string name;
    std::vector<uint64_t> values;
  };
  std::vector<Directive> directives;
  /// Everything that is declared in it: registers (of a range, `%r<9>`, those
  /// that a statement names), parameters, local, shared, constant and global
  /// memory of all its scopes. The addresses of these stay as long as the
  /// module lives.
  std::vector<std::unique_ptr<Variable>> variables;
  /// Instructions of all scopes in order. Labels are indices into it; one at
  /// the very end is statements.size().
  std::vector<Instruction> statements;
};

/// One PTX text.
struct Module {
  int versionMajor = 0, versionMinor = 0;
  std::string target; ///< "sm_90a"
  std::vector<std::string> targetOptions;
  int addressBits = 64;
  std::vector<std::unique_ptr<Variable>>
      variables; ///< of the module's scope: .global, .const, .shared, .extern
                 ///< .shared
  std::vector<std::unique_ptr<Function>> functions;
};

} // namespace cheems::emulator::ptx

#endif
