#include "runtime/Artifact/CpuFeatures.h"
#include <algorithm>
#include <cpuid.h>
#include <cstring>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

using namespace cheems;

namespace {

// State components of XCR0 that instructions need.
constexpr uint64_t ymm = 0x6, zmm = 0xe6, tiles = 0x60000;

struct Bit {
  const char *feature;
  uint32_t CpuRegisters::*word;
  int bit;
  uint64_t state; ///< components of XCR0 that must all be set
};

constexpr Bit bits[] = {
    {"x87", &CpuRegisters::leaf1edx, 0, 0},
    {"cx8", &CpuRegisters::leaf1edx, 8, 0},
    {"cmov", &CpuRegisters::leaf1edx, 15, 0},
    {"mmx", &CpuRegisters::leaf1edx, 23, 0},
    {"fxsr", &CpuRegisters::leaf1edx, 24, 0},
    {"sse", &CpuRegisters::leaf1edx, 25, 0},
    {"sse2", &CpuRegisters::leaf1edx, 26, 0},
    {"sse3", &CpuRegisters::leaf1ecx, 0, 0},
    {"pclmul", &CpuRegisters::leaf1ecx, 1, 0},
    {"ssse3", &CpuRegisters::leaf1ecx, 9, 0},
    {"fma", &CpuRegisters::leaf1ecx, 12, ymm},
    {"cx16", &CpuRegisters::leaf1ecx, 13, 0},
    {"sse4.1", &CpuRegisters::leaf1ecx, 19, 0},
    {"sse4.2", &CpuRegisters::leaf1ecx, 20, 0},
    {"crc32", &CpuRegisters::leaf1ecx, 20, 0},
    {"movbe", &CpuRegisters::leaf1ecx, 22, 0},
    {"popcnt", &CpuRegisters::leaf1ecx, 23, 0},
    {"aes", &CpuRegisters::leaf1ecx, 25, 0},
    {"xsave", &CpuRegisters::leaf1ecx, 27, 0}, // OSXSAVE: also enabled
    {"avx", &CpuRegisters::leaf1ecx, 28, ymm},
    {"f16c", &CpuRegisters::leaf1ecx, 29, ymm},
    {"rdrnd", &CpuRegisters::leaf1ecx, 30, 0},
    {"sahf", &CpuRegisters::extendedEcx, 0, 0},
    {"lzcnt", &CpuRegisters::extendedEcx, 5, 0},
    {"sse4a", &CpuRegisters::extendedEcx, 6, 0},
    {"prfchw", &CpuRegisters::extendedEcx, 8, 0},
    {"64bit", &CpuRegisters::extendedEdx, 29, 0},
    {"fsgsbase", &CpuRegisters::leaf7ebx, 0, 0},
    {"bmi", &CpuRegisters::leaf7ebx, 3, 0},
    {"avx2", &CpuRegisters::leaf7ebx, 5, ymm},
    {"bmi2", &CpuRegisters::leaf7ebx, 8, 0},
    {"avx512f", &CpuRegisters::leaf7ebx, 16, zmm},
    {"avx512dq", &CpuRegisters::leaf7ebx, 17, zmm},
    {"rdseed", &CpuRegisters::leaf7ebx, 18, 0},
    {"adx", &CpuRegisters::leaf7ebx, 19, 0},
    {"avx512ifma", &CpuRegisters::leaf7ebx, 21, zmm},
    {"clflushopt", &CpuRegisters::leaf7ebx, 23, 0},
    {"clwb", &CpuRegisters::leaf7ebx, 24, 0},
    {"avx512cd", &CpuRegisters::leaf7ebx, 28, zmm},
    {"sha", &CpuRegisters::leaf7ebx, 29, 0},
    {"avx512bw", &CpuRegisters::leaf7ebx, 30, zmm},
    {"avx512vl", &CpuRegisters::leaf7ebx, 31, zmm},
    {"avx512vbmi", &CpuRegisters::leaf7ecx, 1, zmm},
    {"avx512vbmi2", &CpuRegisters::leaf7ecx, 6, zmm},
    {"gfni", &CpuRegisters::leaf7ecx, 8, 0},
    {"vaes", &CpuRegisters::leaf7ecx, 9, ymm},
    {"vpclmulqdq", &CpuRegisters::leaf7ecx, 10, ymm},
    {"avx512vnni", &CpuRegisters::leaf7ecx, 11, zmm},
    {"avx512bitalg", &CpuRegisters::leaf7ecx, 12, zmm},
    {"avx512vpopcntdq", &CpuRegisters::leaf7ecx, 14, zmm},
    {"rdpid", &CpuRegisters::leaf7ecx, 22, 0},
    {"avx512vp2intersect", &CpuRegisters::leaf7edx, 8, zmm},
    {"amx-bf16", &CpuRegisters::leaf7edx, 22, tiles},
    {"avx512fp16", &CpuRegisters::leaf7edx, 23, zmm},
    {"amx-tile", &CpuRegisters::leaf7edx, 24, tiles},
    {"amx-int8", &CpuRegisters::leaf7edx, 25, tiles},
    {"avxvnni", &CpuRegisters::leaf7eax1, 4, ymm},
    {"avx512bf16", &CpuRegisters::leaf7eax1, 5, zmm},
    {"amx-fp16", &CpuRegisters::leaf7eax1, 21, tiles},
    {"avxifma", &CpuRegisters::leaf7eax1, 23, ymm},
    {"avxvnniint8", &CpuRegisters::leaf7edx1, 4, ymm},
    {"avxneconvert", &CpuRegisters::leaf7edx1, 5, ymm},
    {"avxvnniint16", &CpuRegisters::leaf7edx1, 10, ymm},
};

/// A process must ask Linux once before its first tile instruction, or that
/// instruction kills it.
bool askLinuxForTiles() {
  static const bool allowed = [] {
#ifdef SYS_arch_prctl
    constexpr int requestPermission = 0x1023,
                  tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
    return false;
#endif
  }();
  return allowed;
}

CpuRegisters readRegisters() {
  CpuRegisters registers;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d)) {
    const uint32_t words[] = {b, d, c};
    std::memcpy(registers.vendor.data(), words, sizeof(words));
  }
  if (__get_cpuid(1, &a, &b, &c, &d)) {
    registers.leaf1ecx = c;
    registers.leaf1edx = d;
  }
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    uint32_t subleaves = a;
    registers.leaf7ebx = b;
    registers.leaf7ecx = c;
    registers.leaf7edx = d;
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) {
      registers.leaf7eax1 = a;
      registers.leaf7edx1 = d;
    }
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) {
    registers.extendedEcx = c;
    registers.extendedEdx = d;
  }
  constexpr uint32_t osxsave = 1u << 27;
  if (registers.leaf1ecx & osxsave) {
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    registers.xcr0 = uint64_t(d) << 32 | a;
  }
  return registers;
}

} // namespace

