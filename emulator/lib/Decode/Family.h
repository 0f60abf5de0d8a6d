//===- Family.h - How a family of opcodes is decoded ------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_FAMILY_H
#define CHEEMS_EMULATOR_DECODE_FAMILY_H

#include "AddressSpaces/Spaces.h"
#include "Instruction.h"
#include "PTX/Syntax.h"
#include "Types.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// To add a family of opcodes:
///
/// 1. One file, lib/FOLDER/Name.cpp: handlers (Decode/Instruction.h), a
///    function that decodes a statement, and a table of opcodes:
///
///        Step negate(Warp &warp, const Instruction &instruction,
///                    LaneMask active) { ... }
///
///        void decodeNegate(Statement &statement) {
///          Type type = statement.takeType({Type::s32});
///          statement.end(2);
///          statement.emit(negate, Pipe::alu,
///                         {statement.destination(0, type),
///                          statement.source(1, type)});
///        }
///
///        constexpr Opcode opcodes[] = {{"neg", decodeNegate}};
///
///    A handler that loops over lanes is compiled once per instruction set
///    (Lanes/Multiversion.h says how).
/// 2. A function that returns the table, in FOLDER/Families.h and in the list
///    of lib/Module/Families.cpp.
/// 3. A test in test/FOLDER that runs PTX and cites the section of
///    the ISA that it was written from.
namespace cheems::emulator {

class Decoder;
class Statement;

/// What decodes the statements of an opcode. One with a modifier is for
/// statements that have it, wherever it stands, and comes before an entry that
/// has none: {"cp", decodeAsync, "async"}. Of several that match the first one
/// in the list counts.
struct Opcode {
  std::string_view name;
  void (*decode)(Statement &);
  std::string_view modifier = {};
};

/// `[base + offset]`
struct DecodedAddress {
  Slot base;      ///< 64-bit elements if `wide`, else 32-bit ones
  int64_t offset; ///< added to each lane's base
  bool wide;
  Space space; ///< that of the variable if its name is the base
};

/// Whether a register may be wider than the type of its instruction (PTX ISA,
/// "Operand Size Exceeding Instruction-Type Size").
enum class Width {
  exact,
  relaxed,
};

/// One statement while it is decoded. Its functions throw Refusal with the
/// statement's line for everything they do not take.
class Statement {
public:
  Statement(Decoder &decoder, const ptx::Instruction &syntax);

  const ptx::Instruction &syntax;

  int line() const { return syntax.location.line; }
  /// "add.f31: " and the reason.
  [[noreturn]] void refuse(const std::string &reason) const;
  [[noreturn]] void notModelled(const std::string &what) const;
  /// Architecture of the GPU and PTX version of the module.
  int architecture() const;

  // -- Modifiers. Each is taken once, in any order; what is left at the end is
  // refused.

  bool take(std::string_view modifier);
  /// The one of `modifiers` that the statement has, or an empty string. Two of
  /// them are refused.
  std::string_view takeAny(std::initializer_list<std::string_view> modifiers);
  /// As takeAny, but there must be one.
  std::string_view takeOne(std::initializer_list<std::string_view> modifiers);
  /// The first modifier left that is a type; it must be one of `allowed`.
  Type takeType(std::initializer_list<Type> allowed);
  /// Nothing if no modifier is a type.
  std::optional<Type> takeAnyType();
  /// The first modifier left that `starts` so, whole: "m16n8k16", "L2::128B".
  std::string_view takePrefix(std::string_view start);
  /// Ends modifiers; the statement must have `least` to `most` operands.
  void end(size_t least, size_t most);
  void end(size_t operands) { end(operands, operands); }

  // -- Operands, by their number or as the syntax has them.

  size_t operands() const { return syntax.operands.size(); }
  const ptx::Operand &operand(size_t number) const;

