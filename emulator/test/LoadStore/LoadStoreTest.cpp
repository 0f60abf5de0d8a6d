//===- LoadStoreTest.cpp - ld and st are executed -------------------------===//
// PTX ISA, "Data Movement and Conversion Instructions: ld" and "st"
#include "Support/OneKernel.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace cheems::emulator;
using namespace cheems::emulator::test;

namespace {

std::vector<uint32_t> counting(size_t count, uint32_t first = 0) {
  std::vector<uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// "Operand Size Exceeding Instruction-Type Size": a destination is extended by
// sign for signed types, else by zeros.
TEST(LoadStore, NarrowLoadsAreExtended) {
  std::vector<uint32_t> out = run(R"(
    ld.global.s8 %r1, [%in]; st.global.b32 [%out], %r1;
    ld.global.u8 %r1, [%in]; st.global.b32 [%out+4], %r1;
    ld.global.b8 %r1, [%in]; st.global.b32 [%out+8], %r1;
    ld.global.s16 %r1, [%in]; st.global.b32 [%out+12], %r1;
    ld.global.u16 %r1, [%in]; st.global.b32 [%out+16], %r1;
    ld.global.s8 %h1, [%in]; st.global.b16 [%out+20], %h1;
    ld.global.b8 %h1, [%in]; st.global.b16 [%out+22], %h1;
    ld.global.s32 %l1, [%in]; st.global.b64 [%out+24], %l1;
    ld.global.u32 %l1, [%in]; st.global.b64 [%out+32], %l1;
    ld.global.f32 %l1, [%in]; st.global.b64 [%out+40], %l1;
    ld.global.s16 %l1, [%in]; st.global.b64 [%out+48], %l1;
    ld.global.s64 %x1, [%in]; st.global.b128 [%out+64], %x1;
    ld.global.b64 %x1, [%in]; st.global.b128 [%out+80], %x1;
    ld.global.s8 %x1, [%in]; st.global.b128 [%out+96], %x1;
    ld.global.b16 %f1, [%in]; st.global.b32 [%out+56], %f1;
  )",
                                  {0x8765fa83, 0x87654321});
  EXPECT_EQ(out[0], 0xffffff83u);
  EXPECT_EQ(out[1], 0x83u);
  EXPECT_EQ(out[2], 0x83u);
  EXPECT_EQ(out[3], 0xfffffa83u);
  EXPECT_EQ(out[4], 0xfa83u);
  EXPECT_EQ(out[5], 0x0083ff83u);
  EXPECT_EQ(out[6], 0x8765fa83u);
  EXPECT_EQ(out[7], 0xffffffffu);
  EXPECT_EQ(out[8], 0x8765fa83u);
  EXPECT_EQ(out[9], 0u);
  EXPECT_EQ(out[10], 0x8765fa83u);
  EXPECT_EQ(out[11], 0u);
  EXPECT_EQ(out[12], 0xfffffa83u);
  EXPECT_EQ(out[13], 0xffffffffu);
  EXPECT_EQ(out[14], 0xfa83u);
  EXPECT_EQ(
      std::vector<uint32_t>(out.begin() + 16, out.begin() + 28),
      (std::vector<uint32_t>{0x8765fa83, 0x87654321, 0xffffffff, 0xffffffff,
                             0x8765fa83, 0x87654321, 0, 0, 0xffffff83,
                             0xffffffff, 0xffffffff, 0xffffffff}));
}

// "Operand Size Exceeding Instruction-Type Size": a source is chopped.
TEST(LoadStore, WideRegistersAreChopped) {
  std::vector<uint32_t> out = run(R"(
    ld.global.b128 %x1, [%in];
    ld.global.b64 %l1, [%in];
    st.global.b8 [%out], %l1; st.global.u16 [%out+4], %l1;
    st.global.s32 [%out+8], %l1; st.global.b8 [%out+12], %x1;
    st.global.b32 [%out+16], %x1; st.global.b64 [%out+24], %x1;
    st.global.v2.b8 [%out+32], {%l1, 5};
    st.global.b8 [%out+36], -1; st.global.f32 [%out+40], 1.0;
    st.global.f64 [%out+48], 1.0; st.global.v2.f32 [%out+56], {0f40000000, 3.0};
  )",
                                  {0x44332211, 0x88776655, 1, 2}, 16);
  EXPECT_EQ(out, (std::vector<uint32_t>{0x11, 0x2211, 0x44332211, 0x11,
                                        0x44332211, 0, 0x44332211, 0x88776655,
                                        0x0511, 0xff, 0x3f800000, 0, 0,
                                        0x3ff00000, 0x40000000, 0x40400000}));
}

