//===- Body.cpp -----------------------------------------------------------===//
#include "Body.h"

#include "ConstantExpression.h"
#include "DebugInformation.h"
#include "Declarations.h"
#include "Statements.h"

namespace cheems::emulator::ptx {
namespace {

/// Blocks within each other.
constexpr int deepest = 200;

class BodyParser {
public:
  BodyParser(Cursor &cursor, Names &names, Function &function)
      : cursor(cursor), names(names), function(function) {}

  void block() {
    if (++depth > deepest) {
      refuse(cursor.location(), "blocks are nested too deep");
    }
    cursor.expect("{", "in front of statements");
    while (!cursor.accept("}")) {
      statement();
    }
    --depth;
  }

private:
  void statement() {
    if (cursor.at("{")) {
      names.open();
      block();
      names.close(/*function=*/false);
    } else if (cursor.at(Token::Kind::dotWord)) {
      directive();
    } else if (cursor.at(Token::Kind::identifier) && cursor.peek(1).is(":")) {
      label();
    } else if (cursor.at(Token::Kind::identifier) || cursor.at("@")) {
      parseInstruction(cursor, names, function);
    } else {
      cursor.refuseNext("a statement or '}'");
    }
  }

  void directive() {
    if (stateSpace(cursor.peek().text)) {
      parseVariables(cursor, names, Linkage::none, /*inFunction=*/true,
                     function.variables);
    } else if (!skipDebugInformation(cursor) && !skipPragma(cursor)) {
      cursor.refuseNext("a statement");
    }
  }

  void label() {
    const Token &name = cursor.take();
    cursor.take();
    if (cursor.accept(".branchtargets")) {
      names.declare(name, branchTargets());
    } else if (cursor.accept(".calltargets")) {
      callTargets();
      names.declare(name, CallPrototype{});
    } else if (cursor.accept(".callprototype")) {
      callPrototype();
      names.declare(name, CallPrototype{});
    } else {
      names.declare(name, Label{function.statements.size()});
    }
  }

  BranchTargets branchTargets() {
    BranchTargets targets;
    do {
      targets.labels.push_back(
          cursor.expect(Token::Kind::identifier, "a label"));
    } while (cursor.accept(","));
    cursor.expect(";", "after the labels of .branchtargets");
    return targets;
  }

  void callTargets() {
    do {
      const Token &name =
          cursor.expect(Token::Kind::identifier, "the name of a function");
      const Meaning *meaning = names.find(name.text);
      if (!meaning || !std::holds_alternative<Function *>(*meaning)) {
        refuse(name.location,
               quoted(name.text) + " is no function that was declared above");
      }
    } while (cursor.accept(","));
    cursor.expect(";", "after the functions of .calltargets");
  }

  /// `(results) _ (parameters)`; what the call passes is known from the call.
  void callPrototype() {
    Variables dropped;
    if (cursor.at("(")) {
      parseParameters(cursor, names, ParameterOf::prototype, dropped);
    }
    cursor.expect("_", "in a prototype, where a function has its name");
    if (cursor.at("(")) {
      parseParameters(cursor, names, ParameterOf::prototype, dropped);
    }
    cursor.accept(".noreturn");
    for (std::string_view word : {".abi_preserve", ".abi_preserve_control"}) {
      if (cursor.accept(word)) {
        parseNumber(cursor, "a number of registers");
      }
    }
    cursor.expect(";", "after a prototype");
  }

  Cursor &cursor;
  Names &names;
  Function &function;
  int depth = 0;
};

} // namespace

void parseBody(Cursor &cursor, Names &names, Function &function) {
  BodyParser(cursor, names, function).block();
}

} // namespace cheems::emulator::ptx
