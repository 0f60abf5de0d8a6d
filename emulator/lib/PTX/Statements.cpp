//===- Statements.cpp -----------------------------------------------------===//
#include "Statements.h"

#include "Operands.h"

namespace cheems::emulator::ptx {
namespace {

class InstructionParser {
public:
  InstructionParser(Cursor &cursor, Names &names, Function &function)
      : cursor(cursor), names(names), function(function),
        index(function.statements.size()) {}

  void parse() {
    instruction.location = cursor.location();
    if (cursor.accept("@")) {
      instruction.guard = guard();
    }
    instruction.opcode =
        cursor.expect(Token::Kind::identifier, "an instruction").text;
    while (cursor.at(Token::Kind::dotWord)) {
      instruction.modifiers.emplace_back(cursor.take().text.substr(1));
    }
    if (instruction.opcode == "call") {
      call();
    } else if (instruction.opcode == "bra") {
      branch();
    } else if (instruction.opcode == "brx") {
      indexedBranch();
    } else if (!cursor.at(";")) {
      do {
        instruction.operands.push_back(
            parseOperand(cursor, names, instruction.opcode));
      } while (cursor.accept(","));
    }
    cursor.expect(";", "after an instruction");
    function.statements.push_back(std::move(instruction));
  }

private:
  Guard guard() {
    Guard result;
    result.negated = cursor.accept("!");
    Operand operand = parseName(cursor, names);
    auto *variable = std::get_if<const Variable *>(&operand.value);
    if (!variable || (*variable)->type.kind != Kind::predicate) {
      refuse(operand.location, "a guard is a predicate");
    }
    result.predicate = *variable;
    return result;
  }

  /// The name of a label. Where it leads is known when its scope ends.
  const Token &label() {
    return cursor.expect(Token::Kind::identifier, "a label");
  }

  void branch() {
    const Token &name = label();
    Operand operand;
    operand.location = name.location;
    operand.value = LabelReference{std::string(name.text)};
    instruction.operands.push_back(std::move(operand));
    names.branch(name, [&function = function, index = index](size_t target) {
      auto &operand = function.statements[index].operands[0];
      std::get<LabelReference>(operand.value).target = target;
    });
  }

  void indexedBranch() {
    instruction.operands.push_back(parseOperand(cursor, names, "brx"));
    cursor.expect(",", "after the index of a branch");
    const Token &list = label();
    const Meaning *meaning = names.find(list.text);
    auto *targets = meaning ? std::get_if<BranchTargets>(meaning) : nullptr;
    if (!targets) {
      refuse(list.location, quoted(list.text) +
                                " is no .branchtargets list that was declared "
                                "above");
    }
    for (const Token &target : targets->labels) {
      size_t number = instruction.targets.size();
      instruction.targets.push_back({std::string(target.text)});
      names.branch(target, [&function = function, index = index,
                            number](size_t statement) {
        function.statements[index].targets[number].target = statement;
      });
    }
  }

  std::vector<Operand> list() {
    std::vector<Operand> operands;
    cursor.expect("(", "in front of results or arguments");
    if (cursor.accept(")")) {
      return operands;
    }
    do {
      operands.push_back(parseOperand(cursor, names, "call"));
    } while (cursor.accept(","));
    cursor.expect(")", "after results or arguments");
    return operands;
  }

  /// `(results), callee, (arguments), prototype`: all but the callee may be
  /// left out, and the prototype only if the callee is a name.
  void call() {
    if (cursor.at("(")) {
      instruction.results = list();
      cursor.expect(",", "after the results of a call");
    }
    Operand callee = parseName(cursor, names);
    auto *variable = std::get_if<const Variable *>(&callee.value);
    bool direct = std::holds_alternative<const Function *>(callee.value);
    if (!direct && !(variable && (*variable)->space == StateSpace::reg)) {
      refuse(callee.location, "what is called is a function or a register");
    }
    instruction.callee = std::move(callee);
    if (cursor.at(",") && cursor.peek(1).is("(")) {
      cursor.take();
      instruction.arguments = list();
    }
    if (!direct) {
      cursor.expect(",", "and a prototype after a call by a register");
      instruction.prototype = prototype();
    }
  }

  std::string prototype() {
    const Token &name =
        cursor.expect(Token::Kind::identifier, "the name of a prototype");
    const Meaning *meaning = names.find(name.text);
    if (!meaning || !std::holds_alternative<CallPrototype>(*meaning)) {
      refuse(name.location, quoted(name.text) +
                                " is no .callprototype or .calltargets that "
                                "was declared above");
    }
    return std::string(name.text);
  }

  Cursor &cursor;
  Names &names;
  Function &function;
  const size_t index; ///< of the instruction
  Instruction instruction;
};

} // namespace

void parseInstruction(Cursor &cursor, Names &names, Function &function) {
  InstructionParser(cursor, names, function).parse();
}

} // namespace cheems::emulator::ptx
