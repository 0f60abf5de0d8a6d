//===- Variables.cpp - A module's variables in the card's memory --------===//
#include "lib/Emulator/Module/Variables.h"

#include "cheems/Emulator/Support/Error.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_map>

using namespace cheems::emulator;

namespace {

bool isInMemory(const ptx::Variable &variable) {
  return variable.space == ptx::StateSpace::global ||
         variable.space == ptx::StateSpace::constant;
}

[[noreturn]] void refuse(const ptx::Variable &variable,
                         const std::string &reason) {
  throw Refusal(variable.location.line,
                "the variable '" + variable.name + "' " + reason);
}

/// Finds what an initializer may name.
class AddressBook {
public:
  AddressBook(const ptx::Module &module, const Symbols &symbols) {
    for (const auto &variable : module.variables) {
      auto found = symbols.variables.find(variable.get());
      if (found != symbols.variables.end()) {
        addresses[variable->name] = found->second;
      }
    }
    for (const auto &function : module.functions) {
      auto found = symbols.functions.find(function.get());
      if (found != symbols.functions.end()) {
        addresses[function->name] = found->second;
      }
    }
  }

  /// The bits of one word. Addresses of .global and .const variables are their
  /// generic ones, so `generic()` changes nothing.
  uint64_t word(const ptx::Variable &variable,
                const ptx::InitialValue &value) const {
    if (value.symbol.empty()) {
      return value.bits;
    }
    auto found = addresses.find(value.symbol);
    if (found == addresses.end()) {
      refuse(variable, "has the address of '" + value.symbol +
                           "', which is not known when a module is loaded");
    }
    uint64_t address = found->second + value.bits;
    if (value.mask) {
      if (*value.mask == 0) {
        refuse(variable, "has an address with a mask of zero");
      }
      address = (address & *value.mask) >> __builtin_ctzll(*value.mask);
    } else if (variable.type.width != 64) {
      refuse(variable, "has an address in a word of " +
                           std::to_string(variable.type.width) + " bits");
    }
    return address;
  }

private:
  std::unordered_map<std::string, uint64_t> addresses;
};

void checkType(const ptx::Variable &variable) {
  if (variable.type.kind == ptx::Kind::opaque) {
    throw NotModelled(variable.location.line, "the variable '" + variable.name +
                                                  "' of type ." +
                                                  variable.type.text);
  }
  if (variable.type.kind == ptx::Kind::predicate) {
    refuse(variable, "is a predicate in memory");
  }
}

void initialise(const ptx::Variable &variable, const AddressBook &book,
                std::byte *data, uint64_t bytes) {
  std::memset(data, 0, bytes);
  uint64_t wordBytes = static_cast<uint64_t>(variable.type.width) / 8;
  if (variable.initial.size() * wordBytes > bytes) {
    refuse(variable, "has more initial values than elements");
  }
  for (size_t i = 0; i < variable.initial.size(); ++i) {
    uint64_t word = book.word(variable, variable.initial[i]);
    std::memcpy(data + i * wordBytes, &word,
                std::min<uint64_t>(wordBytes, sizeof(word)));
  }
}

} // namespace

uint64_t cheems::emulator::variableBytes(const ptx::Variable &variable) {
  if (variable.extents.empty() || variable.extents.front() != 0) {
    return variable.bytes();
  }
  uint64_t row = variable.elementBytes();
  for (size_t i = 1; i < variable.extents.size(); ++i) {
    row *= variable.extents[i];
  }
  uint64_t bytes = variable.initial.size() *
                   (static_cast<uint64_t>(variable.type.width) / 8);
  return row ? (bytes + row - 1) / row * row : 0;
}

Symbols cheems::emulator::placeVariables(const ptx::Module &module,
                                         GlobalMemory &memory,
                                         std::vector<uint64_t> &allocated) {
  Symbols symbols;
  for (const auto &variable : module.variables) {
    if (!isInMemory(*variable) || variable->linkage == ptx::Linkage::external) {
      continue;
    }
    checkType(*variable);
    uint64_t bytes = variableBytes(*variable);
    std::optional<uint64_t> address =
        memory.allocate(std::max<uint64_t>(bytes, 1),
                        std::max<uint64_t>(variable->byteAlignment(), 256));
    if (!address) {
      throw std::bad_alloc();
    }
    allocated.push_back(*address);
    symbols.variables[variable.get()] = *address;
  }
  uint64_t function = functionAddressBase;
  for (const auto &candidate : module.functions) {
    if (candidate->defined) {
      symbols.functions[candidate.get()] = function;
      function += functionAddressStep;
    }
  }
  AddressBook book(module, symbols);
  for (const auto &variable : module.variables) {
    auto found = symbols.variables.find(variable.get());
    if (found != symbols.variables.end()) {
      uint64_t bytes = variableBytes(*variable);
      initialise(*variable, book, memory.data(found->second), bytes);
      std::fill_n(memory.state(found->second), bytes, ByteState::initialised);
    }
  }
  return symbols;
}
