// Compiles a module of single-op functions, loads it, and calls it as a step
// would.
#ifndef CHEEMS_TEST_UNIT_KERNELS_HARNESS_H
#define CHEEMS_TEST_UNIT_KERNELS_HARNESS_H

#include "Buffer.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace cheems::test {

/// The pipelines that must agree: plain loops, and vectors of 8 and of 16 lanes
/// (AVX-512 where this machine has it). NarrowDotI8, DotI8, DotBF16 and AMX are
/// for matmuls, AMX for attention, too; they need what they are called.
enum class Mode { Scalar, Narrow, Wide, NarrowDotI8, DotI8, DotBF16, AMX };
inline std::string nameOf(Mode mode) {
  switch (mode) {
  case Mode::Scalar:
    return "Scalar";
  case Mode::Narrow:
    return "Narrow";
  case Mode::Wide:
    return "Wide";
  case Mode::NarrowDotI8:
    return "NarrowDotI8";
  case Mode::DotI8:
    return "DotI8";
  case Mode::DotBF16:
    return "DotBF16";
  case Mode::AMX:
    return "AMX";
  }
  return "";
}
/// What this machine lacks to run `mode`; empty where it has everything.
std::string lacking(Mode mode);

class CompiledModule {
public:
  /// Null after a test failure that says why. `chunk` rows of SSD where the
  /// target's choice is not what is wanted.
  static std::unique_ptr<CompiledModule>
  compile(const std::string &text, Mode mode,
          std::optional<int64_t> chunk = std::nullopt);
  ~CompiledModule();
  CompiledModule(const CompiledModule &) = delete;
  CompiledModule &operator=(const CompiledModule &) = delete;

  /// Makes `matrix` [N, K] the parameter `name`, which the first call stores in
  /// the layout that the compiler asks for.
  void setParameter(llvm::StringRef name, const reference::Tensor &matrix);

  /// Runs `function` on three workers with a NaN-filled workspace of exactly
  /// the recorded size for `rows` rows. A write outside of a buffer is a test
  /// failure or, past its end, a fault.
  void call(llvm::StringRef function, int64_t rows,
            llvm::ArrayRef<const Buffer *> buffers);

private:
  struct Parameter {
    std::vector<std::string> names; ///< of matrices one below the other
    int64_t offset, rows, columns;
    Element element;
    std::optional<std::pair<int64_t, int64_t>> panels; ///< rows and pair
  };
  struct Function {
    void *address;
    int64_t fixed, row, worker; ///< bytes of workspace
    bool takesParameters;
  };

  CompiledModule() = default;

  void store(const Parameter &parameter);

  std::vector<Parameter> parameters;
  std::map<std::string, reference::Tensor, std::less<>> matrices;
  std::map<std::string, Function, std::less<>> functions;
  std::optional<GuardedMemory> section; ///< the weights
  bool sealed = false;
  bool flushesDenormals = false; ///< as sessions do for such a variant
  void *library = nullptr;
};

/// The functions of all forms.
template <typename Forms> std::string textOfAll(const Forms &forms) {
  std::string text;
  for (const auto &form : forms) {
    text += form.text();
  }
  return text;
}

/// A module a mode, each compiled when its mode is first asked for: that takes
/// longer than running.
class CompiledModules {
public:
  explicit CompiledModules(std::function<std::string(Mode)> text)
      : text(std::move(text)) {}

  /// Null after a test failure that says why.
  CompiledModule *of(Mode mode) {
    auto [found, fresh] = modules.try_emplace(mode);
    if (fresh) {
      found->second = CompiledModule::compile(text(mode), mode);
    }
    return found->second.get();
  }

private:
  std::function<std::string(Mode)> text;
  std::map<Mode, std::unique_ptr<CompiledModule>> modules;
};

/// A test that runs once a mode, where this machine can.
class KernelTest : public testing::TestWithParam<Mode> {
protected:
  void SetUp() override {
    if (std::string feature = lacking(GetParam()); !feature.empty()) {
      GTEST_SKIP() << "this CPU lacks " << feature;
    }
  }
};

#define CHEEMS_MODES(suite, ...)                                               \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::Values(__VA_ARGS__),              \
                           [](const testing::TestParamInfo<Mode> &info) {      \
                             return nameOf(info.param);                        \
                           })
#define CHEEMS_EVERY_MODE(suite)                                               \
  CHEEMS_MODES(suite, Mode::Scalar, Mode::Narrow, Mode::Wide)

} // namespace cheems::test

#endif
