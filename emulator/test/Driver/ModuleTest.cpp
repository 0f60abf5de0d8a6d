//===- ModuleTest.cpp -----------------------------------------------------===//
#include "Fixture.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace cheems::emulator::driver;
using testing::HasSubstr;

namespace {

class ModuleTest : public DriverTest {
protected:
  CUresult loadError(const std::string &ptx) {
    CUmodule module = nullptr;
    return cuModuleLoadData(&module, ptx.c_str());
  }
};

const std::string withGlobal = addKernel + R"(
.visible .global .align 4 .u32 counts[4] = {1, 2, 3, 4};
.visible .entry other() { ret; }
)";

template <typename T> void append(std::string &image, T value) {
  image.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// What fatbinary --compress=false makes of one text.
std::string fatBinary(const std::string &ptx, uint32_t architecture,
                      uint64_t flags) {
  std::string image;
  append<uint32_t>(image, 0xBA55ED50);
  append<uint16_t>(image, 1);
  append<uint16_t>(image, 16);
  append<uint64_t>(image, 64 + ptx.size());
  append<uint16_t>(image, 1); // PTX
  append<uint16_t>(image, 0x0101);
  append<uint32_t>(image, 64);
  append<uint64_t>(image, ptx.size());
  append<uint64_t>(image, 0);
  append<uint32_t>(image, 8 << 16); // version 8.0 of the text
  append<uint32_t>(image, architecture);
  append<uint64_t>(image, 0);
  append<uint64_t>(image, flags);
  append<uint64_t>(image, 0);
  append<uint64_t>(image, 0);
  return image + ptx;
}

} // namespace

