// What the environment may say of runs on a GPU, and what is refused.
#include "runtime/Executor/CUDA/Switches.h"
#include "SoftwareGPU.h"

using namespace cheems;
using namespace cheems::cuda;
using namespace cheems::test;

namespace {

struct Variable {
  Variable(const char *name, const char *value) : name(name) {
    setenv(name, value, /*overwrite=*/1);
  }
  ~Variable() { unsetenv(name); }
  const char *name;
};

TEST(Switches, areOnWhereNothingIsSaid) {
  Switches switches = Switches::ofEnvironment();
  EXPECT_TRUE(switches.graphs);
  EXPECT_TRUE(switches.overlap);
  EXPECT_FALSE(switches.carveout);
}

TEST(Switches, areWhatTheEnvironmentSays) {
  {
    Variable off("CHEEMS_CUDA_GRAPHS", "off");
    EXPECT_FALSE(Switches::ofEnvironment().graphs);
    EXPECT_TRUE(Switches::ofEnvironment().overlap);
  }
  {
    Variable off("CHEEMS_CUDA_OVERLAP", "off"), on("CHEEMS_CUDA_GRAPHS", "on");
    EXPECT_TRUE(Switches::ofEnvironment().graphs);
    EXPECT_FALSE(Switches::ofEnvironment().overlap);
  }
  for (const char *value : {"0", "75", "100"}) {
    Variable carveout("CHEEMS_CUDA_CARVEOUT", value);
    EXPECT_EQ(std::to_string(*Switches::ofEnvironment().carveout), value);
  }
}

TEST(Switches, refuseWhatTheyDoNotKnow) {
  for (const char *name : {"CHEEMS_CUDA_GRAPHS", "CHEEMS_CUDA_OVERLAP"}) {
    Variable wrong(name, "0");
    EXPECT_EQ(refusal(Switches::ofEnvironment),
              std::string("2: ") + name +
                  " is '0', not on or off; correct it or unset it");
  }
  for (const char *value : {"101", "-1", "most", "5%", "99999999999"}) {
    Variable wrong("CHEEMS_CUDA_CARVEOUT", value);
    EXPECT_EQ(refusal(Switches::ofEnvironment),
              std::string("2: CHEEMS_CUDA_CARVEOUT is '") + value +
                  "', not a number from 0 to 100; correct it or unset it");
  }
}

} // namespace
