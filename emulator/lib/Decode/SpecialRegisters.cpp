//===- SpecialRegisters.cpp - %tid and its kin --------------------------===//
#include "SpecialRegisters.h"

#include "Machine/Block.h"
#include "Machine/Warp.h"

#include <cstddef>
#include <string>
#include <unordered_map>

using namespace cheems::emulator;

namespace {

using Kind = SpecialRegister::Kind;

struct Registers {
  std::unordered_map<std::string, SpecialRegister> all;
  std::unordered_map<std::string, bool> vectors;

  void slot(const std::string &name, Base base, size_t offset, int bits = 32) {
    all[name] = {Kind::slot, bits, Slot(base, static_cast<uint32_t>(offset))};
  }
  /// Three components; the fourth is zero in all of them.
  void vector(const std::string &name, Base base, size_t offset) {
    for (int i = 0; i < 3; ++i) {
      slot(name + "." + "xyz"[i], base,
           offset + i * sizeof(uint32_t) * warpLanes);
    }
    slot(name + ".w", Base::block, offsetof(BlockValues, zero));
    vectors[name] = true;
  }
  void missing(const std::string &name) { all[name].kind = Kind::notModelled; }

  Registers() {
#define BLOCK(field) Base::block, offsetof(BlockValues, field)
#define WARP(field) Base::warp, offsetof(WarpValues, field)
    vector("tid", WARP(tid));
    vector("ntid", BLOCK(ntid));
    vector("ctaid", BLOCK(ctaid));
    vector("nctaid", BLOCK(nctaid));
    vector("clusterid", BLOCK(clusterid));
    vector("nclusterid", BLOCK(nclusterid));
    vector("cluster_ctaid", BLOCK(clusterCtaid));
    vector("cluster_nctaid", BLOCK(clusterNctaid));
    slot("cluster_ctarank", BLOCK(clusterCtarank));
    slot("cluster_nctarank", BLOCK(clusterNctarank));
    slot("laneid", WARP(laneid));
    slot("warpid", WARP(warpid));
    slot("nwarpid", BLOCK(nwarpid));
    slot("smid", BLOCK(smid));
    slot("nsmid", BLOCK(nsmid));
    slot("gridid", BLOCK(gridid), 64);
    slot("is_explicit_cluster", BLOCK(isExplicitCluster), 1);
    slot("lanemask_eq", WARP(lanemaskEq));
    slot("lanemask_lt", WARP(lanemaskLt));
    slot("lanemask_le", WARP(lanemaskLe));
    slot("lanemask_gt", WARP(lanemaskGt));
    slot("lanemask_ge", WARP(lanemaskGe));
    slot("dynamic_smem_size", BLOCK(dynamicSmemSize));
    slot("total_smem_size", BLOCK(totalSmemSize));
#undef BLOCK
#undef WARP
    all["clock"] = {Kind::clock, 32, {}};
    all["clock_hi"] = {Kind::clock, 32, {}};
    all["clock64"] = {Kind::clock, 64, {}};
    // Waits with a time limit read it, those of libcu++ for one.
    all["globaltimer"] = {Kind::clock, 64, {}};
    all["globaltimer_lo"] = {Kind::clock, 32, {}};
    all["globaltimer_hi"] = {Kind::clock, 32, {}};
    for (const char *name :
         {"reserved_smem_offset_begin", "reserved_smem_offset_end",
          "reserved_smem_offset_cap", "reserved_smem_offset_0",
          "reserved_smem_offset_1", "aggr_smem_size", "current_graph_exec"}) {
      missing(name);
    }
    for (int i = 0; i < 8; ++i) {
      missing("pm" + std::to_string(i));
      missing("pm" + std::to_string(i) + "_64");
    }
    for (int i = 0; i < 32; ++i) {
      missing("envreg" + std::to_string(i));
    }
  }
};

const Registers &registers() {
  static const Registers registers;
  return registers;
}

} // namespace

std::optional<SpecialRegister>
cheems::emulator::findSpecialRegister(std::string_view name) {
  const auto &all = registers().all;
  auto found = all.find(std::string(name));
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

bool cheems::emulator::isSpecialVector(std::string_view name) {
  return registers().vectors.count(std::string(name));
}
