//===- Storage.cpp - Where the memory of a kernel's variables lies ------===//
#include "Storage.h"

#include "Support/Error.h"

#include <algorithm>
#include <unordered_set>

using namespace cheems::emulator;

namespace {

void addNames(const ptx::Operand &operand, Names &names) {
  if (auto *variable = std::get_if<const ptx::Variable *>(&operand.value)) {
    names.variables.push_back(*variable);
  } else if (auto *function =
                 std::get_if<const ptx::Function *>(&operand.value)) {
    names.functions.push_back(*function);
  } else if (auto *address = std::get_if<ptx::Address>(&operand.value)) {
    if (address->base) {
      addNames(*address->base, names);
    }
    for (const ptx::Operand &coordinate : address->coordinates) {
      addNames(coordinate, names);
    }
  } else if (auto *vector = std::get_if<ptx::VectorOperand>(&operand.value)) {
    for (const ptx::Operand &element : vector->elements) {
      addNames(element, names);
    }
  } else if (auto *pair = std::get_if<ptx::PairOperand>(&operand.value)) {
    addNames(*pair->first, names);
    addNames(*pair->second, names);
  }
}

/// Puts a variable at the next place of an area and moves the area's end.
uint64_t append(uint64_t &end, const ptx::Variable &variable) {
  uint64_t address = alignUp(end, variable.byteAlignment());
  end = address + variable.bytes();
  return address;
}

/// The size of a parameter or result that a register has within the function.
uint64_t registerBytes(const ptx::Variable &formal) {
  if (formal.type.kind == ptx::Kind::predicate || formal.vector > 1) {
    throw NotModelled(formal.location.line,
                      "a parameter of a function in a predicate or a vector");
  }
  return static_cast<uint64_t>(formal.type.width) / 8;
}

bool isDynamicShared(const ptx::Variable &variable) {
  return variable.linkage == ptx::Linkage::external;
}

} // namespace

Names cheems::emulator::namesOf(const ptx::Instruction &statement) {
  Names names;
  for (const auto *list :
       {&statement.operands, &statement.results, &statement.arguments}) {
    for (const ptx::Operand &operand : *list) {
      addNames(operand, names);
    }
  }
  if (statement.callee) {
    addNames(*statement.callee, names);
  }
  return names;
}

StorageMap::StorageMap(const ptx::Module &module, const Symbols &symbols,
                       const std::vector<const ptx::Function *> &functions)
    : symbols(symbols) {
  for (const ptx::Variable *parameter : functions.front()->parameters) {
    places[parameter] = {Space::parameter, append(parameterEnd, *parameter)};
  }
  placeShared(module, functions);
  for (const ptx::Function *function : functions) {
    placeFrame(*function);
  }
}

void StorageMap::placeShared(
    const ptx::Module &module,
    const std::vector<const ptx::Function *> &functions) {
  std::unordered_set<const ptx::Variable *> named;
  for (const ptx::Function *function : functions) {
    for (const ptx::Instruction &statement : function->statements) {
      for (const ptx::Variable *variable : namesOf(statement).variables) {
        if (variable->space == ptx::StateSpace::shared) {
          named.insert(variable);
        }
      }
    }
  }
  if (named.empty()) {
    return;
  }
  std::vector<const ptx::Variable *> dynamic;
  auto place = [&](const ptx::Variable &variable) {
    if (!named.count(&variable)) {
      return;
    }
    if (!variable.initial.empty()) {
      throw Refusal(variable.location.line, "the shared variable '" +
                                                variable.name +
                                                "' has an initial value");
    }
    if (isDynamicShared(variable)) {
      dynamic.push_back(&variable);
    } else {
      places[&variable] = {Space::shared, append(sharedEnd, variable)};
    }
  };
  for (const auto &variable : module.variables) {
    place(*variable);
  }
  for (const ptx::Function *function : functions) {
    for (const auto &variable : function->variables) {
      place(*variable);
    }
  }
  for (const ptx::Variable *variable : dynamic) {
    sharedEnd = alignUp(sharedEnd, variable->byteAlignment());
  }
  for (const ptx::Variable *variable : dynamic) {
    places[variable] = {Space::shared, sharedEnd};
  }
}

void StorageMap::placeFrame(const ptx::Function &function) {
  uint64_t end = 0;
  auto place = [&](const ptx::Variable &variable) {
    if (places.count(&variable)) {
      return; // a parameter of the entry, or one that is placed already
    }
    if (variable.byteAlignment() > frameAlignment) {
      throw NotModelled(variable.location.line,
                        "the alignment of '" + variable.name + "'");
    }
    places[&variable] = {Space::local, append(end, variable), true};
  };
  for (const auto *list : {&function.results, &function.parameters}) {
    for (const ptx::Variable *formal : *list) {
      if (formal->space == ptx::StateSpace::reg) {
        uint64_t bytes = registerBytes(*formal);
        uint64_t address = alignUp(end, bytes);
        places[formal] = {Space::local, address, true};
        end = address + bytes;
        continue;
      }
      place(*formal);
    }
  }
  interfaces[&function] = end;
  for (const auto &variable : function.variables) {
    if (variable->space == ptx::StateSpace::local ||
        variable->space == ptx::StateSpace::param) {
      if (!variable->initial.empty()) {
        throw Refusal(variable->location.line,
                      "the variable '" + variable->name +
                          "' of a thread has an initial value");
      }
      place(*variable);
    }
  }
  frames[&function] = end;
}

std::optional<Storage> StorageMap::find(const ptx::Variable &variable) const {
  switch (variable.space) {
  case ptx::StateSpace::reg:
    return std::nullopt;
  case ptx::StateSpace::global:
  case ptx::StateSpace::constant: {
    auto found = symbols.variables.find(&variable);
    if (found == symbols.variables.end()) {
      throw Refusal(variable.location.line, "the variable '" + variable.name +
                                                "' is declared but not "
                                                "defined");
    }
    return Storage{variable.space == ptx::StateSpace::global ? Space::global
                                                             : Space::constant,
                   found->second};
  }
  default: {
    auto found = places.find(&variable);
    if (found == places.end()) {
      throw Refusal(variable.location.line,
                    "the variable '" + variable.name +
                        "' has no memory in this kernel");
    }
    return found->second;
  }
  }
}
