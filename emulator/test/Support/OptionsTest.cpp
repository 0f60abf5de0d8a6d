//===- OptionsTest.cpp ----------------------------------------------------===//
#include "Support/Options.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems::emulator;
using testing::HasSubstr;

namespace {

/// Sets a variable of the environment while it lives.
struct Setting {
  Setting(const char *name, const char *value) : name(name) {
    setenv(name, value, 1);
  }
  ~Setting() { unsetenv(name); }
  const char *name;
};

std::string refusal(const char *name, const char *value) {
  Setting setting(name, value);
  try {
    Options::fromEnvironment();
    return "";
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
}

} // namespace

TEST(Options, comeFromTheEnvironment) {
  Setting mode("CHEEMS_EMULATOR_MODE", "late"),
      seed("CHEEMS_EMULATOR_SEED", "18446744073709551615"),
      architecture("CHEEMS_EMULATOR_ARCH", "80"),
      multiprocessors("CHEEMS_EMULATOR_SM", "4"),
      threads("CHEEMS_EMULATOR_THREADS", "3"),
      memory("CHEEMS_EMULATOR_MEMORY", "2G"),
      drain("CHEEMS_EMULATOR_WGMMA_DRAIN", "off"),
      cache("CHEEMS_EMULATOR_CACHE", "cold"),
      strict("CHEEMS_EMULATOR_STRICT", "1");
  Options options = Options::fromEnvironment();
  EXPECT_EQ(options.asynchrony, Asynchrony::late);
  EXPECT_EQ(options.seed, UINT64_MAX);
  EXPECT_EQ(options.architecture, 80);
  EXPECT_EQ(options.multiprocessors, 4);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.memoryBytes, uint64_t(2) << 30);
  EXPECT_FALSE(options.implicitDrain);
  EXPECT_TRUE(options.coldCaches);
  EXPECT_TRUE(options.isStrict);
}

TEST(Options, theGPUHasAsManyMultiprocessorsAsItsArchitecture) {
  EXPECT_EQ(Options::fromEnvironment().multiprocessors, 132);
  Setting architecture("CHEEMS_EMULATOR_ARCH", "80");
  EXPECT_EQ(Options::fromEnvironment().multiprocessors, 108);
}

TEST(Options, anEmptyVariableIsNone) {
  Setting mode("CHEEMS_EMULATOR_MODE", ""),
      architecture("CHEEMS_EMULATOR_ARCH", "");
  EXPECT_EQ(Options::fromEnvironment().asynchrony, Asynchrony::early);
  EXPECT_EQ(Options::fromEnvironment().architecture, 90);
  EXPECT_TRUE(Options::fromEnvironment().implicitDrain);
  EXPECT_FALSE(Options::fromEnvironment().isStrict);
}

TEST(Options, wrongValuesAreRefusedByName) {
  EXPECT_THAT(
      refusal("CHEEMS_EMULATOR_MODE", "soon"),
      HasSubstr("CHEEMS_EMULATOR_MODE is 'soon', but must be early or late"));
  EXPECT_THAT(refusal("CHEEMS_EMULATOR_ARCH", "70"),
              HasSubstr("must be 80 or 90"));
  for (const char *value : {"-1", "x", "1x", "18446744073709551616", " 1"}) {
    EXPECT_THAT(refusal("CHEEMS_EMULATOR_SEED", value),
                HasSubstr("must be a whole number"))
        << value;
  }
  EXPECT_THAT(refusal("CHEEMS_EMULATOR_WGMMA_DRAIN", "no"),
              HasSubstr("must be on or off"));
  EXPECT_THAT(refusal("CHEEMS_EMULATOR_STRICT", "yes"),
              HasSubstr("CHEEMS_EMULATOR_STRICT is 'yes', but must be 1 or 0"));
  EXPECT_THAT(refusal("CHEEMS_EMULATOR_CACHE", "warm"),
              HasSubstr("must be cold or kept"));
  EXPECT_THAT(refusal("CHEEMS_EMULATOR_SM", "0"), HasSubstr("of 1 to 1024"));
  for (const char *value : {"1T", "1GG", "1", "99999999999999G"}) {
    EXPECT_THAT(refusal("CHEEMS_EMULATOR_MEMORY", value),
                HasSubstr("K, M or G"))
        << value;
  }
}