/// Each lane copies `bytes` at a stride of 16 bytes (or of `bytes`) with one
/// load and one store.
void expectCopies(const std::string &suffix, const std::string &registers,
                  uint32_t bytes, bool contiguous) {
  std::string stride = contiguous ? std::to_string(bytes) : "16";
  std::vector<uint32_t> in = counting(128, 0x01020304);
  for (uint32_t &word : in) {
    word *= 2654435761u;
  }
  for (const char *guard : {"", "@%p1 "}) {
    std::vector<uint32_t> out =
        run("and.b32 %r30, %lane, 2; setp.eq.u32 %p1, %r30, 0;"
            "mul.wide.u32 %l1, %lane, " +
                stride + "; add.s64 %l2, %in, %l1; add.s64 %l3, %out, %l1;\n" +
                guard + "ld.global." + suffix + " " + registers + ", [%l2];\n" +
                guard + "st.global." + suffix + " [%l3], " + registers + ";",
            in, 128);
    std::vector<unsigned char> expected(512);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (*guard && (lane & 2)) {
        continue;
      }
      uint32_t at = lane * (contiguous ? bytes : 16);
      std::memcpy(expected.data() + at,
                  reinterpret_cast<unsigned char *>(in.data()) + at, bytes);
    }
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), 512), 0)
        << guard << suffix << " " << stride;
  }
}

TEST(LoadStore, VectorsAndAllWidths) {
  for (bool contiguous : {true, false}) {
    expectCopies("b8", "%h1", 1, contiguous);
    expectCopies("b16", "%h1", 2, contiguous);
    expectCopies("b32", "%r1", 4, contiguous);
    expectCopies("f32", "%f1", 4, contiguous);
    expectCopies("b64", "%l9", 8, contiguous);
    expectCopies("f64", "%d1", 8, contiguous);
    expectCopies("b128", "%x1", 16, contiguous);
    expectCopies("v2.b8", "{%h1, %h2}", 2, contiguous);
    expectCopies("v4.b8", "{%h1, %h2, %h3, %h4}", 4, contiguous);
    expectCopies("v2.u16", "{%r1, %r2}", 4, contiguous);
    expectCopies("v4.b16", "{%h1, %h2, %h3, %h4}", 8, contiguous);
    expectCopies("v2.f32", "{%f1, %f2}", 8, contiguous);
    expectCopies("v4.b32", "{%r1, %r2, %r3, %r4}", 16, contiguous);
    expectCopies("v2.b64", "{%l9, %l10}", 16, contiguous);
    expectCopies("v4.s8", "{%r1, %r2, %r3, %r4}", 4, contiguous);
    expectCopies("v2.u32", "{%l9, %l10}", 8, contiguous);
  }
}

// "ld with vector: a sink takes what nobody wants"
TEST(LoadStore, SinksInVectors) {
  std::vector<uint32_t> out = run("ld.global.v4.b32 {%r1, _, _, %r4}, [%in];"
                                  "st.global.v2.b32 [%out], {%r1, %r4};",
                                  counting(4, 5), 2);
  EXPECT_EQ(out, (std::vector<uint32_t>{5, 8}));
}

// "Vectors as Operands": a register of a vector type stands for its elements.
TEST(LoadStore, VectorRegisters) {
  std::vector<uint32_t> out = run(".reg .v4 .b32 %v;"
                                  "ld.global.v4.b32 %v, [%in];"
                                  "add.u32 %v.y, %v.y, 100;"
                                  "st.global.v4.b32 [%out], %v;",
                                  counting(4, 5), 4);
  EXPECT_EQ(out, (std::vector<uint32_t>{5, 106, 7, 8}));
}

