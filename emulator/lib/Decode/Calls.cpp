//===- Calls.cpp - What calls of functions become ------------------------===//
#include "Calls.h"

#include "Decoder.h"
#include "SystemCalls.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

/// The type of a scalar parameter.
Type scalarType(const Statement &statement, const ptx::Variable &variable) {
  std::optional<Type> type = parseType(variable.type.text);
  if (!type || !variable.extents.empty() || variable.vector > 1) {
    statement.refuse("'" + variable.name +
                     "' is no scalar, so no register fits it");
  }
  return *type;
}

uint32_t strideOf(Type type) {
  return static_cast<uint32_t>(std::max(bits(type), 16) / 8);
}

} // namespace

/// An argument or result: a .param variable of the caller, a register or, as an
/// argument, a constant. `formal` is the callee's, or null for a call through a
/// register: then the operand says how large it is.
void Decoder::emitArgument(Statement &statement, const CallHandlers &handlers,
                           const ptx::Operand &operand,
                           const ptx::Variable *formal, bool isResult,
                           uint32_t &offset, FrameTransfer &transfer) {
  auto *named = std::get_if<const ptx::Variable *>(&operand.value);
  const ptx::Variable *actual = named ? *named : nullptr;
  bool isMemory = actual && actual->space == ptx::StateSpace::param;
  const ptx::Variable *shape = formal ? formal : actual;
  if (!shape) {
    statement.refuse("a call through a register has a constant as argument");
  }
  bool isRegister = shape->space == ptx::StateSpace::reg;
  uint64_t bytes = isRegister ? static_cast<uint64_t>(shape->type.width) / 8
                              : shape->bytes();
  offset = static_cast<uint32_t>(
      alignUp(offset, isRegister ? bytes : shape->byteAlignment()));
  if (isMemory) {
    Storage place = *storage->find(*actual);
    if (actual->bytes() != bytes || place.space != Space::local) {
      statement.refuse("'" + actual->name +
                       "' has not the size of parameter '" + shape->name + "'");
    }
    transfer.pieces.push_back({static_cast<uint32_t>(place.address), offset,
                               static_cast<uint32_t>(bytes)});
  } else {
    Type type = scalarType(statement, *shape);
    auto moved = std::make_shared<FrameRegister>();
    *moved = {0, offset, static_cast<uint32_t>(bytes), strideOf(type)};
    frameFixups.push_back({current, &moved->callee});
    auto payload = reinterpret_cast<uint64_t>(moved.get());
    program->kept.push_back(std::move(moved));
    if (isResult) {
      Slot slot = statement.destination(operand, type);
      statement.emit(handlers.loadResult, Pipe::none, {framePointer(), slot},
                     payload);
    } else {
      Slot slot = statement.source(operand, type);
      statement.emit(handlers.storeArgument, Pipe::none, {framePointer(), slot},
                     payload);
    }
  }
  offset += static_cast<uint32_t>(bytes);
}

void Decoder::moveFormals(const std::vector<const ptx::Variable *> &formals,
                          const char *opcode, int line) {
  for (const ptx::Variable *formal : formals) {
    if (formal->space != ptx::StateSpace::reg) {
      continue;
    }
    ptx::Instruction move;
    move.location.line = line;
    move.opcode = opcode;
    move.operands.emplace_back().value = formal;
    Statement statement(*this, move);
    opcodes.find(move)->decode(statement);
  }
}

void Decoder::emitFormal(Statement &statement, Handler move, bool isResult) {
  const ptx::Operand &operand = statement.operand(0);
  const auto &formal = *std::get<const ptx::Variable *>(operand.value);
  Type type = scalarType(statement, formal);
  Slot slot = isResult ? statement.source(operand, type)
                       : statement.destination(operand, type);
  if (!isResult) {
    // It is written before the first statement, where liveness does not look.
    statement.pin(slot);
  }
  FrameRegister moved;
  moved.offset = static_cast<uint32_t>(storage->formalOffset(formal));
  moved.bytes = static_cast<uint32_t>(formal.type.width) / 8;
  moved.stride = strideOf(type);
  statement.emit(move, Pipe::none, {framePointer(), slot},
                 statement.keep(moved));
}

/// From `save` to `restore`.
void Decoder::emitJump(Statement &statement, const CallHandlers &handlers,
                       const ptx::Function *callee, Slot target,
                       uint64_t interfaceBytes) {
  auto next = [&] {
    return static_cast<uint32_t>(program->instructions.size());
  };
  bool isRecursive = callee ? mayCall(callee, current) : current != entry;
  std::shared_ptr<SavedRegisters> saved;
  uint32_t save = next();
  if (isRecursive) {
    saved = std::make_shared<SavedRegisters>();
    program->kept.push_back(saved);
    statement.emit(handlers.save, Pipe::none, {},
                   reinterpret_cast<uint64_t>(saved.get()));
  }
  auto site = std::make_shared<CallSite>();
  site->interfaceBytes = interfaceBytes;
  program->kept.push_back(site);
  callFixups.push_back({current, site, callee});
  auto payload = reinterpret_cast<uint64_t>(site.get());
  if (callee) {
    statement.emit(handlers.call, Pipe::control, {framePointer()}, payload);
  } else {
    statement.emit(handlers.callRegister, Pipe::control,
                   {framePointer(), target}, payload);
  }
  statement.emit(handlers.leave, Pipe::none, {framePointer()}, payload);
  if (isRecursive) {
    saveFixups.push_back(
        {static_cast<uint32_t>(flow.nodes.size() - 1), save, next(), saved});
    statement.emit(handlers.restore, Pipe::none, {},
                   reinterpret_cast<uint64_t>(saved.get()));
  }
}

