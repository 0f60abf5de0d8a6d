//===- Storage.h - Where variables of a kernel lie --------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DECODE_STORAGE_H
#define CHEEMS_EMULATOR_DECODE_STORAGE_H

#include "AddressSpaces/Spaces.h"
#include "PTX/Syntax.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cheems::emulator {

/// What is the same for all kernels of a module.
struct Symbols {
  /// Device addresses of .global and .const variables.
  std::unordered_map<const ptx::Variable *, uint64_t> variables;
  /// What a register that has "the address of a function" holds. A call through
  /// it finds the function by this number.
  std::unordered_map<const ptx::Function *, uint64_t> functions;
};

/// Addresses of functions are numbers in a range of their own, 16 apart.
constexpr uint64_t functionAddressBase = 0x0400'0000'0000;
constexpr uint64_t functionAddressStep = 16;

/// A variable's place.
struct Storage {
  Space space;
  uint64_t address;
  /// It belongs to the frame of a function: the frame's begin is added.
  bool inFrame = false;
};

/// Addresses of the variables of an entry and of the functions that it may
/// call.
///
/// - Parameters of the entry: offsets in the parameter buffer.
/// - Shared variables that some statement names: offsets, in the order of their
///   declarations, those of the module first. All `.extern .shared` ones begin
///   after these (PTX ISA, "Shared State Space").
/// - Local variables, parameters and results of functions, and .param variables
///   of a function's body: a frame per function. Results lie at its begin, then
///   parameters, so that a caller can place them without knowing the callee.
///   What the function has in a register passes through the frame, too.
class StorageMap {
public:
  /// `functions`: the entry first.
  StorageMap(const ptx::Module &module, const Symbols &symbols,
             const std::vector<const ptx::Function *> &functions);

  /// Nothing: the variable is a register.
  std::optional<Storage> find(const ptx::Variable &variable) const;

  uint64_t sharedBytes() const { return sharedEnd; }
  uint64_t parameterBytes() const { return parameterEnd; }
  /// The end of a function's variables in its frame.
  uint64_t frameEnd(const ptx::Function &function) const {
    return frames.at(&function);
  }

  /// The offset of a function's parameter or result in its frame.
  uint64_t formalOffset(const ptx::Variable &formal) const {
    return places.at(&formal).address;
  }
  /// The end of its results and parameters there.
  uint64_t interfaceEnd(const ptx::Function &function) const {
    return interfaces.at(&function);
  }

private:
  void placeShared(const ptx::Module &module,
                   const std::vector<const ptx::Function *> &functions);
  void placeFrame(const ptx::Function &function);

  const Symbols &symbols;
  std::unordered_map<const ptx::Variable *, Storage> places;
  std::unordered_map<const ptx::Function *, uint64_t> frames, interfaces;
  uint64_t sharedEnd = 0, parameterEnd = 0;
};

/// Frames begin at multiples of it. No variable needs more.
constexpr uint64_t frameAlignment = 128;

/// The next multiple of a power of two.
constexpr uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// The variables and functions that a statement names, its callee included.
struct Names {
  std::vector<const ptx::Variable *> variables;
  std::vector<const ptx::Function *> functions;
};
Names namesOf(const ptx::Instruction &statement);

} // namespace cheems::emulator

#endif