// "Addresses as Operands": [reg], [reg+imm], [variable], [variable+imm]
TEST(LoadStore, AddressesOfAllSpaces) {
  std::vector<uint32_t> out = run(R"(
    mov.b32 %r1, 7; mov.b32 %r2, 9;
    st.shared.b32 [sv+8], %r1; st.local.b32 [lv+4], %r2; st.global.b32 [gv+16], %r2;
    ld.shared.b32 %r3, [sv+8]; st.global.b32 [%outl], %r3;
    mov.u32 %r4, sv; ld.shared.b32 %r3, [%r4+8]; st.global.b32 [%out+4], %r3;
    mov.u64 %l4, sv; ld.shared.b32 %r3, [%l4+8]; st.global.b32 [%out+8], %r3;
    ld.local.b32 %r3, [lv+4]; st.global.b32 [%out+12], %r3;
    ld.global.b32 %r3, [gv+16]; st.global.b32 [%out+16], %r3;
    ld.const.b32 %r3, [cv+12]; st.global.b32 [%out+20], %r3;
    ld.b32 %r3, [cv+16]; st.global.b32 [%out+24], %r3;
    ld.shared::cta.b32 %r3, [sv+8]; st.global.b32 [%out+28], %r3;
    ld.shared::cluster.b32 %r3, [sv+8]; st.global.b32 [%out+32], %r3;
    mov.u32 %r4, 0xfffffffc; ld.shared.b32 %r3, [%r4+12]; st.global.b32 [%out+36], %r3;
  )");
  EXPECT_EQ(std::vector<uint32_t>(out.begin() + 1, out.begin() + 10),
            (std::vector<uint32_t>{7, 7, 9, 9, 44, 55, 7, 7, 7}));
}

// "Generic Addressing": the window of an address decides its space, lane by
// lane.
TEST(LoadStore, GenericAddresses) {
  std::vector<uint32_t> out = run(R"(
    cvta.shared.u64 %l1, sv; mov.u64 %l9, lv; cvta.local.u64 %l2, %l9; cvta.global.u64 %l3, %outl;
    add.s64 %l1, %l1, %by4;
    setp.lt.u32 %p1, %lane, 8; setp.lt.u32 %p2, %lane, 20;
    selp.b64 %l5, %l2, %l3, %p2; selp.b64 %l6, %l1, %l5, %p1;
    st.b32 [%l6], %lane;
    ld.b32 %r1, [%l6];
    add.u32 %r1, %r1, 100;
    bar.warp.sync -1;
    st.global.b32 [%outl+128], %r1;
    ld.shared.b32 %r2, [sv+28]; @%p1 st.global.b32 [%outl], %r2;
    ld.local.b32 %r2, [lv]; @!%p1 st.global.b32 [%outl+256], %r2;
  )",
                                  {}, 96);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane + 32], lane + 100);
    EXPECT_EQ(out[lane], lane < 8 ? 7 : lane < 20 ? 0 : lane);
  }
}

// "Parameter State Space": parameters are read by name, and by an address that
// is computed.
TEST(LoadStore, KernelParameters) {
  std::vector<uint32_t> out = run(R"(
    ld.param.b8 %r1, [pv+3]; st.global.b32 [%out], %r1;
    ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [pv+16]; st.global.b32 [%out+4], %r3;
    ld.param.v2.u16 {%r1, %r2}, [pv+8]; st.global.b32 [%out+8], %r2;
    setp.gt.u32 %p1, %lane, 3; mov.b32 %r5, 1;
    @%p1 ld.param.s16 %r5, [pv+2]; @!%p1 st.global.b32 [%out+12], %r5;
    mov.u64 %l1, pv; add.s64 %l1, %l1, %by4; ld.param.b32 %r6, [%l1];
    st.global.b32 [%outl+128], %r6;
    ld.param::entry.b32 %r7, [pv]; st.global.b32 [%out+16], %r7;
  )",
                                  {}, 64);
  EXPECT_EQ(out[0], 3u);
  EXPECT_EQ(out[1], 0x1b1a1918u);
  EXPECT_EQ(out[2], 0x0b0au);
  EXPECT_EQ(out[3], 1u);
  EXPECT_EQ(out[4], 0x03020100u);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[32 + lane], 0x03020100u + lane * 0x04040404u);
  }
}