CpuFeatures::CpuFeatures(const CpuRegisters &registers, bool (*askForTiles)())
    : askForTiles(askForTiles) {
  for (const Bit &bit : bits) {
    if (registers.*bit.word >> bit.bit & 1 &&
        (registers.xcr0 & bit.state) == bit.state) {
      present.insert(bit.feature);
    }
  }
  std::string_view vendor(registers.vendor.data(), registers.vendor.size());
  if (has("avx512bf16") && vendor != "GenuineIntel") {
    present.insert("fast-bf16-dot");
  }
}

const CpuFeatures &CpuFeatures::host() {
  static const CpuFeatures features(readRegisters(), askLinuxForTiles);
  return features;
}

std::optional<std::string>
CpuFeatures::firstMissing(const std::vector<std::string> &features) const {
  for (const std::string &feature : features) {
    if (!has(feature)) {
      return feature;
    }
  }
  return std::nullopt;
}

bool CpuFeatures::permits(const std::vector<std::string> &features) const {
  bool tiles =
      std::find(features.begin(), features.end(), "amx-tile") != features.end();
  return !tiles || !askForTiles || askForTiles();
}

std::vector<std::string> CpuFeatures::usable() const {
  std::vector<std::string> features;
  for (const std::string &feature : present) {
    bool tiles = feature.rfind("amx-", 0) == 0;
    if (!tiles || permits({"amx-tile"})) {
      features.push_back(feature);
    }
  }
  return features;
}
