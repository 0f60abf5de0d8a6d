// Which code of a file is loaded into a card. The software GPU takes text where
// machine code is expected, so here both are text.
#include "runtime/Executor/CUDA/CudaModule.h"
#include "SoftwareGPU.h"
#include <gmock/gmock.h>

using namespace cheems;
using namespace cheems::cuda;
using namespace cheems::test;
using testing::HasSubstr;

namespace {

const std::string &text() {
  static const std::string ptx = std::string(".version 7.1\n"
                                             ".target sm_80\n"
                                             ".address_size 64\n"
                                             ".visible .entry nothing()\n"
                                             "{\n"
                                             "  ret;\n"
                                             "}\n") +
                                 '\0';
  return ptx;
}

CardCode codeFor(const std::string &architecture, bool hasCubin) {
  CardCode code;
  code.architecture = architecture;
  code.path = "images[0].cards[0]";
  code.ptx = text();
  if (hasCubin) {
    code.cubin = text();
  }
  return code;
}

/// Text and machine code for the card, text alone for older ones.
CudaImage both() {
  CudaImage image;
  image.cards = {codeFor("sm_80", false), codeFor("sm_90a", true)};
  return image;
}

struct Image {
  explicit Image(const char *name) {
    setenv("CHEEMS_CUDA_IMAGE", name, /*overwrite=*/1);
  }
  ~Image() { unsetenv("CHEEMS_CUDA_IMAGE"); }
};

/// The card's context is made current, then code is loaded.
constexpr long firstLoad = 2;

std::string loaded(const CudaImage &image) {
  return CudaModule(std::make_shared<Context>(0), image, "m.cheems").name();
}

/// What is loaded where the driver answers `code` when it gets code first.
std::string loadedBehind(int code, const CudaImage &image) {
  const FaultyDriver &faulty = useSoftwareGPU();
  auto card = std::make_shared<Context>(0);
  faulty.failCall(firstLoad, code);
  std::string name = CudaModule(card, image, "m.cheems").name();
  faulty.failCall(0, 0);
  return name;
}

TEST(CudaModule, machineCodeForTheCardIsFirst) {
  useSoftwareGPU();
  EXPECT_EQ(loaded(both()), "sm_90a.cubin");
  CudaImage older;
  older.cards = {codeFor("sm_80", true)}; // whose machine code is for 8.x
  EXPECT_EQ(loaded(older), "sm_80.ptx");
}

TEST(CudaModule, whereTheDriverTakesNoMachineCodeItGetsTheText) {
  for (int code : {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
                   CUDA_ERROR_INVALID_PTX}) {
    EXPECT_EQ(loadedBehind(code, both()), "sm_90a.ptx") << code;
  }
}

TEST(CudaModule, otherFailuresOfMachineCodeAreNoReasonForTheText) {
  EXPECT_THAT(refusal([] { loadedBehind(CUDA_ERROR_OUT_OF_MEMORY, both()); }),
              HasSubstr("m.cheems: its code for sm_90a cannot be loaded: "
                        "CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST(CudaModule, anOlderDriverIsToldWithBothVersions) {
  CudaImage image;
  image.cards = {codeFor("sm_80", false)};
  std::string text =
      refusal([&] { loadedBehind(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, image); });
  EXPECT_EQ(text, "3: m.cheems: its code for GPUs is PTX 7.1, which the driver "
                  "of CUDA 12.3 does not know; install a newer driver");
}

TEST(CudaModule, theImageThatIsNamedIsLoadedOrRefused) {
  const FaultyDriver &faulty = useSoftwareGPU();
  for (const char *name : {"sm_80.ptx", "sm_90a.ptx", "sm_90a.cubin"}) {
    Image forced(name);
    EXPECT_EQ(loaded(both()), name);
  }
  for (const char *name : {"sm_80.cubin", "sm_70.ptx", "sm_80", "sm_80.elf"}) {
    Image forced(name);
    EXPECT_EQ(refusal([] { loaded(both()); }),
              std::string("2: CHEEMS_CUDA_IMAGE asks for '") + name +
                  "', but m.cheems has: sm_80.ptx, sm_90a.ptx, sm_90a.cubin");
  }
  { // what the program asks for goes first
    Image forced("sm_90a.ptx");
    auto card = std::make_shared<Context>(0);
    EXPECT_EQ(CudaModule(card, both(), "m.cheems", "sm_80.ptx").name(),
              "sm_80.ptx");
    EXPECT_THAT(
        refusal([&] { CudaModule(card, both(), "m.cheems", "sm_70.ptx"); }),
        HasSubstr("the program asks for 'sm_70.ptx'"));
  }
  // what was forced is not replaced by the text
  Image forced("sm_90a.cubin");
  EXPECT_THAT(
      refusal([] { loadedBehind(CUDA_ERROR_NO_BINARY_FOR_GPU, both()); }),
      HasSubstr("its code for sm_90a cannot be loaded"));
  faulty.failCall(0, 0);
}

TEST(CudaModule, aKernelThatIsMissingIsNamed) {
  useSoftwareGPU();
  const CudaImage image = both(); // the module refers to it
  CudaModule module(std::make_shared<Context>(0), image, "m.cheems");
  LaunchPlan plan;
  plan.kernels = {{"nothing", 32, 0}};
  EXPECT_EQ(module.functions(plan).size(), 1u);
  plan.kernels.push_back({"something", 32, 0});
  EXPECT_EQ(refusal([&] { module.functions(plan); }),
            "1: m.cheems: its code for sm_90a has no kernel 'something'; "
            "compile the model again");
}

} // namespace
