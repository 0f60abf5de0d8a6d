//===- TensorCopyTest.cpp - cp.async.bulk.tensor and tensormap ------------===//
#include "RunCopy.h"

#include "AsyncCopy/Box.h"
#include "Check/Checker.h"
#include "Machine/Observer.h"
#include "Support/Error.h"

#include <random>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// All of s that has been written goes to `out`: %r20 bytes.
const char *dump = R"(
  @%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r2], %r20;
  @%p0 cp.async.bulk.commit_group;
  @%p0 cp.async.bulk.wait_group 0;
)";

std::string braces(const std::array<int32_t, 5> &start, int rank) {
  std::string text;
  for (int d = 0; d < rank; ++d) {
    text += (d ? ", " : "") + std::to_string(start[d]);
  }
  return "{" + text + "}";
}

std::string number(int64_t value) { return std::to_string(value); }

/// Loads the box at `start` to s and dumps it.
std::string loadBox(const TensorMap &map, const std::array<int32_t, 5> &start) {
  std::string bytes = number(static_cast<int64_t>(map.boxBytes()));
  return std::string(init) + "mov.u32 %r20, " + bytes +
         ";\n@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], " + bytes +
         ";\n@%p0 cp.async.bulk.tensor." + number(map.rank()) +
         "d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d2, " +
         braces(start, map.rank()) + "], [b0];\n" + wait0 + dump;
}

/// A map of bf16 with 3 dimensions and a swizzle of 128 bytes.
TensorMap usualMap() {
  TensorMap map = {};
  map.rankMinusOne = 2;
  map.elementType = static_cast<uint8_t>(TensorType::bf16);
  map.swizzle = 3;
  uint64_t dims[5] = {100, 20, 6, 1, 1}, strides[4] = {208, 4160, 0, 0};
  uint32_t box[5] = {64, 8, 2, 1, 1};
  std::copy(dims, dims + 5, map.globalDims);
  std::copy(strides, strides + 4, map.globalStrides);
  std::copy(box, box + 5, map.boxDims);
  std::fill_n(map.elementStrides, 5, 1);
  return map;
}

TensorMap randomMap(std::mt19937 &random) {
  const TensorType types[] = {TensorType::u8, TensorType::bf16, TensorType::f32,
                              TensorType::f64};
  TensorMap map = {};
  map.rankMinusOne = random() % 5;
  map.elementType = static_cast<uint8_t>(types[random() % 4]);
  map.swizzle = random() % 4;
  map.fill = isFloat(map.type()) && random() % 2;
  uint32_t bytes = elementBytes(map.type());
  uint64_t stride = 0;
  for (int d = 0; d < 5; ++d) {
    map.globalDims[d] = 1 + random() % (d == 0 ? 40 : 6);
    uint32_t units = map.swizzle ? 1u << map.swizzle : 4;
    map.boxDims[d] =
        d == 0 ? 16 / bytes * (1 + random() % units) : 1 + random() % 4;
    map.elementStrides[d] = 1 + (random() % 4 == 0);
    if (d < 4) {
      stride = d == 0 ? (map.globalDims[0] * bytes + 15) / 16 * 16
                      : stride * map.globalDims[d];
      map.globalStrides[d] = stride;
    }
  }
  return map;
}

std::array<int32_t, 5> randomStart(std::mt19937 &random) {
  std::array<int32_t, 5> start;
  for (int d = 0; d < 5; ++d) {
    start[d] = int32_t(random() % (d == 0 ? 40 : 8)) - (d == 0 ? 8 : 2);
  }
  return start;
}

/// The bytes of the box by the ISA's words, element by element: where each one
/// lies in shared memory, and where in the tensor (or nowhere).
template <typename F>
void eachElement(const TensorMap &map, const std::array<int32_t, 5> &start,
                 F act) {
  uint32_t bytes = elementBytes(map.type());
  uint64_t count = map.boxBytes() / bytes;
  for (uint64_t e = 0; e < count; ++e) {
    uint64_t rest = e, address = 0;
    bool isInside = true;
    for (int d = 0; d < map.rank(); ++d) {
      int64_t at = rest % map.boxExtent(d);
      rest /= map.boxExtent(d);
      at = start[d] + at * (d == 0 ? 1 : map.elementStrides[d]);
      isInside &= at >= 0 && at < int64_t(map.globalDims[d]);
      address += at * (d == 0 ? bytes : map.globalStrides[d - 1]);
    }
    uint32_t place = static_cast<uint32_t>(e * bytes);
    uint32_t unit = swizzled(place / 16 * 16, map.swizzle);
    act(unit + place % 16, isInside, address);
  }
}

} // namespace

