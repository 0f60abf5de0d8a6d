// Which instruction sets this machine offers, under LLVM's feature names.
#ifndef CHEEMS_RUNTIME_ARTIFACT_CPUFEATURES_H
#define CHEEMS_RUNTIME_ARTIFACT_CPUFEATURES_H

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cheems {

/// The registers the answer depends on; zero where the processor has no such
/// leaf.
struct CpuRegisters {
  std::array<char, 12> vendor{}; ///< "GenuineIntel", "AuthenticAMD", …
  uint32_t leaf1ecx = 0, leaf1edx = 0;
  uint32_t leaf7ebx = 0, leaf7ecx = 0, leaf7edx = 0; ///< subleaf 0
  uint32_t leaf7eax1 = 0, leaf7edx1 = 0;             ///< subleaf 1
  uint32_t extendedEcx = 0, extendedEdx = 0;         ///< leaf 0x80000001
  uint64_t xcr0 = 0; ///< register state the operating system saves
};

class CpuFeatures {
public:
  /// A feature counts when CPUID has it and the operating system saves the
  /// registers it uses. Not LLVM's is "fast-bf16-dot": vdpbf16ps is not slower
  /// than f32 multiply-adds, as it is on Intel's CPUs. `askForTiles` gets the
  /// process the permission to use AMX tiles, where one is needed.
  explicit CpuFeatures(const CpuRegisters &registers,
                       bool (*askForTiles)() = nullptr);
  /// This machine's, found once.
  static const CpuFeatures &host();

  bool has(const std::string &feature) const {
    return present.count(feature) != 0;
  }
  /// The first of `features` this machine lacks or this table does not know.
  std::optional<std::string>
  firstMissing(const std::vector<std::string> &features) const;
  /// Whether this process may use `features`, which the CPU has. Asks the
  /// operating system for AMX tiles only if they are among them.
  bool permits(const std::vector<std::string> &features) const;
  /// All features that this process may use, in the same order each time. If
  /// the CPU has AMX tiles, it asks the operating system for them.
  std::vector<std::string> usable() const;

private:
  bool (*askForTiles)();
  std::set<std::string> present;
};

} // namespace cheems

#endif