TEST(LoadStore, HintsChangeNothing) {
  std::vector<uint32_t> out = run(R"(
    createpolicy.fractional.L2::evict_last.b64 %l1, 0.5;
    ld.global.L1::no_allocate.L2::cache_hint.L2::128B.b32 %r1, [%inl], %l1;
    ld.global.nc.L1::evict_last.b32 %r2, [%inl];
    ld.volatile.global.b32 %r3, [%inl]; ld.relaxed.gpu.global.b32 %r4, [%inl];
    ld.acquire.sys.b32 %r5, [%inl]; ldu.global.b32 %r6, [%inl]; ld.weak.global.cg.b32 %r7, [%inl];
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;
    add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6; add.u32 %r1, %r1, %r7;
    st.release.gpu.global.L2::cache_hint.b32 [%outl], %r1, %l1;
    st.volatile.global.b32 [%outl+128], %r1; st.relaxed.cta.b32 [%outl+256], %r1;
    st.global.wt.b32 [%outl+384], %r1;
  )",
                                  counting(32), 128);
  for (uint32_t i = 0; i < 128; ++i) {
    EXPECT_EQ(out[i], i % 32 * 7);
  }
}

// "Addresses as Operands: the address must be naturally aligned to a multiple
// of the access size"; a vector's size is that of all of it.
TEST(LoadStore, WrongAddresses) {
  EXPECT_EQ(finding("ld.global.b32 %r1, [%in+2];", {1, 2}),
            "misaligned-address");
  EXPECT_EQ(finding("ld.global.v2.b32 {%r1, %r2}, [%in+4];", {1, 2, 3}),
            "misaligned-address");
  EXPECT_EQ(finding("ld.global.b32 %r1, [%in+8];", {1, 2}), "out-of-bounds");
  EXPECT_EQ(finding("ld.param.b32 %r1, [pv+126];"), "misaligned-address");
  EXPECT_EQ(finding("ld.param.b32 %r1, [pv+128];"), "out-of-bounds");
  EXPECT_EQ(finding("ld.shared.b32 %r1, [sv];"), "uninitialised-read");
}

// PTX ISA, "Memory Consistency Model: Scope": blocks see each other through
// strong accesses of the gpu's scope and wider.
TEST(LoadStore, StrongAccessesCommunicate) {
  EXPECT_FALSE(communicates("ld.global.b32 %r1, [%in];"));
  EXPECT_FALSE(communicates("ld.volatile.shared.b32 %r1, [sv];"));
  EXPECT_FALSE(communicates("ld.relaxed.cta.global.b32 %r1, [%in];"));
  EXPECT_TRUE(communicates("ld.relaxed.gpu.global.b32 %r1, [%in];"));
  EXPECT_TRUE(communicates("ld.acquire.sys.b32 %r1, [%in];"));
  EXPECT_TRUE(communicates("ld.volatile.global.b32 %r1, [%in];"));
  EXPECT_TRUE(communicates("st.release.gpu.global.b32 [%out], %r1;"));
  EXPECT_FALSE(communicates("atom.shared.add.u32 %r1, [sv], 1;"));
  EXPECT_FALSE(communicates("red.cta.global.add.u32 [%out], 1;"));
  EXPECT_TRUE(communicates("red.global.add.u32 [%out], 1;"));
  EXPECT_TRUE(communicates("fence.acq_rel.gpu;"));
  EXPECT_TRUE(communicates("membar.gl;"));
  EXPECT_FALSE(communicates("fence.sc.cta;"));
  EXPECT_FALSE(communicates("fence.proxy.async;"));
}

} // namespace