// PTX ISA, "cp.async.bulk.tensor", "Tiled Mode", "Traversal-Stride", "Out of
// Boundary Access", "Swizzling Modes"
TEST(TensorCopy, boxesAreLoaded) {
  std::mt19937 random(4);
  int loaded = 0;
  for (int i = 0; i < 200; ++i) {
    TensorMap map = randomMap(random);
    std::array<int32_t, 5> start = randomStart(random);
    // Whole lines, so that all of s is written.
    if (map.boxBytes() % 128 != 0 || map.boxBytes() > 16384) {
      continue;
    }
    ++loaded;
    inBothModes([&](Trial &run) {
      run.map = map;
      run(loadBox(map, start));
      ASSERT_EQ(run.rule, "") << run.what;
      uint32_t bytes = elementBytes(map.type());
      eachElement(map, start,
                  [&](uint32_t place, bool isInside, uint64_t address) {
                    for (uint32_t b = 0; b < bytes; ++b) {
                      std::byte fill = map.fill == 0    ? std::byte(0)
                                       : b == bytes - 1 ? std::byte(0x7f)
                                                        : std::byte(0xff);
                      ASSERT_EQ(run.out[place + b],
                                isInside ? Trial::pattern(address + b) : fill);
                    }
                  });
    });
  }
  EXPECT_GT(loaded, 50);
}

// The same sections, from shared to global memory: what is out of bounds is not
// written.
TEST(TensorCopy, boxesAreStored) {
  std::mt19937 random(9);
  for (int i = 0; i < 120; ++i) {
    TensorMap map = randomMap(random);
    std::array<int32_t, 5> start = randomStart(random);
    map.fill = 0;
    if (map.boxBytes() > 8192) {
      continue;
    }
    std::string all = number((int64_t(map.boxBytes()) + 127) / 128 * 128);
    inBothModes([&](Trial &run) {
      run.map = map;
      run.mapsOut = true;
      run(std::string(init) +
          "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], " + all +
          ";\n@%p0 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::"
          "bytes [%r2], [%d0], " +
          all + ", [b0];\n" + wait0 + "@%p0 cp.async.bulk.tensor." +
          number(map.rank()) + "d.global.shared::cta.bulk_group [%d2, " +
          braces(start, map.rank()) +
          "], [%r2];\n@%p0 cp.async.bulk.commit_group;\n"
          "@%p0 cp.async.bulk.wait_group.read 0;\n");
      ASSERT_EQ(run.rule, "") << run.what;
      std::vector<std::byte> want(run.out.size());
      uint32_t bytes = elementBytes(map.type());
      eachElement(map, start,
                  [&](uint32_t place, bool isInside, uint64_t address) {
                    for (uint32_t b = 0; isInside && b < bytes; ++b) {
                      want[address + b] = Trial::pattern(place + b);
                    }
                  });
      ASSERT_EQ(run.out, want);
    });
  }
}

// PTX ISA, "cp.async.bulk.tensor", to another block of the cluster, whose
// mbarrier is signalled
TEST(TensorCopy, clusterDestinations) {
  inBothModes([](Trial &run) {
    run.map = usualMap();
    run.blocks = run.cluster = 8;
    run(R"(
      setp.eq.u32 %p0, %r0, 0;
      mov.u32 %r2, s;
      mov.u32 %r3, b0;
      @%p0 mbarrier.init.shared::cta.b64 [b0], 1;
      @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 2048;
      fence.mbarrier_init.release.cluster;
      barrier.cluster.arrive;
      barrier.cluster.wait;
      add.u32 %r4, %r1, 3;
      and.b32 %r4, %r4, 7;
      mapa.shared::cluster.u32 %r5, %r2, %r4;
      mapa.shared::cluster.u32 %r6, %r3, %r4;
      @%p0 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%d2, {0, %r1, 0}], [%r6];
    )" + std::string(wait0) +
        "mov.u32 %r20, 2048; mul.wide.u32 %d5, %r1, 2048; "
        "add.u64 %d1, %d1, %d5;" +
        dump + "barrier.cluster.arrive; barrier.cluster.wait;");
    ASSERT_EQ(run.rule, "") << run.what;
    for (int32_t rank = 0; rank < 8; ++rank) {
      uint32_t to = (rank + 3) % 8 * 2048;
      eachElement(usualMap(), {0, rank, 0, 0, 0},
                  [&](uint32_t place, bool isInside, uint64_t address) {
                    ASSERT_TRUE(isInside);
                    ASSERT_EQ(run.out[to + place], Trial::pattern(address));
                  });
    }
  });
}