  /// A register, immediate, special register or name of a variable whose values
  /// have bits(type) bits: 8 and 16 bits are 16-bit elements.
  Slot source(const ptx::Operand &operand, Type type,
              Width width = Width::exact);
  Slot source(size_t number, Type type, Width width = Width::exact) {
    return source(operand(number), type, width);
  }
  /// A register, or a place that nobody reads for `_`. With Width::relaxed the
  /// value is extended by sign if the type is signed, else by zeros.
  Slot destination(const ptx::Operand &operand, Type type,
                   Width width = Width::exact);
  Slot destination(size_t number, Type type, Width width = Width::exact) {
    return destination(operand(number), type, width);
  }
  /// A register that is read, too, or that is written only later or only by
  /// some lanes.
  Slot update(const ptx::Operand &operand, Type type);
  Slot update(size_t number, Type type) {
    return update(operand(number), type);
  }
  /// The place of a register that is neither read nor written.
  Slot mention(const ptx::Operand &operand);
  /// The register keeps a place of its own in the whole kernel: something that
  /// runs asynchronously writes it after the instruction.
  void pin(Slot destination);

  /// A predicate register (`!p` gives a negated slot) or an immediate.
  Slot predicate(const ptx::Operand &operand);
  Slot predicate(size_t number) { return predicate(operand(number)); }
  Slot predicateDestination(const ptx::Operand &operand);
  Slot predicateDestination(size_t number) {
    return predicateDestination(operand(number));
  }
  /// The carry flag CC.CF of the function, a predicate (PTX ISA,
  /// "Extended-Precision Integer Arithmetic Instructions").
  Slot carry(bool reads, bool writes);
  /// The two of `d|p`; the second is null if there is one alone.
  std::pair<const ptx::Operand *, const ptx::Operand *>
  pair(const ptx::Operand &operand) const;

  /// The elements of `{a, b}`, or the operand alone.
  std::vector<const ptx::Operand *> elements(const ptx::Operand &operand) const;
  std::vector<Slot> sources(const ptx::Operand &operand, Type type,
                            size_t count, Width width = Width::exact);
  std::vector<Slot> destinations(const ptx::Operand &operand, Type type,
                                 size_t count, Width width = Width::exact);

  /// `[...]` of an access to `space`; a parameter of the kernel has its offset,
  /// a variable its address in its space.
  DecodedAddress address(const ptx::Operand &operand, Space space);
  DecodedAddress address(size_t number, Space space) {
    return address(operand(number), space);
  }

  bool isImmediate(size_t number) const;
  /// An integer that is known when the module is loaded.
  int64_t immediate(const ptx::Operand &operand) const;
  int64_t immediate(size_t number) const { return immediate(operand(number)); }
  /// The index of `.v2` and so on is for ld and st: bits of the register that
  /// an operand is, 0 if it is none.
  int registerBits(const ptx::Operand &operand) const;

  // -- What is not in the text.

  Slot constant(uint64_t value, int bits);
  Slot allLanesPredicate(); ///< always true
  Slot temporary(int bits); ///< 1: a predicate
  Slot temporary(Type type) { return temporary(bits(type)); }

  // -- Result. More than one instruction may be emitted; slots may only be
  // given here, not within payloads, because registers get their places when
  // the whole kernel is known.

  void emit(Handler handler, Pipe pipe, std::span<const Slot> slots,
            uint64_t payload = 0);
  void emit(Handler handler, Pipe pipe, std::initializer_list<Slot> slots,
            uint64_t payload = 0) {
    emit(handler, pipe, std::span(slots.begin(), slots.size()), payload);
  }
  /// A payload that lives as long as the program (Instruction::as).
  template <typename T> uint64_t keep(T value) {
    auto kept = std::make_shared<const T>(std::move(value));
    uint64_t payload = reinterpret_cast<uint64_t>(kept.get());
    keepAlive(std::move(kept));
    return payload;
  }
  /// Blocks of the grid may see each other's effects (Program::communicates).
  void communicates();
  void waitsForPrimary();

  /// The decoder, for branches and calls.
  Decoder &decoder;

private:
  void keepAlive(std::shared_ptr<const void> kept);
  /// Returns the declared register that an operand is, or of which it is a
  /// component; null if it is none.
  const ptx::Variable *asRegister(const ptx::Operand &operand) const;
  void checkType(const ptx::Variable &reg, Type type, Width width) const;
  Slot immediateSource(const ptx::Immediate &value, Type type);
  Slot specialSource(const std::string &name, Type type, Width width);
  Slot addressSource(const ptx::Operand &operand, uint64_t address,
                     bool inFrame, Type type);

  std::vector<bool> taken; ///< modifiers
  bool ended = false;

  friend class Decoder;
};

} // namespace cheems::emulator

#endif
