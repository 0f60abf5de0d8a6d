//===- Decoder.cpp - From a syntax tree to a program ---------------------===//
#include "cheems/Emulator/Decode/Decoder.h"

#include "cheems/Emulator/Support/Error.h"

#include <algorithm>
#include <unordered_set>

using namespace cheems::emulator;

namespace {

constexpr uint32_t slotUnit = 4; // of a virtual register's number in a slot
/// Virtual register 0 of each function. Its place is the arena's begin.
constexpr uint32_t frameRegister = 0;
constexpr uint32_t framePointerBytes = sizeof(uint32_t) * warpLanes;

/// The entry, then the functions that it or one of them names, in the order in
/// which they are met.
std::vector<const ptx::Function *> reachable(const ptx::Function &entry) {
  std::vector<const ptx::Function *> list{&entry};
  std::unordered_set<const ptx::Function *> known{&entry};
  for (size_t i = 0; i < list.size(); ++i) {
    for (const ptx::Instruction &statement : list[i]->statements) {
      for (const ptx::Function *function : namesOf(statement).functions) {
        if (function->defined && known.insert(function).second) {
          list.push_back(function);
        }
      }
    }
  }
  return list;
}

} // namespace

Decoder::Decoder(const ptx::Module &module, const Symbols &symbols,
                 const OpcodeTable &opcodes, int architecture,
                 bool reuseRegisters)
    : module(module), symbols(symbols), opcodes(opcodes),
      architecture(architecture), reuseRegisters(reuseRegisters) {}

Decoder::Result Decoder::decode(const ptx::Function &entryFunction) {
  entry = &entryFunction;
  std::vector<const ptx::Function *> functions = reachable(entryFunction);
  storage = std::make_unique<StorageMap>(module, symbols, functions);
  program = std::make_shared<Program>();
  program->kernel = entry->name;
  constants = Constants();
  slotBegins.clear();
  arenaBytes = functions.size() > 1 ? framePointerBytes : 0;
  peakRegisters = 0;
  for (const ptx::Function *function : functions) {
    decodeFunction(*function);
  }
  finish(functions);
  return {std::move(program), peakRegisters};
}

void Decoder::decodeFunction(const ptx::Function &function) {
  current = &function;
  firstInstruction = static_cast<uint32_t>(program->instructions.size());
  firstSlot = static_cast<uint32_t>(program->slots.size());
  flow = Flow();
  starts.clear();
  registers.clear();
  fixups.clear();
  listFixups.clear();
  newRegister(32); // frameRegister
  carry.reset();
  for (const ptx::Instruction &statement : function.statements) {
    decodeStatement(statement);
  }
  // Who comes to the end of a function returns from it.
  ptx::Instruction end;
  end.location = function.statements.empty()
                     ? function.location
                     : function.statements.back().location;
  end.opcode = "ret";
  decodeStatement(end);
  finishFunction();
}

void Decoder::decodeStatement(const ptx::Instruction &syntax) {
  currentLine = syntax.location.line;
  text = syntax.opcode;
  for (const std::string &modifier : syntax.modifiers) {
    text += "." + modifier;
  }
  starts.push_back(static_cast<uint32_t>(program->instructions.size()));
  flow.nodes.push_back({});
  flow.nodes.back().firstUse = static_cast<uint32_t>(flow.uses.size());
  flow.nodes.back().firstTarget = static_cast<uint32_t>(flow.targets.size());
  guard = constants.slot(1, 1);
  Statement statement(*this, syntax);
  if (syntax.guard) {
    const ptx::Variable &predicate = *syntax.guard->predicate;
    if (predicate.space != ptx::StateSpace::reg ||
        predicate.type.kind != ptx::Kind::predicate) {
      statement.refuse("the guard '" + predicate.name + "' is no predicate");
    }
    guard = registerOf(predicate, -1);
    use(guard, true, false);
    guard = syntax.guard->negated ? guard.negate() : guard;
  }
  const Opcode *opcode = opcodes.find(syntax);
  if (!opcode) {
    statement.refuse(opcodes.knows(syntax.opcode)
                         ? "no form of '" + syntax.opcode +
                               "' has these modifiers"
                         : "the opcode '" + syntax.opcode + "' is unknown");
  }
  opcode->decode(statement);
  for (const Postponed &write : postponed) {
    emit(statement.line(), write.handler, Pipe::none,
         std::initializer_list<Slot>{write.destination, write.source}, 0);
  }
  postponed.clear();
  Flow::Node &node = flow.nodes.back();
  node.uses = static_cast<uint32_t>(flow.uses.size()) - node.firstUse;
  node.targets = static_cast<uint32_t>(flow.targets.size()) - node.firstTarget;
}

void Decoder::finishFunction() {
  Liveness liveness = analyse(flow);
  Layout layout = place(flow, liveness, reuseRegisters);
  peakRegisters = std::max(peakRegisters, liveness.peak);
  auto resolve = [&](Slot slot) {
    if (slot.base() != Base::registers) {
      return slot;
    }
    uint32_t reg = slot.offset() / slotUnit;
    Slot result(Base::registers,
                reg == frameRegister ? 0 : arenaBytes + layout.offsets[reg]);
    return slot.negated() ? result.negate() : result;
  };
  for (size_t i = firstSlot; i < program->slots.size(); ++i) {
    program->slots[i] = resolve(program->slots[i]);
  }
  for (size_t i = firstInstruction; i < program->instructions.size(); ++i) {
    program->instructions[i].guard = resolve(program->instructions[i].guard);
  }
  arenaBytes += layout.bytes;
  for (const Fixup &fixup : fixups) {
    program->instructions[fixup.instruction].payload = starts[fixup.target];
  }
  for (const ListFixup &fixup : listFixups) {
    for (uint32_t target : fixup.targets) {
      fixup.list->instructions.push_back(starts[target]);
    }
  }
}

