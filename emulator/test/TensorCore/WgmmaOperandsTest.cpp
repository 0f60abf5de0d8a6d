//===- WgmmaOperandsTest.cpp - What observers are told of wgmma -----------===//
#include "Machine/Block.h"
#include "Machine/Observer.h"
#include "Support/Forms.h"
#include "TensorCore/MatrixDescriptor.h"

#include <map>
#include <set>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

/// What an observer of the only block has heard.
struct Heard {
  std::multiset<uint64_t> bytes;
  std::map<uint32_t, uint64_t> last; ///< by warp
  uint64_t operation = 0;
} heard;

class Listener : public BlockObserver {
public:
  void startAsync(Warp &warp, const Instruction &,
                  const AsyncRange &range) override {
    EXPECT_EQ(range.kind, AsyncKind::product);
    EXPECT_EQ(range.effect, Effect::load);
    EXPECT_EQ(range.proxy, Proxy::async);
    EXPECT_EQ(range.space, Space::shared);
    EXPECT_EQ(range.owner, &warp.block);
    heard.operation = range.operation;
    for (uint32_t i = 0; i < range.counts[0]; ++i) {
      for (uint32_t j = 0; j < range.counts[1]; ++j) {
        for (uint32_t k = 0; k < range.counts[2]; ++k) {
          for (uint64_t byte = 0; byte < range.bytes; ++byte) {
            heard.bytes.insert(range.address + i * range.strides[0] +
                               j * range.strides[1] + k * range.strides[2] +
                               byte);
          }
        }
      }
    }
  }
  void endAsync(Warp &warp, const Instruction &, LaneMask lanes, AsyncKind kind,
                uint64_t last, bool) override {
    EXPECT_EQ(lanes, allLanes);
    EXPECT_EQ(kind, AsyncKind::product);
    heard.last[warp.index] = last;
  }
};

class ListenerOfGrid : public GridObserver {
public:
  std::unique_ptr<BlockObserver> startBlock(Block &) override {
    return std::make_unique<Listener>();
  }
};

std::unique_ptr<GridObserver> listen(Device &, const Launch &) {
  return std::make_unique<ListenerOfGrid>();
}

/// Offsets of a matrix of 64 rows and 16 columns of 16 bits without gaps.
uint64_t descriptor(uint32_t start, uint32_t mode, bool alongRows) {
  uint32_t swizzle = MatrixDescriptor(uint64_t(mode) << 62).swizzleBytes;
  uint32_t atom = 8 * swizzle, atoms = 128 / swizzle;
  uint32_t leading = mode ? 16 : 128, stride = mode ? atom : 256;
  if (alongRows) {
    leading = mode ? atom : atoms * atom;
    stride = mode ? atoms * atom : atom;
  }
  return start >> 4 | uint64_t(leading >> 4) << 16 |
         uint64_t(stride >> 4) << 32 | uint64_t(mode) << 62;
}

void addBytes(std::multiset<uint64_t> &bytes, uint64_t bits, bool alongRows) {
  MatrixDescriptor matrix(bits);
  for (uint32_t i = 0; i < 128; ++i) {
    uint32_t address = alongRows ? matrix.alongRows(i / 16, i % 16)
                                 : matrix.alongK(i / 2, i % 2);
    for (uint32_t byte = 0; byte < 16; ++byte) {
      bytes.insert(address + byte);
    }
  }
}

void check(uint32_t modeOfA, bool aAlongRows, uint32_t modeOfB, bool bAlongRows,
           uint32_t step) {
  uint64_t a = descriptor(step, modeOfA, aAlongRows);
  uint64_t b = descriptor(8192, modeOfB, bAlongRows);
  std::string body = R"(
.shared .align 1024 .b8 big[16384]; .reg .f32 %e<32>;
mov.u32 %r0, big; shl.b32 %r1, %lane, 4; add.s32 %r1, %r0, %r1;
mov.b32 %r2, 0; mov.b32 %r3, 0;
fill:
st.shared.v4.b32 [%r1], {%r2, %r2, %r2, %r2};
add.s32 %r1, %r1, 2048; add.s32 %r3, %r3, 1;
setp.lt.u32 %p0, %r3, 8; @%p0 bra fill;
fence.proxy.async.shared::cta; bar.sync 0;
shr.u32 %r0, %r0, 4; cvt.u64.u32 %l0, %r0;
)";
  body += "mov.b64 %l1, " + std::to_string(a) + "; add.s64 %l1, %l1, %l0;" +
          "mov.b64 %l2, " + std::to_string(b) + "; add.s64 %l2, %l2, %l0;" +
          "wgmma.fence.sync.aligned;"
          "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {";
  for (int i = 0; i < 32; ++i) {
    body += (i ? ", %e" : "%e") + std::to_string(i);
  }
  body += "}, %l1, %l2, 0, 1, 1, " + std::to_string(aAlongRows) + ", " +
          std::to_string(bAlongRows) +
          "; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned "
          "0;\n";
  heard = {};
  setObserver(ObserverKind::checker, listen);
  RunOptions warpgroup;
  warpgroup.block = {128, 1, 1};
  run(body, {}, 1, warpgroup);
  setObserver(ObserverKind::checker, nullptr);
  // The kernel has another variable before this one.
  std::multiset<uint64_t> expected;
  uint64_t base = heard.bytes.empty() ? 0 : *heard.bytes.begin() & ~1023ull;
  addBytes(expected, a + (base >> 4), aAlongRows);
  addBytes(expected, b + (base >> 4), bAlongRows);
  EXPECT_EQ(heard.bytes, expected)
      << modeOfA << aAlongRows << modeOfB << bAlongRows << " " << step;
  for (uint32_t warp = 0; warp < 4; ++warp) {
    EXPECT_EQ(heard.last[warp], heard.operation);
  }
}

// PTX ISA, "Canonical Layouts": each byte of both operands is told once, and
// each warp that waits ends the operation.
TEST(WgmmaOperands, AllBytesAreTold) {
  for (uint32_t mode = 0; mode < 4; ++mode) {
    for (bool a : {false, true}) {
      for (bool b : {false, true}) {
        check(mode, a, 3 - mode, b, 0);
      }
    }
  }
  check(1, false, 1, false, 64); // the third step along k
}

} // namespace
