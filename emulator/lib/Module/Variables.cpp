//===- Variables.cpp - A module's variables in the GPU's memory ---------===//
#include "Variables.h"

#include "Support/Error.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <utility>

using namespace cheems::emulator;

namespace {

constexpr uint64_t allocationAlignment = 256;

bool isInMemory(const ptx::Variable &variable) {
  return variable.space == ptx::StateSpace::global ||
         variable.space == ptx::StateSpace::constant;
}

[[noreturn]] void refuse(const ptx::Variable &variable,
                         const std::string &reason) {
  throw Refusal(variable.location.line,
                "the variable '" + variable.name + "' " + reason);
}

/// Calls `tell` with each variable in memory that the module defines, and the
/// function that declares it (null: the module).
template <typename F> void eachDefined(const ptx::Module &module, F tell) {
  auto each = [&](const auto &variables, const ptx::Function *function) {
    for (const auto &variable : variables) {
      if (isInMemory(*variable) &&
          variable->linkage != ptx::Linkage::external) {
        tell(*variable, function);
      }
    }
  };
  each(module.variables, nullptr);
  for (const auto &function : module.functions) {
    each(function->variables, function.get());
  }
}

/// Finds what an initializer may name: variables and functions of the module,
/// and variables of the function that declares it.
class AddressBook {
public:
  AddressBook(const ptx::Module &module, const Symbols &symbols) {
    eachDefined(module, [&](const ptx::Variable &variable,
                            const ptx::Function *function) {
      addresses[{function, variable.name}] = symbols.variables.at(&variable);
    });
    for (const auto &[function, address] : symbols.functions) {
      addresses[{nullptr, function->name}] = address;
    }
  }

  /// The bits of one word. Addresses of .global and .const variables are their
  /// generic ones, so `generic()` changes nothing.
  uint64_t word(const ptx::Variable &variable, const ptx::Function *function,
                const ptx::InitialValue &value) const {
    if (value.symbol.empty()) {
      return value.bits;
    }
    auto found = addresses.find({function, value.symbol});
    if (found == addresses.end()) {
      found = addresses.find({nullptr, value.symbol});
    }
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
  std::map<std::pair<const ptx::Function *, std::string>, uint64_t> addresses;
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

void initialise(const ptx::Variable &variable, const ptx::Function *function,
                const AddressBook &book, std::byte *data, uint64_t bytes) {
  std::memset(data, 0, bytes);
  uint64_t wordBytes = static_cast<uint64_t>(variable.type.width) / 8;
  if (variable.initial.size() * wordBytes > bytes) {
    refuse(variable, "has more initial values than elements");
  }
  for (size_t i = 0; i < variable.initial.size(); ++i) {
    uint64_t word = book.word(variable, function, variable.initial[i]);
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
  eachDefined(
      module, [&](const ptx::Variable &variable, const ptx::Function *) {
        checkType(variable);
        std::optional<uint64_t> address = memory.allocate(
            std::max<uint64_t>(variableBytes(variable), 1),
            std::max<uint64_t>(variable.byteAlignment(), allocationAlignment));
        if (!address) {
          throw std::bad_alloc();
        }
        allocated.push_back(*address);
        symbols.variables[&variable] = *address;
      });
  uint64_t functionAddress = functionAddressBase;
  for (const auto &function : module.functions) {
    if (function->defined) {
      symbols.functions[function.get()] = functionAddress;
      functionAddress += functionAddressStep;
    }
  }
  AddressBook book(module, symbols);
  eachDefined(module, [&](const ptx::Variable &variable,
                          const ptx::Function *function) {
    uint64_t address = symbols.variables.at(&variable);
    uint64_t bytes = variableBytes(variable);
    initialise(variable, function, book, memory.data(address), bytes);
    std::fill_n(memory.state(address), bytes, ByteState::initialised);
  });
  return symbols;
}
