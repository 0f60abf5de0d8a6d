//===- Decoder.cpp - From a syntax tree to a program ---------------------===//
#include "Decoder.h"

#include "Support/Error.h"
#include "SystemCalls.h"

#include <algorithm>
#include <unordered_set>

using namespace cheems::emulator;

namespace {

constexpr uint32_t slotUnit = 4; // of a virtual register's number in a slot
/// Virtual register 0 of each function. Its place is the arena's begin.
constexpr uint32_t frameRegister = 0;
constexpr uint32_t framePointerBytes = sizeof(uint32_t) * warpLanes;

/// Bytes of a thread's stack for functions that call themselves, beside one
/// frame of each. The driver API's default for a stack is 1024.
constexpr uint64_t recursionBytes = 4096;
/// Local memory is given in units of it.
constexpr uint64_t localUnit = 16;

bool isCall(const ptx::Instruction &statement) {
  return statement.callee.has_value();
}

bool callsRegister(const ptx::Instruction &statement) {
  return isCall(statement) && !std::holds_alternative<const ptx::Function *>(
                                  statement.callee->value);
}

/// The entry, then the functions that it or one of them names, in the order in
/// which they are met. A call through a register may mean all.
std::vector<const ptx::Function *> reachable(const ptx::Module &module,
                                             const ptx::Function &entry) {
  std::vector<const ptx::Function *> list{&entry};
  std::unordered_set<const ptx::Function *> known{&entry};
  auto add = [&](const ptx::Function *function) {
    if ((function->defined || systemCall(*function)) && !function->entry &&
        known.insert(function).second) {
      list.push_back(function);
    }
  };
  for (size_t i = 0; i < list.size(); ++i) {
    for (const ptx::Instruction &statement : list[i]->statements) {
      for (const ptx::Function *function : namesOf(statement).functions) {
        add(function);
      }
      if (callsRegister(statement)) {
        for (const auto &function : module.functions) {
          add(function.get());
        }
      }
    }
  }
  return list;
}

bool hasCalls(const std::vector<const ptx::Function *> &functions) {
  return std::any_of(functions.begin(), functions.end(),
                     [](const ptx::Function *function) {
                       return std::any_of(function->statements.begin(),
                                          function->statements.end(), isCall);
                     });
}

} // namespace

Decoder::Decoder(const ptx::Module &module, const Symbols &symbols,
                 const OpcodeTable &opcodes, int architecture,
                 bool reuseRegisters)
    : module(module), symbols(symbols), opcodes(opcodes),
      architecture(architecture), reuseRegisters(reuseRegisters) {}

Decoder::Result Decoder::decode(const ptx::Function &entryFunction) {
  entry = &entryFunction;
  functions = reachable(module, entryFunction);
  storage = std::make_unique<StorageMap>(module, symbols, functions);
  program = std::make_shared<Program>();
  program->kernel = entry->name;
  constants = Constants();
  slotBegins.clear();
  arenaBytes =
      functions.size() > 1 || hasCalls(functions) ? framePointerBytes : 0;
  peakRegisters = 0;
  begins.clear();
  frames.clear();
  callFixups.clear();
  frameFixups.clear();
  for (const ptx::Function *function : functions) {
    if (function->defined) {
      decodeFunction(*function);
    } else {
      frames[function] = storage->frameEnd(*function);
    }
  }
  finish();
  return {std::move(program), peakRegisters};
}

