//===- Names.h - What the names of a module mean ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_NAMES_H
#define CHEEMS_EMULATOR_PTX_NAMES_H

#include "Lexer.h"

#include <deque>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace cheems::emulator::ptx {

/// A label; `target` is the index of the statement after it.
struct Label {
  size_t target;
};
/// A `.branchtargets` list.
struct BranchTargets {
  std::vector<Token> labels;
};
/// A `.callprototype` or a `.calltargets` list.
struct CallPrototype {};

using Meaning =
    std::variant<Variable *, Function *, Label, BranchTargets, CallPrototype>;

/// The scopes that are open: the module's, the function's, and blocks in it.
/// Names of tokens must outlive this.
class Names {
public:
  /// Makes a register of a range when a statement names it first, so that
  /// `.reg .b32 %r<100000>` costs nothing.
  using MakeVariable = std::function<Variable *(std::string_view name)>;

  Names() { open(); }

  void open() { scopes.emplace_back(); }
  /// Labels are known in the whole block that they stand in, so what branches
  /// to them is resolved here. What has no label in this block is passed on to
  /// the block around it; at the end of a function it is refused.
  void close(bool function);

  /// Throws Refusal if the innermost scope has the name.
  void declare(const Token &name, Meaning meaning) {
    declareIn(scopes.back(), name, std::move(meaning));
  }
  void declareInModule(const Token &name, Meaning meaning) {
    declareIn(scopes.front(), name, std::move(meaning));
  }
  /// The names PREFIX0 to PREFIXn, n < count (PTX ISA, "Parameterized Variable
  /// Names").
  void declareRange(const Token &prefix, uint64_t count, MakeVariable make);
  /// Looks in the innermost scope alone, and not among ranges; null if there is
  /// none.
  Meaning *declared(std::string_view name);

  /// Null if the name is not declared.
  const Meaning *find(std::string_view name);
  /// `resolve` is called with the label's target when a scope that has it is
  /// closed.
  void branch(const Token &label, std::function<void(size_t)> resolve);

private:
  struct Range {
    std::string_view prefix;
    uint64_t count;
    MakeVariable make;
  };
  struct Branch {
    Token label;
    std::function<void(size_t)> resolve;
  };
  struct Scope {
    std::unordered_map<std::string_view, Meaning> names;
    std::vector<Range> ranges;
    std::vector<Branch> branches;
  };

  static void declareIn(Scope &scope, const Token &name, Meaning meaning);
  static bool inRange(const Range &range, std::string_view name);

  std::deque<Scope> scopes;
};

/// PTX ISA, "Special Registers": without the percent sign, with its component.
bool isSpecialRegister(std::string_view name);
/// One of four components: %tid.x and so on.
bool isSpecialVector(std::string_view name);

} // namespace cheems::emulator::ptx

#endif
