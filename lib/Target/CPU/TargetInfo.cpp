// The CPU that code is made for.
#include "cheems/Target/CPU/TargetInfo.h"
#include "cheems/Import/Checkpoint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace cheems;

namespace {
/// x86-64-v3, the least we make code for.
constexpr llvm::StringLiteral kBaseline[] = {
    "avx",    "avx2",   "bmi",   "bmi2",   "cx16", "f16c", "fma",  "fxsr",
    "lzcnt",  "mmx",    "movbe", "popcnt", "sahf", "sse",  "sse2", "sse3",
    "sse4.1", "sse4.2", "ssse3", "xsave",  "cx8",  "x87",  "cmov"};
/// Beyond it, what vector code profits from. Nothing else is ever enabled, so
/// nothing else need be checked at load.
constexpr llvm::StringLiteral kVector[] = {
    "avx512f",  "avx512bw",   "avx512cd",   "avx512dq",
    "avx512vl", "avx512bf16", "avx512vnni", "avxvnni"};
} // namespace

llvm::Expected<TargetInfo> TargetInfo::find(llvm::StringRef cpu) {
  llvm::StringMap<bool> available;
  if (cpu == "native") {
    available = llvm::sys::getHostCPUFeatures();
    for (llvm::StringRef implied :
         {"x87", "cmov", "cx8", "mmx", "sse", "sse2"}) {
      available[implied] = true; // of every x86-64
    }
  } else {
    llvm::StringRef name = cpu == "portable" ? "x86-64-v3" : cpu;
    if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) ==
        llvm::X86::CK_None) {
      return llvm::make_error<UnsupportedError>(
          ("--cpu " + cpu +
           " is not a 64-bit x86 CPU known here; try portable, native, "
           "x86-64-v3 or x86-64-v4")
              .str());
    }
    llvm::SmallVector<llvm::StringRef> features;
    llvm::X86::getFeaturesForCPU(name, features);
    for (llvm::StringRef feature : features) {
      available[feature] = true;
      llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, available);
    }
    // Left out of the parser's lists because every 64-bit CPU has them.
    for (llvm::StringRef implied : {"x87", "cmov", "cx8", "mmx", "sse", "sse2",
                                    "fxsr", "xsave", "sahf"}) {
      available.try_emplace(implied, true);
    }
  }
  TargetInfo info;
  info.cpu = cpu.str();
  for (llvm::StringRef feature : kBaseline) {
    if (!available.lookup(feature)) {
      return llvm::make_error<UnsupportedError>(
          ("--cpu " + cpu + " lacks " + feature +
           "; code is made for x86-64-v3 and better")
              .str());
    }
    info.features.push_back(feature.str());
  }
  for (llvm::StringRef feature : kVector) {
    if (available.lookup(feature)) {
      info.features.push_back(feature.str());
    }
  }
  llvm::sort(info.features);
  return info;
}

bool TargetInfo::has(llvm::StringRef feature) const {
  return llvm::is_contained(features, feature);
}

Strategy TargetInfo::strategy(bool scalar) const {
  Strategy strategy;
  strategy.scalar = scalar;
  bool wide =
      has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  strategy.lanes = wide ? 16 : 8;
  strategy.registers = wide ? 32 : 16;
  return strategy;
}