void Decoder::decodeFunction(const ptx::Function &function) {
  current = &function;
  firstInstruction = static_cast<uint32_t>(program->instructions.size());
  firstSlot = static_cast<uint32_t>(program->slots.size());
  flow = Flow();
  asyncRegisters.emplace(function);
  starts.clear();
  registers.clear();
  fixups.clear();
  listFixups.clear();
  saveFixups.clear();
  begins[current] = firstInstruction;
  newRegister(32); // frameRegister
  carry.reset();
  if (current != entry) {
    currentLine = function.location.line;
    text = "%parameter";
    guard = constants.slot(1, 1);
    moveFormals(function.parameters, "%parameter", function.location.line);
  }
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
  watch(starts.size() - 1, syntax);
  if (syntax.opcode == "ret" && current != entry) {
    moveFormals(current->results, "%result", syntax.location.line);
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

void Decoder::watch(size_t number, const ptx::Instruction &syntax) {
  std::optional<ptx::Instruction> access =
      asyncRegisters->before(number, syntax);
  if (!access) {
    return;
  }
  const Opcode *opcode = opcodes.find(*access);
  if (!opcode) {
    return; // wgmma itself is refused
  }
  Statement statement(*this, *access);
  opcode->decode(statement);
}

void Decoder::finishFunction() {
  Liveness liveness = analyse(flow);
  Layout layout = place(flow, liveness, reuseRegisters);
  peakRegisters = std::max(peakRegisters, liveness.peak);
  frames[current] = storage->frameEnd(*current);
  fillSaved();
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

void Decoder::finish() {
  for (size_t i = 0; i < program->instructions.size(); ++i) {
    program->instructions[i].slots = program->slots.data() + slotBegins[i];
  }
  program->constants = constants.finish();
  program->registerBytes = arenaBytes;
  program->sharedBytes = storage->sharedBytes();
  program->parameterBytes = storage->parameterBytes();
  fillCalls();
}

/// Which registers calls within functions that call each other must save is
/// known when the function is.
void Decoder::fillSaved() {
  uint64_t end = alignUp(frames[current], 8);
  for (const SaveFixup &fixup : saveFixups) {
    fixup.saved->offset = end;
    uint64_t bytes = 0;
    auto begin = static_cast<uint32_t>(program->slots.size());
    program->slots.push_back(framePointer());
    for (uint32_t reg : liveAcross(flow, fixup.node)) {
      program->slots.push_back(Slot(Base::registers, reg * slotUnit));
      fixup.saved->bits.push_back(flow.registers[reg].bits);
      bytes += std::max(1, flow.registers[reg].bits / 8);
    }
    slotBegins[fixup.save] = slotBegins[fixup.restore] = begin;
    frames[current] = std::max(frames[current], end + bytes);
  }
}

void Decoder::fillCalls() {
  uint64_t sum = 0, largest = 0;
  bool recurses = false;
  for (const ptx::Function *function : functions) {
    frames[function] = callFixups.empty()
                           ? alignUp(frames[function], localUnit)
                           : alignUp(frames[function], frameAlignment);
    sum += frames[function];
    largest = std::max(largest, storage->interfaceEnd(*function));
    recurses |= mayCall(function, function);
  }
  largest = recurses ? alignUp(largest, frameAlignment) : 0;
  program->localBytes = sum + largest + (recurses ? recursionBytes : 0);
  for (const FrameFixup &fixup : frameFixups) {
    *fixup.frameBytes = frames[fixup.caller];
  }
  auto describe = [&](const ptx::Function *function) {
    CallSite::Callee callee;
    auto begin = begins.find(function);
    if (begin != begins.end()) {
      callee = {begin->second, frames[function],
                storage->interfaceEnd(*function), frames[function] + largest,
                true};
    }
    return callee;
  };
  for (const CallFixup &fixup : callFixups) {
    fixup.site->frameBytes = frames[fixup.caller];
    if (fixup.callee) {
      fixup.site->callees = {describe(fixup.callee)};
      continue;
    }
    for (const auto &[function, address] : symbols.functions) {
      uint64_t number = (address - functionAddressBase) / functionAddressStep;
      auto &callees = fixup.site->callees;
      callees.resize(std::max<size_t>(callees.size(), number + 1));
      callees[number] = describe(function);
    }
  }
}

bool Decoder::mayCall(const ptx::Function *from,
                      const ptx::Function *to) const {
  std::vector<const ptx::Function *> list{from};
  std::unordered_set<const ptx::Function *> known;
  for (size_t i = 0; i < list.size(); ++i) {
    for (const ptx::Instruction &statement : list[i]->statements) {
      if (!isCall(statement)) {
        continue;
      }
      if (callsRegister(statement)) {
        return to != entry;
      }
      auto *callee = std::get<const ptx::Function *>(statement.callee->value);
      if (callee == to) {
        return true;
      }
      if (known.insert(callee).second) {
        list.push_back(callee);
      }
    }
  }
  return false;
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
  uint32_t reg = slot.offset() / slotUnit;
  if (slot.base() == Base::registers && reg != frameRegister) {
    flow.uses.push_back({reg, reads, kills});
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