TEST(TensorCopy, misuseIsFound) {
  auto finds = [](const std::string &body, const std::string &rule,
                  const TensorMap &map) {
    inBothModes([&](Trial &run) {
      run.map = map;
      run(std::string(init) + body);
      EXPECT_EQ(run.rule, rule) << run.what << body;
    });
  };
  const std::string load = "@%p0 cp.async.bulk.tensor.3d.shared::cta.global."
                           "mbarrier::complete_tx::bytes ";
  TensorMap map = usualMap();
  finds(load + "[%r2 + 64], [%d2, {0, 0, 0}], [b0];", "misaligned-address",
        map);
  finds(load + "[%r2], [%d2 + 16, {0, 0, 0}], [b0];", "misaligned-address",
        map);
  finds(load + "[%r2 + 15360], [%d2, {0, 0, 0}], [b0];", "out-of-bounds", map);
  finds(load + "[%r2], [%d0 + 65472, {0, 0, 0}], [b0];", "out-of-bounds", map);
  map.globalDims[2] = 60; // after the end of the allocation
  finds(load + "[%r2], [%d2, {0, 0, 40}], [b0];", "out-of-bounds", map);
  map = usualMap();
  map.rankMinusOne = 1;
  finds(load + "[%r2], [%d2, {0, 0, 0}], [b0];", "tensor-map", map);
  map = usualMap();
  map.boxDims[0] = 128;
  finds(load + "[%r2], [%d2, {0, 0, 0}], [b0];", "tensor-map", map);
  // The map may not lie in shared memory ("cp.async.bulk.tensor").
  finds("mov.u64 %d5, s; cvta.shared.u64 %d5, %d5;" + load +
            "[%r2], [%d5, {0, 0, 0}], [b0];",
        "wrong-space", usualMap());
  finds("@%p0 cp.async.bulk.tensor.3d.global.shared::cta.bulk_group "
        "[%d2, {0, 0, 0}], [%r2];",
        "uninitialised-read", usualMap());
}

/// A map that is made of zeros on the GPU, and used.
std::string mapOfZeros(const std::string &fence) {
  return std::string(init) + R"(
    mov.u32 %r3, 0;
    add.u32 %r4, %r2, 4096;
    mad.lo.u32 %r5, %r0, 4, %r4;
    st.shared.u32 [%r5], %r3;
    bar.warp.sync -1;
    @%p0 tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r4], %d0;
    @%p0 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r4], 1;
    mov.u32 %r6, 16;
    @%p0 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 0, %r6;
    @%p0 tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r4], 1, 4;
    @%p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 0, 40;
    @%p0 tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r4], 1, 9;
    mov.u64 %d5, 160;
    @%p0 tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r4], 0, %d5;
    @%p0 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r4], 0, 1;
    @%p0 tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r4], 1, 2;
    @%p0 tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r4], 7;
    @%p0 tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r4], 0;
    @%p0 tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r4], 2;
    @%p0 tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r4], 1;
    bar.warp.sync -1;
    add.u64 %d6, %d1, 8192;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d6], [%r4], 128;
)" + fence +
         R"(
    mov.u32 %r20, 128;
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [b0], 128;
    @%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d6, {32, 3}], [b0];
  )" + wait0 +
         dump;
}
const char *mapFence = "fence.proxy.tensormap::generic.acquire.gpu [%d6], 128;";