void Decoder::emitSystemCall(Statement &statement, Handler handler,
                             const SystemCall &call,
                             const ptx::Function &function) {
  auto site = std::make_shared<SystemCallSite>();
  site->kind = call.kind;
  frameFixups.push_back({current, &site->callee});
  auto offset = [&](const ptx::Variable *formal) {
    return static_cast<uint32_t>(storage->formalOffset(*formal));
  };
  if (call.result) {
    site->result = offset(function.results[0]);
  }
  std::ranges::transform(function.parameters, site->parameters.begin(), offset);
  statement.emit(handler, Pipe::control, {framePointer()},
                 reinterpret_cast<uint64_t>(site.get()));
  program->kept.push_back(std::move(site));
  program->communicates |= call.communicates;
  program->usesHeap |= call.kind == SystemCall::Kind::allocate ||
                       call.kind == SystemCall::Kind::free;
  program->prints |= call.kind == SystemCall::Kind::print;
}

void Decoder::emitCall(Statement &statement, const CallHandlers &handlers) {
  const ptx::Instruction &syntax = statement.syntax;
  const ptx::Function *callee = nullptr;
  const SystemCall *system = nullptr;
  Slot target;
  if (!syntax.callee) {
    statement.refuse("it has no callee");
  }
  if (auto *function =
          std::get_if<const ptx::Function *>(&syntax.callee->value)) {
    callee = *function;
    system = systemCall(*callee);
    if (!callee->defined && !system) {
      statement.notModelled("a call of '" + callee->name +
                            "', which the module does not define,");
    }
    if (callee->entry) {
      statement.refuse("'" + callee->name + "' is an entry");
    }
    if (syntax.results.size() != callee->results.size() ||
        syntax.arguments.size() != callee->parameters.size()) {
      statement.refuse(
          "'" + callee->name + "' has " +
          std::to_string(callee->results.size()) + " results and " +
          std::to_string(callee->parameters.size()) + " parameters");
    }
  } else {
    target = statement.source(*syntax.callee, Type::b64);
  }

  auto next = [&] {
    return static_cast<uint32_t>(program->instructions.size());
  };
  std::optional<uint32_t> skip;
  Slot always = constants.slot(1, 1);
  if (syntax.guard) {
    // What comes after is for lanes that take the call, whatever happens to
    // the guard's register meanwhile.
    skip = next();
    guard = guard.negate();
    statement.emit(handlers.skip, Pipe::none, {});
    guard = always;
  }

  auto newTransfer = [&] {
    auto transfer = std::make_shared<FrameTransfer>();
    frameFixups.push_back({current, &transfer->callee});
    program->kept.push_back(transfer);
    return transfer;
  };
  // Results lie before parameters.
  uint32_t offset = 0;
  struct Result {
    const ptx::Operand *operand;
    const ptx::Variable *formal;
    uint32_t offset;
  };
  std::vector<Result> results;
  for (size_t i = 0; i < syntax.results.size(); ++i) {
    const ptx::Operand &operand = syntax.results[i];
    const ptx::Variable *formal = callee ? callee->results[i] : nullptr;
    auto *actual = std::get_if<const ptx::Variable *>(&operand.value);
    const ptx::Variable *shape = formal ? formal : actual ? *actual : nullptr;
    if (!shape) {
      statement.refuse("a result goes to something that is no variable");
    }
    bool isRegister = shape->space == ptx::StateSpace::reg;
    uint64_t bytes = isRegister ? static_cast<uint64_t>(shape->type.width) / 8
                                : shape->bytes();
    results.push_back({&operand, formal, offset});
    offset = static_cast<uint32_t>(
        alignUp(offset, isRegister ? bytes : shape->byteAlignment()) + bytes);
  }
  auto arguments = newTransfer();
  for (size_t i = 0; i < syntax.arguments.size(); ++i) {
    emitArgument(statement, handlers, syntax.arguments[i],
                 callee ? callee->parameters[i] : nullptr, false, offset,
                 *arguments);
  }
  if (!arguments->pieces.empty()) {
    statement.emit(handlers.copyArguments, Pipe::none, {framePointer()},
                   reinterpret_cast<uint64_t>(arguments.get()));
  }

  if (system) {
    emitSystemCall(statement, handlers.system, *system, *callee);
  } else {
    emitJump(statement, handlers, callee, target, offset);
  }

  auto returned = newTransfer();
  for (const Result &result : results) {
    uint32_t at = result.offset;
    emitArgument(statement, handlers, *result.operand, result.formal, true, at,
                 *returned);
  }
  if (!returned->pieces.empty()) {
    statement.emit(handlers.copyResults, Pipe::none, {framePointer()},
                   reinterpret_cast<uint64_t>(returned.get()));
  }
  if (skip) {
    program->instructions[*skip].payload = next();
  }
}
