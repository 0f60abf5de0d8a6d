//===- RunPTX.h - One launch of a kernel, for tests -------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_SUPPORT_RUNPTX_H
#define CHEEMS_EMULATOR_TEST_SUPPORT_RUNPTX_H

#include "Machine/Launch.h"

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::emulator::test {

/// What a launch is given. The default is one warp of an sm_90a GPU with few
/// multiprocessors.
struct RunOptions {
  Extent grid{}, block{32, 1, 1}, cluster{};
  uint32_t dynamicSharedBytes = 0;
  Asynchrony asynchrony = Asynchrony::early;
  uint64_t seed = 1;
  int threads = 1; ///< of the host
  int multiprocessors = 4;
  int architecture = 90;
  bool implicitDrain = true; ///< Options::implicitDrain
  bool isStrict = false;     ///< Options::isStrict

  Options device() const {
    Options options;
    options.asynchrony = asynchrony;
    options.seed = seed;
    options.threads = threads;
    options.multiprocessors = multiprocessors;
    options.architecture = architecture;
    options.implicitDrain = implicitDrain;
    options.isStrict = isStrict;
    options.memoryBytes = uint64_t(64) << 20;
    return options;
  }
};

/// A GPU with a module.
class PTXRunner {
public:
  PTXRunner(std::string_view ptx, const RunOptions &options)
      : options(options), device(options.device()),
        module(Module::load(device, ptx)) {}

  /// A buffer that has `values` in it.
  template <typename T> uint64_t buffer(const std::vector<T> &values) {
    const size_t bytes = values.size() * sizeof(T);
    const uint64_t address = uninitialised(bytes);
    if (bytes != 0) {
      std::memcpy(device.memory.data(address), values.data(), bytes);
      std::memset(device.memory.state(address), int(ByteState::initialised),
                  bytes);
    }
    return address;
  }
  uint64_t uninitialised(size_t bytes) {
    return device.memory.allocate(bytes ? bytes : 1).value();
  }
  template <typename T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), device.memory.data(address), count * sizeof(T));
    return values;
  }

  Launch launchOf(const std::string &kernel,
                  const std::vector<std::byte> &parameters) {
    Launch launch;
    launch.kernel = module->kernel(kernel);
    launch.grid = options.grid;
    launch.block = options.block;
    launch.cluster = options.cluster;
    launch.dynamicSharedBytes = options.dynamicSharedBytes;
    launch.parameters = parameters;
    launch.parameters.resize(launch.kernel->parameterBytes);
    return launch;
  }
  /// Throws Finding.
  void run(const std::string &kernel,
           const std::vector<std::byte> &parameters) {
    Grid(device, launchOf(kernel, parameters)).run();
  }

  const RunOptions options;
  Device device;
  std::unique_ptr<Module> module;
};

/// The bytes of 8-byte parameters one after the other: addresses, .u64 and
/// .s64.
inline std::vector<std::byte>
parameterBytes(std::initializer_list<uint64_t> values) {
  std::vector<std::byte> bytes(values.size() * 8);
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

/// Runs the module's kernel `kernel`, whose only parameter is the address of a
/// buffer of words with the values of `memory`, and returns what it has then.
/// Throws Finding, Refusal or NotModelled.
inline std::vector<uint32_t> runPTX(std::string_view ptx,
                                    std::vector<uint32_t> memory,
                                    const RunOptions &options = {},
                                    const std::string &kernel = "kernel") {
  PTXRunner runner(ptx, options);
  const uint64_t address = runner.buffer(memory);
  runner.run(kernel, parameterBytes({address}));
  return runner.read<uint32_t>(address, memory.size());
}

/// A module with one kernel of that kind. `%out` is the address of the buffer,
/// `%t`, `%block` and `%thread` the thread's number in its block, the block's,
/// and the thread's in the grid; `%mine` is the address of the buffer's word of
/// that number. Registers: %p0 to %p9 and so on.
inline std::string kernelPTX(const std::string &body,
                             const std::string &declarations = {},
                             const std::string &directives = {}) {
  return R"(.version 8.8
.target sm_90a
.address_size 64
)" + declarations +
         "\n.visible .entry kernel(.param .u64 buffer)\n" + directives + R"(
{
  .reg .pred %p<10>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .b32 %t, %block, %thread;
  .reg .b64 %out, %mine;
  ld.param.u64 %out, [buffer];
  mov.u32 %t, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %thread, %ntid.x;
  mad.lo.u32 %thread, %thread, %block, %t;
  mad.wide.u32 %mine, %thread, 4, %out;
)" + body +
         "\n}\n";
}

/// The rule of the Finding that `act` ends with, or nothing.
template <typename F> std::string ruleOf(F act) {
  try {
    act();
  } catch (const Finding &finding) {
    return finding.rule;
  }
  return {};
}

/// What is refused when `act` loads a module, or nothing.
template <typename F> std::string refusalOf(F act) {
  try {
    act();
  } catch (const Refusal &refusal) {
    return refusal.what();
  } catch (const NotModelled &notModelled) {
    return notModelled.what();
  }
  return {};
}

/// The rule of the Finding that the kernel ends with, or nothing.
inline std::string findingOf(std::string_view ptx, std::vector<uint32_t> memory,
                             const RunOptions &options = {}) {
  return ruleOf([&] { runPTX(ptx, std::move(memory), options); });
}

} // namespace cheems::emulator::test

#endif
