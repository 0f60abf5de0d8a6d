// The CPUs that code is made for.
#include "cheems/Target/CPU/TargetInfo.h"
#include "cheems/Import/Checkpoint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <sys/syscall.h>
#include <unistd.h>

using namespace cheems;
using namespace cheems::cpu;

namespace {
/// x86-64-v3, the least we make code for.
constexpr llvm::StringLiteral kBaseline[] = {
    "avx",    "avx2",   "bmi",   "bmi2",   "cx16", "f16c", "fma",  "fxsr",
    "lzcnt",  "mmx",    "movbe", "popcnt", "sahf", "sse",  "sse2", "sse3",
    "sse4.1", "sse4.2", "ssse3", "xsave",  "cx8",  "x87",  "cmov"};
constexpr llvm::StringLiteral kWide[] = {"avx512f", "avx512bw", "avx512cd",
                                         "avx512dq", "avx512vl"};
constexpr llvm::StringLiteral kNarrowDotI8[] = {"avxvnni"};
constexpr llvm::StringLiteral kDotI8[] = {"avx512vnni"};
constexpr llvm::StringLiteral kDotBF16[] = {"avx512bf16"};
constexpr llvm::StringLiteral kTiles[] = {"amx-tile", "amx-bf16", "amx-int8"};

/// vdpbf16ps does at least as much as f32 multiply-adds in the same time; on
/// every Intel CPU so far it does half of that.
constexpr llvm::StringLiteral kFastDot = "fast-bf16-dot";

/// Nothing but these features is ever enabled, so nothing else need be checked
/// at load.
struct Step {
  llvm::StringLiteral name;
  llvm::ArrayRef<llvm::StringLiteral>
      adds; ///< to the features of the one before
  bool wantsFastDot = false;
  bool forQuantized =
      false; ///< differs from the one before in quantized matmuls alone
  bool aside = false; ///< those after it do not have its features
};
constexpr Step kSteps[] = {
    {"avx2", kBaseline},
    {"avxvnni", kNarrowDotI8, false, /*forQuantized=*/true, /*aside=*/true},
    {"avx512", kWide},
    {"avx512vnni", kDotI8, false, /*forQuantized=*/true},
    {"avx512bf16", kDotBF16, /*wantsFastDot=*/true},
    {"amx", kTiles}};

using Features = llvm::StringMap<bool>;

/// Whether Linux lets processes use AMX tiles. Code with tiles is not chosen
/// where it does not (runtime/Artifact/CpuFeatures.cpp), so none is made.
bool linuxPermitsTiles() {
#ifdef SYS_arch_prctl
  constexpr int requestPermission = 0x1023,
                tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

/// What a process here may use.
Features hostFeatures() {
  Features available = llvm::sys::getHostCPUFeatures();
  if (available.lookup("amx-tile") && !linuxPermitsTiles()) {
    available["amx-tile"] = false;
  }
  for (llvm::StringRef implied : {"x87", "cmov", "cx8", "mmx", "sse", "sse2"}) {
    available[implied] = true; // of every x86-64
  }
  using namespace llvm::sys::detail::x86;
  available[kFastDot] = available.lookup("avx512bf16") &&
                        getVendorSignature() != VendorSignatures::GENUINE_INTEL;
  return available;
}

llvm::Expected<Features> featuresOf(llvm::StringRef cpu) {
  if (llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None) {
    return llvm::make_error<UnsupportedError>(
        ("--cpu " + cpu +
         " is not a known 64-bit x86 CPU; try portable, native, "
         "x86-64-v3 or x86-64-v4")
            .str());
  }
  Features available;
  llvm::SmallVector<llvm::StringRef> features;
  llvm::X86::getFeaturesForCPU(cpu, features);
  for (llvm::StringRef feature : features) {
    available[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, available);
  }
  // Left out of the parser's lists because every 64-bit CPU has them.
  for (llvm::StringRef implied :
       {"x87", "cmov", "cx8", "mmx", "sse", "sse2", "fxsr", "xsave", "sahf"}) {
    available.try_emplace(implied, true);
  }
  available[kFastDot] =
      available.lookup("avx512bf16") && cpu.starts_with("znver");
  return available;
}

/// All variants, least first; those for quantized weights alone only
/// `withQuantized`.
std::vector<TargetInfo> allVariants(bool withQuantized) {
  std::vector<TargetInfo> all;
  std::vector<std::string> before;
  for (const Step &step : kSteps) {
    std::vector<std::string> features = before;
    for (llvm::StringRef feature : step.adds) {
      features.push_back(feature.str());
    }
    if (!step.aside) {
      before = features;
    }
    if (step.forQuantized && !withQuantized) {
      continue;
    }
    TargetInfo info;
    info.name = step.name.str();
    info.features = std::move(features);
    llvm::sort(info.features);
    if (step.wantsFastDot) {
      info.wants.push_back(kFastDot.str());
    }
    all.push_back(std::move(info));
  }
  return all;
}
} // namespace

llvm::Expected<std::vector<TargetInfo>>
TargetInfo::variants(llvm::StringRef cpu, bool withQuantized) {
  for (TargetInfo &variant : allVariants(/*withQuantized=*/true)) {
    if (cpu == variant.name) {
      return std::vector{std::move(variant)};
    }
  }
  std::vector<TargetInfo> all = allVariants(withQuantized);
  if (cpu == "portable") {
    std::reverse(all.begin(), all.end());
    return all;
  }
  llvm::Expected<Features> available =
      cpu == "native" ? hostFeatures() : featuresOf(cpu);
  if (!available) {
    return available.takeError();
  }
  for (llvm::StringRef feature : kBaseline) {
    if (!available->lookup(feature)) {
      return llvm::make_error<UnsupportedError>(
          ("--cpu " + cpu + " lacks " + feature +
           "; code is made for x86-64-v3 and better")
              .str());
    }
  }
  auto there = [&](const std::string &feature) {
    return available->lookup(feature);
  };
  for (TargetInfo &variant : llvm::reverse(all)) {
    if (llvm::all_of(variant.features, there) &&
        llvm::all_of(variant.wants, there)) {
      return std::vector{std::move(variant)};
    }
  }
  llvm_unreachable("the least variant needs the baseline alone");
}

llvm::Expected<TargetInfo> TargetInfo::find(llvm::StringRef cpu) {
  auto found = variants(cpu);
  if (!found) {
    return found.takeError();
  }
  return std::move(found->back());
}

bool TargetInfo::has(llvm::StringRef feature) const {
  return llvm::is_contained(features, feature);
}

TargetDescription TargetInfo::describe(bool scalar) const {
  using cheems::cpu::MatmulUnit;
  TargetDescription description;
  description.scalar = scalar;
  bool wide = has("avx512f");
  description.lanes = wide ? 16 : 8;
  description.registers = wide ? 32 : 16;
  bool dots = has("avx512vnni") || has("avxvnni");
  description.products = has("amx-bf16")     ? MatmulUnit::AMX
                         : has("avx512bf16") ? MatmulUnit::DotBF16
                         : dots              ? MatmulUnit::DotI8
                                             : MatmulUnit::FMA;
  return description;
}
