// Which code of a file is loaded into a GPU. The software GPU takes text where
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

GPUCode codeFor(const std::string &architecture, bool hasCubin) {
  GPUCode code;
  code.architecture = architecture;
  code.path = "images[0].cards[0]";
  code.ptx = text();
  if (hasCubin) {
    code.cubin = text();
  }
  return code;
}

/// Text and machine code for the GPU, text alone for older ones.
CudaImage both() {
  CudaImage image;
  image.gpus = {codeFor("sm_80", false), codeFor("sm_90a", true)};
  return image;
}

struct Image {
  explicit Image(const char *name) {
    setenv("CHEEMS_CUDA_IMAGE", name, /*overwrite=*/1);
  }
  ~Image() { unsetenv("CHEEMS_CUDA_IMAGE"); }
};

struct GPU {
  explicit GPU(const char *name) {
    setenv("FAULTY_DRIVER_GPU", name, /*overwrite=*/1);
  }
  ~GPU() { unsetenv("FAULTY_DRIVER_GPU"); }
};

/// The GPU's context is made current, then code is loaded.
constexpr long firstLoad = 2;

std::string loaded(const CudaImage &image) {
  return CudaModule(std::make_shared<Context>(0), image, "m.cheems").name();
}

/// What is loaded where the driver answers `code` when it gets code first.
std::string loadedAfter(int code, const CudaImage &image) {
  const FaultyDriver &faulty = useSoftwareGPU();
  auto gpu = std::make_shared<Context>(0);
  faulty.failCall(firstLoad, code);
  std::string name = CudaModule(gpu, image, "m.cheems").name();
  faulty.failCall(0, 0);
  return name;
}

TEST(CudaModule, machineCodeForTheGPUIsFirst) {
  useSoftwareGPU();
  EXPECT_EQ(loaded(both()), "sm_90a.cubin");
  CudaImage older;
  older.gpus = {codeFor("sm_80", true)}; // whose machine code is for 8.x
  EXPECT_EQ(loaded(older), "sm_80.ptx");
}

TEST(CudaModule, whereTheDriverTakesNoMachineCodeItGetsTheText) {
  constexpr int invalidValue = 1, invalidSource = 300, notSupported = 801;
  for (int code : std::initializer_list<int>{
           CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
           CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
           CUDA_ERROR_JIT_COMPILER_NOT_FOUND, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
           invalidValue, invalidSource, notSupported}) {
    EXPECT_EQ(loadedAfter(code, both()), "sm_90a.ptx") << code;
  }
}

TEST(CudaModule, whereTheTextCannotHelpTheFailureIsTold) {
  for (int code : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_ILLEGAL_ADDRESS,
                   CUDA_ERROR_CONTEXT_IS_DESTROYED, CUDA_ERROR_LAUNCH_FAILED,
                   CUDA_ERROR_ECC_UNCORRECTABLE, CUDA_ERROR_UNKNOWN}) {
    EXPECT_EQ(refusal([&] { loadedAfter(code, both()); }),
              "1: m.cheems: its code for sm_90a cannot be loaded: " +
                  Driver::get().describe(code));
  }
}

TEST(CudaModule, aLineSaysThatTheTextWasTaken) {
  const FaultyDriver &faulty = useSoftwareGPU();
  const CudaImage image = both();
  auto lineOf = [&] {
    auto gpu = std::make_shared<Context>(0);
    faulty.failCall(firstLoad, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    std::string line = CudaModule(gpu, image, "m.cheems").fallback();
    faulty.failCall(0, 0);
    return line;
  };
  EXPECT_EQ(lineOf(), "") << "the software GPU takes no machine code anyway";
  GPU real("NVIDIA H100 80GB HBM3");
  EXPECT_EQ(lineOf(),
            "m.cheems: the driver does not load its machine code for sm_90a (" +
                Driver::get().describe(CUDA_ERROR_UNSUPPORTED_PTX_VERSION) +
                "), and compiles its PTX instead");
  auto gpu = std::make_shared<Context>(0);
  EXPECT_EQ(CudaModule(gpu, image, "m.cheems").fallback(), "");
}

TEST(CudaModule, whereTheTextFailsTooBothReasonsAreTold) {
  useSoftwareGPU();
  GPU real("NVIDIA H100 80GB HBM3");
  CudaImage image = both();
  const std::string other = std::string("no text of PTX") + '\0';
  image.gpus[1].ptx = other;
  EXPECT_THAT(
      refusal([&] { loadedAfter(CUDA_ERROR_NO_BINARY_FOR_GPU, image); }),
      testing::AllOf(HasSubstr("cannot be loaded: CUDA_ERROR_INVALID_PTX"),
                     HasSubstr("does not load its machine code for sm_90a "
                               "(CUDA_ERROR_NO_BINARY_FOR_GPU")));
}

TEST(CudaModule, anOlderDriverIsToldWithBothVersions) {
  CudaImage image;
  image.gpus = {codeFor("sm_80", false)};
  std::string text =
      refusal([&] { loadedAfter(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, image); });
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
    auto gpu = std::make_shared<Context>(0);
    EXPECT_EQ(CudaModule(gpu, both(), "m.cheems", "sm_80.ptx").name(),
              "sm_80.ptx");
    EXPECT_THAT(
        refusal([&] { CudaModule(gpu, both(), "m.cheems", "sm_70.ptx"); }),
        HasSubstr("the program asks for 'sm_70.ptx'"));
  }
  // what was forced is not replaced by the text
  Image forced("sm_90a.cubin");
  EXPECT_THAT(
      refusal([] { loadedAfter(CUDA_ERROR_NO_BINARY_FOR_GPU, both()); }),
      HasSubstr("its code for sm_90a cannot be loaded"));
  faulty.failCall(0, 0);
}

TEST(CudaModule, aKernelThatIsMissingIsNamed) {
  useSoftwareGPU();
  const CudaImage image = both(); // the module refers to it
  CudaModule module(std::make_shared<Context>(0), image, "m.cheems");
  LaunchPlan plan;
  plan.kernels = {{"nothing", 32, 0}};
  EXPECT_EQ(module.functions(plan, {}).size(), 1u);
  plan.kernels.push_back({"something", 32, 0});
  EXPECT_EQ(refusal([&] { module.functions(plan, {}); }),
            "1: m.cheems: its code for sm_90a has no kernel 'something'; "
            "compile the model again");
}

TEST(CudaModule, kernelsGetTheCarveOutThatIsAskedFor) {
  useSoftwareGPU();
  const CudaImage image = both();
  auto gpu = std::make_shared<Context>(0);
  LaunchPlan plan;
  plan.kernels = {{"nothing", 32, 0}};
  auto carveout = [&](std::optional<int> asked) {
    CudaModule module(gpu, image, "m.cheems");
    Switches switches;
    switches.carveout = asked;
    CUfunction function = module.functions(plan, switches).front();
    Context::Current current(*gpu);
    int value = 0;
    gpu->driver().cuFuncGetAttribute(
        &value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, function);
    return value;
  };
  EXPECT_EQ(carveout(std::nullopt), -1); // as the driver likes
  EXPECT_EQ(carveout(100), 100);
  EXPECT_EQ(carveout(0), 0);
}

} // namespace
