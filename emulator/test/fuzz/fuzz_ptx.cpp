// PTX from memory: what is accepted has labels within their function and
// operands that the module owns; what is not gives one line.
#include "PTX/Parser.h"
#include "Support/Error.h"

#include <set>

using namespace cheems::emulator;
using namespace cheems::emulator::ptx;

namespace {

void require(bool condition) {
  if (!condition) {
    __builtin_trap();
  }
}

struct Owned {
  explicit Owned(const Module &module) {
    add(module.variables);
    for (const auto &function : module.functions) {
      functions.insert(function.get());
      add(function->variables);
    }
  }

  void add(const std::vector<std::unique_ptr<Variable>> &all) {
    for (const auto &variable : all) {
      variables.insert(variable.get());
      require(variable->byteAlignment() > 0);
      require(variable->initial.empty() ||
              variable->initial.size() * variable->type.width / 8 <=
                  variable->bytes());
    }
  }

  std::set<const Variable *> variables;
  std::set<const Function *> functions;
};

class Checker {
public:
  Checker(const Owned &owned, const Function &function)
      : owned(owned), function(function) {}

  void check() {
    for (const Variable *parameter : function.parameters) {
      require(owned.variables.count(parameter));
    }
    for (const Instruction &instruction : function.statements) {
      check(instruction);
    }
  }

private:
  void check(const Instruction &instruction) {
    require(!instruction.opcode.empty() && instruction.location.line > 0);
    if (instruction.guard) {
      require(owned.variables.count(instruction.guard->predicate));
    }
    check(instruction.operands);
    check(instruction.results);
    check(instruction.arguments);
    if (instruction.callee) {
      check(*instruction.callee);
    }
    for (const LabelReference &label : instruction.targets) {
      check(label);
    }
  }

  void check(const std::vector<Operand> &operands) {
    for (const Operand &operand : operands) {
      check(operand);
    }
  }

  void check(const LabelReference &label) {
    require(label.target <= function.statements.size());
  }

  void check(const Operand &operand) {
    require(operand.component >= -1 && operand.component < 4);
    if (auto *variable = std::get_if<const Variable *>(&operand.value)) {
      require(owned.variables.count(*variable));
    } else if (auto *callee = std::get_if<const Function *>(&operand.value)) {
      require(owned.functions.count(*callee));
    } else if (auto *label = std::get_if<LabelReference>(&operand.value)) {
      check(*label);
    } else if (auto *address = std::get_if<Address>(&operand.value)) {
      if (address->base) {
        check(*address->base);
      }
      check(address->coordinates);
    } else if (auto *vector = std::get_if<VectorOperand>(&operand.value)) {
      require(!vector->elements.empty());
      check(vector->elements);
    } else if (auto *pair = std::get_if<PairOperand>(&operand.value)) {
      check(*pair->first);
      check(*pair->second);
    }
  }

  const Owned &owned;
  const Function &function;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  std::string text(reinterpret_cast<const char *>(data) + 1, size - 1);
  // Most mutations of a header end at it, so it is written here.
  std::string header = ".version 8.5\n.target sm_90a\n.address_size 64\n";
  if (data[0] == 'm') {
    text = header + text;
  } else if (data[0] == 'k') {
    text = header + ".entry kernel(.param .u64 a) {\n.reg .b32 %r<9>;\n" +
           ".reg .b64 %d<9>; .reg .pred %p<9>; .reg .v4 .f32 %v;\n" + text +
           "\n}\n";
  }
  try {
    auto module = parse(text);
    Owned owned(*module);
    for (const auto &function : module->functions) {
      Checker(owned, *function).check();
    }
  } catch (const Refusal &refusal) {
    require(std::string(refusal.what()).find('\n') == std::string::npos);
    require(refusal.line > 0);
  } catch (const NotModelled &refusal) {
    require(refusal.line > 0);
  }
  return 0;
}