TEST_F(ModuleTest, hasFunctionsAndVariables) {
  CUmodule module = load(withGlobal);
  CUfunction add = nullptr, again = nullptr;
  EXPECT_OK(cuModuleGetFunction(&add, module, "add"));
  EXPECT_OK(cuModuleGetFunction(&again, module, "add"));
  EXPECT_EQ(add, again);
  EXPECT_EQ(cuModuleGetFunction(&add, module, "sub"), CUDA_ERROR_NOT_FOUND);
  unsigned count = 0;
  EXPECT_OK(cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(count, 2u);
  CUfunction all[3] = {};
  EXPECT_OK(cuModuleEnumerateFunctions(all, 3, module));
  EXPECT_EQ(all[0], again);
  EXPECT_NE(all[1], nullptr);
  EXPECT_EQ(all[2], nullptr);
  CUdeviceptr counts = 0;
  size_t bytes = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&counts, &bytes, module, "counts"));
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(readWord(counts + 8), 3u);
  EXPECT_EQ(cuModuleGetGlobal_v2(&counts, &bytes, module, "add"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_EQ(cuMemcpyHtoD_v2(counts, &bytes, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, wrongTextsAreRefused) {
  EXPECT_EQ(loadError(std::string(header) + ".visible .entry f() { add.f31; }"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(loadError("this is no PTX"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(loadError(""), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(loadError(".version 9.4\n.target sm_90\n.address_size 64\n"),
            CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(loadError("\x7f"
                      "ELF machine code"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(nullptr, addKernel.c_str()),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoad(&module, "/nowhere/x.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(ModuleTest, logsSayWhatIsWrong) {
  char info[1000] = "?", error[1000] = "?";
  CUjit_option options[] = {
      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_OPTIMIZATION_LEVEL};
  auto bytes = reinterpret_cast<void *>(sizeof info);
  auto loadEx = [&](const std::string &ptx, unsigned count) {
    CUmodule module = nullptr;
    void *values[] = {info, bytes, error, bytes, reinterpret_cast<void *>(3)};
    CUresult code =
        cuModuleLoadDataEx(&module, ptx.c_str(), count, options, values);
    EXPECT_EQ(reinterpret_cast<size_t>(values[3]), std::strlen(error));
    return code;
  };
  EXPECT_OK(loadEx(addKernel, 5));
  EXPECT_THAT(info, HasSubstr("add: "));
  EXPECT_STREQ(error, "");
  EXPECT_EQ(
      loadEx(std::string(header) + ".visible .entry f() {\n bad.u32 1;\n}", 5),
      CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(error, HasSubstr("line 5"));
  options[4] = CU_JIT_LTO;
  CUmodule module = nullptr;
  void *values[] = {info, bytes, error, bytes, nullptr};
  EXPECT_EQ(cuModuleLoadDataEx(&module, addKernel.c_str(), 5, options, values),
            CUDA_ERROR_NOT_SUPPORTED);
  options[4] = CUjit_option(77);
  EXPECT_EQ(cuModuleLoadDataEx(&module, addKernel.c_str(), 5, options, values),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, filesAreRead) {
  std::string path =
      testing::TempDir() + "cheems-driver-" + std::to_string(getpid()) + ".ptx";
  std::ofstream(path) << addKernel;
  CUmodule module = nullptr;
  EXPECT_OK(cuModuleLoad(&module, path.c_str()));
  CUlibrary library = nullptr;
  EXPECT_OK(cuLibraryLoadFromFile(&library, path.c_str(), nullptr, nullptr, 0,
                                  nullptr, nullptr, 0));
  std::remove(path.c_str());
}

TEST_F(ModuleTest, fatBinariesHaveTextInThem) {
  CUmodule module = nullptr;
  CUfunction add = nullptr;
  std::string image = fatBinary(addKernel, 80, 1);
  EXPECT_OK(cuModuleLoadData(&module, image.data()));
  EXPECT_OK(cuModuleGetFunction(&add, module, "add"));
  // the stub that nvcc makes points to it
  struct {
    uint32_t magic = 0x466243B1, version = 1;
    const void *data, *rest = nullptr;
  } wrapper;
  wrapper.data = image.data();
  EXPECT_OK(cuModuleLoadFatBinary(&module, &wrapper));
  EXPECT_EQ(cuModuleLoadData(&module, fatBinary(addKernel, 100, 1).data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoadData(&module, fatBinary(addKernel, 80, 0x2001).data()),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  // an entry longer than the image
  image[16 + 8] = char(0xff);
  image[16 + 12] = char(0xff);
  EXPECT_EQ(cuModuleLoadData(&module, image.data()), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(ModuleTest, functionsHaveAttributes) {
  CUfunction add = function(addKernel, "add");
  int value = 0;
  EXPECT_OK(
      cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add));
  EXPECT_EQ(value, 1024);
  EXPECT_OK(cuFuncGetAttribute(
      &value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add));
  EXPECT_EQ(value, 49152);
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, add));
  EXPECT_GT(value, 0);
  EXPECT_EQ(cuFuncGetAttribute(&value, CUfunction_attribute(50), add),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 3),
            CUDA_ERROR_INVALID_VALUE);
  const char *name = nullptr;
  EXPECT_OK(cuFuncGetName(&name, add));
  EXPECT_STREQ(name, "add");
  size_t offset = 9, bytes = 0;
  EXPECT_OK(cuFuncGetParamInfo(add, 1, &offset, &bytes));
  EXPECT_EQ(offset, 8u);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuFuncGetParamInfo(add, 2, &offset, &bytes),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, occupancyCountsThreadsAndSharedMemory) {
  CUfunction add = function(addKernel, "add");
  int blocks = 0, threads = 0, grid = 0;
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 512, 0));
  EXPECT_EQ(blocks, 4);
  // 228 KiB (sm_80: 164) of a multiprocessor, 1 KiB reserved a block
  EXPECT_OK(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 75 << 10));
  EXPECT_EQ(blocks, isHopper() ? 3 : 2);
  EXPECT_OK(
      cuOccupancyMaxPotentialBlockSize(&grid, &threads, add, nullptr, 0, 0));
  EXPECT_EQ(threads, 1024);
  EXPECT_EQ(grid, 2 * (isHopper() ? 132 : 108));
  size_t shared = 0;
  EXPECT_OK(cuOccupancyAvailableDynamicSMemPerBlock(&shared, add, 2, 32));
  EXPECT_EQ(shared, size_t(isHopper() ? 113 : 81) << 10);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ModuleTest, librariesServeAllContexts) {
  CUlibrary library = nullptr;
  EXPECT_OK(cuLibraryLoadData(&library, withGlobal.c_str(), nullptr, nullptr, 0,
                              nullptr, nullptr, 0));
  CUkernel add = nullptr, all[2] = {};
  unsigned count = 0;
  EXPECT_OK(cuLibraryGetKernel(&add, library, "add"));
  EXPECT_EQ(cuLibraryGetKernel(&add, library, "sub"), CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 2u);
  EXPECT_OK(cuLibraryEnumerateKernels(all, 2, library));
  EXPECT_EQ(all[0], add);
  const char *name = nullptr;
  EXPECT_OK(cuKernelGetName(&name, add));
  EXPECT_STREQ(name, "add");
  CUdeviceptr data = words(32, 1), counts = 0;
  // a kernel is launched as a function is
  EXPECT_OK(launchAdd(reinterpret_cast<CUfunction>(add), data, 2));
  EXPECT_EQ(readWord(data), 3u);
  CUfunction here = nullptr, there = nullptr;
  EXPECT_OK(cuKernelGetFunction(&here, add));
  EXPECT_OK(launchAdd(here, data, 2));
  EXPECT_EQ(readWord(data), 5u);
  EXPECT_OK(cuLibraryGetGlobal(&counts, nullptr, library, "counts"));
  EXPECT_EQ(readWord(counts), 1u);
  CUcontext other = nullptr;
  EXPECT_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_OK(cuKernelGetFunction(&there, add));
  EXPECT_NE(here, there);
  EXPECT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(cuLibraryUnload(library));
  EXPECT_EQ(cuKernelGetFunction(&here, add), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
}

class LinkTest : public DriverTest {
protected:
  CUresult add(const std::string &ptx, const char *name,
               CUjitInputType type = CU_JIT_INPUT_PTX) {
    std::string text = ptx;
    return cuLinkAddData_v2(link, type, text.data(), text.size(), name, 0,
                            nullptr, nullptr);
  }

  CUlinkState link = nullptr;
};

/// plus(words) adds what bump() gives, which another text has.
const std::string callsOther = std::string(header) + R"(
.extern .func (.param .b32 r) bump();
.extern .global .u32 step;
.visible .entry plus(.param .u64 words) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [words];
  call (%r0), bump, ();
  ld.global.u32 %r1, [step];
  add.u32 %r0, %r0, %r1;
  st.global.u32 [%rd0], %r0;
  ret;
}
)";
const std::string other = std::string(header) + R"(
.visible .global .u32 step = 1000;
.visible .func (.param .b32 r) bump() {
  st.param.b32 [r], 7;
  ret;
}
)";

TEST_F(LinkTest, joinsTextsIntoAnImage) {
  EXPECT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  EXPECT_EQ(add(other, "x", CU_JIT_INPUT_CUBIN), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_OK(add(callsOther, "kernels"));
  EXPECT_OK(add(other, nullptr));
  void *image = nullptr;
  size_t bytes = 0;
  EXPECT_OK(cuLinkComplete(link, &image, &bytes));
  const std::string copy(static_cast<char *>(image), bytes);
  EXPECT_OK(cuLinkDestroy(link));
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
  CUmodule module = nullptr;
  CUfunction plus = nullptr;
  CUdeviceptr step = 0, data = words(1, 0);
  EXPECT_OK(cuModuleLoadData(&module, copy.data()));
  EXPECT_OK(cuModuleGetGlobal_v2(&step, nullptr, module, "step"));
  EXPECT_EQ(readWord(step), 1000u);
  EXPECT_OK(cuModuleGetFunction(&plus, module, "plus"));
  void *parameters[] = {&data};
  EXPECT_OK(
      cuLaunchKernel(plus, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(readWord(data), 1007u);
}

TEST_F(LinkTest, tellsTheLogWhatDoesNotFit) {
  char log[256] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
  EXPECT_OK(cuLinkCreate_v2(2, options, values, &link));
  void *image = nullptr;
  EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(add(other, "one"));
  EXPECT_OK(add(other, "two"));
  EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(log, testing::HasSubstr("of the text 'two': 'bump' is defined in "
                                      "the text 'one', too"));
  EXPECT_OK(cuLinkDestroy(link));
}