void Decoder::finish(const std::vector<const ptx::Function *> &functions) {
  for (size_t i = 0; i < program->instructions.size(); ++i) {
    program->instructions[i].slots = program->slots.data() + slotBegins[i];
  }
  program->constants = constants.finish();
  program->registerBytes = arenaBytes;
  program->sharedBytes = storage->sharedBytes();
  program->parameterBytes = storage->parameterBytes();
  for (const ptx::Function *function : functions) {
    program->localBytes += storage->frameBytes(*function);
  }
}

Slot Decoder::newRegister(int bits) {
  flow.registers.push_back({static_cast<uint8_t>(bits)});
  return Slot(Base::registers,
              static_cast<uint32_t>(flow.registers.size() - 1) * slotUnit);
}

Slot Decoder::registerOf(const ptx::Variable &variable, int component) {
  auto [found, isNew] = registers.try_emplace(&variable, 0);
  if (isNew) {
    int bits = variable.type.width;
    if (bits > 1 && bits < 16) {
      bits = 16;
    }
    for (int i = 0; i < variable.vector; ++i) {
      Slot slot = newRegister(bits);
      found->second = i ? found->second : slot.offset() / slotUnit;
    }
  }
  bool isVector = variable.vector > 1;
  if (isVector != (component >= 0) || component >= variable.vector) {
    throw Refusal(currentLine,
                  text + ": '" + variable.name +
                      (isVector ? "' is a vector"
                                : "' is a register without components"));
  }
  return Slot(Base::registers,
              (found->second + (isVector ? component : 0)) * slotUnit);
}

void Decoder::use(Slot slot, bool reads, bool kills) {
  if (slot.base() == Base::registers) {
    flow.uses.push_back({slot.offset() / slotUnit, reads, kills});
  }
}

void Decoder::pin(Slot slot) {
  if (slot.base() == Base::registers) {
    flow.registers[slot.offset() / slotUnit].pinned = true;
  }
}

Slot Decoder::framePointer() {
  return Slot(Base::registers, frameRegister * slotUnit);
}

Slot Decoder::carryFlag() {
  if (!carry) {
    carry = newRegister(1);
  }
  return *carry;
}

void Decoder::emit(int line, Handler handler, Pipe pipe,
                   std::span<const Slot> slots, uint64_t payload) {
  slotBegins.push_back(static_cast<uint32_t>(program->slots.size()));
  for (Slot slot : slots) {
    program->slots.push_back(slot);
    use(slot, false, false);
  }
  program->instructions.push_back({handler, nullptr, payload, guard, line});
  program->details.push_back({pipe, text});
}

const ptx::Operand &Decoder::own(ptx::Operand operand) {
  return ownOperands.emplace_back(std::move(operand));
}

Slot Decoder::readClock(Statement &reader, const std::string &name, int bits) {
  ptx::Variable &result = ownVariables.emplace_back();
  result.name = "%" + name;
  result.type = {ptx::Kind::bits, bits, "b" + std::to_string(bits)};
  ptx::Instruction read;
  read.location = reader.syntax.location;
  read.opcode = result.name;
  read.operands.emplace_back().value = &result;
  const Opcode *opcode = opcodes.find(read);
  if (!opcode) {
    reader.notModelled("the special register '%" + name + "'");
  }
  Statement statement(*this, read);
  opcode->decode(statement);
  return registerOf(result, -1);
}

void Decoder::emitBranch(Statement &statement, Handler handler,
                         const ptx::LabelReference &target, bool allLanesTakeIt,
                         std::span<const Slot> slots) {
  fixups.push_back({static_cast<uint32_t>(program->instructions.size()),
                    static_cast<uint32_t>(target.target)});
  statement.emit(handler, Pipe::control, slots);
  flow.targets.push_back(static_cast<uint32_t>(target.target));
  if (allLanesTakeIt) {
    endsPath(statement);
  }
}

void Decoder::emitBranches(Statement &statement, Handler handler,
                           std::span<const Slot> slots,
                           const std::vector<ptx::LabelReference> &targets) {
  auto list = std::make_shared<BranchTargets>();
  ListFixup &fixup = listFixups.emplace_back();
  fixup.list = list;
  for (const ptx::LabelReference &target : targets) {
    fixup.targets.push_back(static_cast<uint32_t>(target.target));
    flow.targets.push_back(static_cast<uint32_t>(target.target));
  }
  program->kept.push_back(list);
  statement.emit(handler, Pipe::control, slots,
                 reinterpret_cast<uint64_t>(list.get()));
  endsPath(statement);
}

void Decoder::endsPath(Statement &statement) {
  if (!statement.syntax.guard) {
    flow.nodes.back().fallsThrough = false;
  }
}
