//===- LoadTest.cpp -------------------------------------------------------===//
#include "Decode/Program.h"
#include "Machine/Launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using testing::HasSubstr;

namespace {

constexpr const char *kernels =
    ".version 8.3\n.target sm_80\n.address_size 64\n"
    ".global .align 4 .b32 table[3] = {1, 2, 3};\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry first(.param .u32 n, .param .align 64 .b8 map[128],\n"
    ".param .u16 h, .param .u64 p) .reqntid 64 {\n"
    ".reg .b32 %r<3>; .reg .b64 %d<3>; .shared .b32 total;\n"
    ".local .align 8 .b8 stack[20];\n"
    "ld.param.u32 %r1, [n]; st.shared.u32 [total], %r1;\n"
    "st.shared.u32 [dynamic], %r1; mov.u64 %d1, stack; ret; }\n"
    ".entry second() { exit; }\n"
    ".func helper() { ret; }\n";

class Load : public testing::Test {
protected:
  std::unique_ptr<Module> load(const std::string &ptx) {
    return Module::load(device, ptx);
  }
  /// The message that refuses a text; empty: it is taken.
  std::string refusal(const std::string &ptx) {
    try {
      load(ptx);
    } catch (const Refusal &refusal) {
      return refusal.what();
    } catch (const NotModelled &notModelled) {
      return notModelled.what();
    }
    return "";
  }
  static std::string target(const std::string &name) {
    return ".version 8.3\n.target " + name +
           "\n.address_size 64\n.entry k() { ret; }\n";
  }

  static Options options(int architecture) {
    Options options;
    options.memoryBytes = 1 << 20;
    options.architecture = architecture;
    return options;
  }
  Device device{options(90)};
};

} // namespace

TEST_F(Load, findsKernelsByName) {
  auto module = load(kernels);
  EXPECT_EQ(module->kernels().size(), 2u);
  EXPECT_NE(module->kernel("second"), nullptr);
  EXPECT_EQ(module->kernel("helper"), nullptr); // no entry
  EXPECT_EQ(module->kernel("third"), nullptr);
}

// PTX ISA, "Kernel Function Parameters": each lies at a multiple of its
// alignment.
TEST_F(Load, placesParameters) {
  auto module = load(kernels);
  const Kernel &kernel = *module->kernel("first");
  ASSERT_EQ(kernel.parameters.size(), 4u);
  EXPECT_EQ(kernel.parameters[0].offset, 0u);
  EXPECT_EQ(kernel.parameters[1].offset, 64u);
  EXPECT_EQ(kernel.parameters[1].bytes, 128u);
  EXPECT_EQ(kernel.parameters[1].alignment, 64u);
  EXPECT_EQ(kernel.parameters[2].offset, 192u);
  EXPECT_EQ(kernel.parameters[3].offset, 200u);
  EXPECT_EQ(kernel.parameterBytes, 208u);
}

TEST_F(Load, knowsWhatAKernelNeeds) {
  auto module = load(kernels);
  const Kernel &kernel = *module->kernel("first");
  EXPECT_EQ(kernel.name, "first");
  EXPECT_EQ(kernel.maxThreads, 64u);
  EXPECT_EQ(kernel.staticSharedBytes, 16u); // dynamic memory begins there
  EXPECT_GE(kernel.localBytes, 20u);
  EXPECT_EQ(kernel.registers, 16);
  EXPECT_EQ(kernel.program->kernel, "first");
  EXPECT_EQ(module->kernel("second")->staticSharedBytes, 0u);
}

TEST_F(Load, findsVariablesAndFreesThemWithTheModule) {
  auto module = load(kernels);
  const Module::Global *table = module->global("table");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->bytes, 12u);
  EXPECT_TRUE(device.memory.contains(table->address, 12));
  EXPECT_EQ(module->global("dynamic"), nullptr);
  module.reset();
  EXPECT_TRUE(device.memory.live().empty());
}

TEST_F(Load, freesVariablesOfWhatIsRefused) {
  EXPECT_THAT(refusal(".version 8.3\n.target sm_80\n.address_size 64\n"
                      ".global .b32 x;\n.entry k() {\nfrobnicate; }\n"),
              HasSubstr("ptx line 6: frobnicate"));
  EXPECT_TRUE(device.memory.live().empty());
}

// PTX ISA, "PTX Module Directives: .target": older code runs on newer GPUs,
// code with the suffix `a` on its own architecture alone.
TEST_F(Load, takesTargetsThatTheGPUHas) {
  for (const char *name : {"sm_70", "sm_80", "sm_89", "sm_90", "sm_90a"}) {
    EXPECT_EQ(refusal(target(name)), "") << name;
  }
  EXPECT_THAT(refusal(target("sm_100")), HasSubstr("'sm_100' does not run"));
  Device older(options(80));
  EXPECT_THROW(Module::load(older, target("sm_90")), Refusal);
  EXPECT_THROW(Module::load(older, target("sm_90a")), Refusal);
  EXPECT_NO_THROW(Module::load(older, target("sm_80")));
}

TEST_F(Load, needsAddressesOf64Bits) {
  EXPECT_NE(refusal(".version 8.3\n.target sm_80\n.address_size 32\n"
                    ".entry k() { ret; }\n"),
            "");
}

TEST_F(Load, refusesVariablesThatAreUsedButNotDefined) {
  EXPECT_THAT(refusal(".version 8.3\n.target sm_80\n.address_size 64\n"
                      ".extern .global .b32 elsewhere;\n"
                      ".entry k() { .reg .b64 %d; mov.u64 %d, elsewhere; }\n"),
              HasSubstr("'elsewhere' is declared but not defined"));
}