// PTX ISA, "membar / fence": fence.proxy.tensormap
TEST(TensorMaps, aChangedMapIsAcquiredBeforeItIsUsed) {
  startChecking();
  inBothModes([&](Trial &run) {
    run(mapOfZeros(mapFence));
    EXPECT_EQ(run.rule, "") << run.what;
    run(mapOfZeros(""));
    EXPECT_EQ(run.rule, "missing-proxy-fence");
    // of another map
    run(mapOfZeros("fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;"));
    EXPECT_EQ(run.rule, "missing-proxy-fence");
  });
  setObserver(ObserverKind::checker, nullptr);
}

// PTX ISA, "tensormap.replace" and "tensormap.cp_fenceproxy"
TEST(TensorMaps, zerosBecomeAMap) {
  inBothModes([&](Trial &run) {
    run(mapOfZeros(mapFence));
    ASSERT_EQ(run.rule, "") << run.what;
    TensorMap map = {};
    map.rankMinusOne = 1;
    map.elementType = static_cast<uint8_t>(TensorType::f32);
    map.boxDims[0] = 16, map.boxDims[1] = 4;
    map.globalDims[0] = 40, map.globalDims[1] = 9;
    map.globalStrides[0] = 160;
    map.elementStrides[1] = 2;
    map.swizzle = 2;
    map.fill = 1;
    eachElement(map, {32, 3, 0, 0, 0},
                [&](uint32_t place, bool isInside, uint64_t address) {
                  ASSERT_EQ(run.out[place], isInside ? Trial::pattern(address)
                                                     : std::byte(0xff));
                });
  });
}

TEST(TensorMaps, rulesOfReplace) {
  const std::string start = "tensormap.replace.tile.";
  refused(start + "elemtype.shared::cta.b1024.b32 [s], 13;", "0 to 12");
  refused(start + "elemtype.shared::cta.b1024.b32 [s], %r1;", "");
  refused(start + "swizzle_mode.shared::cta.b1024.b32 [s], 4;", "0 to 3");
  refused(start + "swizzle_atomicity.shared::cta.b1024.b32 [s], 0;", "sm_100");
  refused(start + "box_dim.shared::cta.b1024.b32 [s], 5, 7;", "ordinal");
  refused(start + "box_dim.shared::cta.b1024.b32 [s], %r1, 7;", "");
  refused(start + "global_stride.shared::cta.b1024.b32 [s], 0, 7;", "b64");
  refused(start + "rank.shared::cluster.b1024.b32 [s], 0;", "cluster");
  refused("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
          "release.gpu.sync.aligned [%d0], [s], 64;",
          "128");
  // A map that nobody has written
  inBothModes([&](Trial &run) {
    run("tensormap.replace.tile.rank.shared::cta.b1024.b32 [s], 1;");
    EXPECT_EQ(run.rule, "uninitialised-read");
  });
}

TEST(TensorCopy, formsThatAreNotThereAreRefused) {
  const std::string load = "cp.async.bulk.tensor.3d.shared::cluster.global";
  const std::string bytes = ".mbarrier::complete_tx::bytes";
  refused(load + ".im2col" + bytes + " [s], [%d2, {0, 0, 0}], [b0], {%r1};",
          "im2col is not modelled");
  refused(load + bytes + ".multicast::cluster [s], [%d2, {0, 0, 0}], [b0], 3;",
          "multicast is not modelled");
  refused("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile."
          "bulk_group [%d2, {0}], [s];",
          "reduction is not modelled");
  refused("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
          " [%d2, {0, 0, 0, 0, 0}], [s];",
          "scatter4 is not modelled");
  refused(load + bytes + " [s], [%d2, {0, 0}], [b0];", "3 dimensions");
  refused(load + bytes + ".cta_group::2 [s], [%d2, {0, 0, 0}], [b0];",
          "sm_100");
  refused("cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [%d2, {0}], "
          "[s];",
          "1d");
}

// PTX ISA, "cp.async.bulk.prefetch.tensor"
TEST(TensorCopy, prefetchesAreHints) {
  inBothModes([](Trial &run) {
    run.map = usualMap();
    run("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%d2, {0, 0, 0}];");
    EXPECT_EQ(run.rule, "") << run.what;
    run("cp.async.bulk.prefetch.tensor.2d.L2.global [%d2, {0, 0}];");
    EXPECT_EQ(run.rule, "tensor-map");
  });
}
