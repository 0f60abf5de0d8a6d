//===- Run.cpp ------------------------------------------------------------===//
#include "Run.h"

#include "AsyncCopy/TensorMap.h"
#include "Check/Checker.h"
#include "CommandLine.h"
#include "Count/Counter.h"
#include "Count/Report.h"
#include "Npy.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace cheems::ptxrun {
namespace {

using emulator::ByteState;
using emulator::Extent;
using emulator::Kernel;

std::string readText(const std::string &path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) {
      throw Error("'" + path + "' cannot be read");
    }
  }
  std::istream &stream = path == "-" ? std::cin : file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

const Kernel &choose(const emulator::Module &module, const std::string &name) {
  if (!name.empty()) {
    if (const Kernel *kernel = module.kernel(name)) {
      return *kernel;
    }
    throw Error("the text has no kernel '" + name + "'; --list shows them");
  }
  if (module.kernels().size() != 1) {
    throw Error("the text has " + std::to_string(module.kernels().size()) +
                " kernels; --list shows them, --kernel NAME chooses one");
  }
  return module.kernels().begin()->second;
}

std::string show(Extent extent) {
  return std::to_string(extent.x) + "," + std::to_string(extent.y) + "," +
         std::to_string(extent.z);
}

bool same(Extent one, Extent other) {
  return one.x == other.x && one.y == other.y && one.z == other.z;
}

/// The limits that a driver would check.
void checkLaunch(const Options &options, const Kernel &kernel) {
  if (options.block.count() > kernel.maxThreads || options.block.x > 1024 ||
      options.block.y > 1024 || options.block.z > 64) {
    throw Error("a block of " + show(options.block) +
                " threads: " + kernel.name + " takes up to " +
                std::to_string(kernel.maxThreads));
  }
  if (kernel.requiredThreads.x &&
      !same(options.block, kernel.requiredThreads)) {
    throw Error("a block of " + show(options.block) + " threads: " +
                kernel.name + " needs " + show(kernel.requiredThreads));
  }
  if (options.grid.y > 65535 || options.grid.z > 65535) {
    throw Error("a grid of " + show(options.grid) +
                " blocks: the second and third extents end at 65535");
  }
  if (kernel.requiredCluster.x &&
      !same(options.cluster, kernel.requiredCluster)) {
    throw Error("a cluster of " + show(options.cluster) + " blocks: " +
                kernel.name + " needs " + show(kernel.requiredCluster));
  }
  if (options.cluster.count() > 8 || options.grid.x % options.cluster.x ||
      options.grid.y % options.cluster.y ||
      options.grid.z % options.cluster.z) {
    throw Error("a cluster of " + show(options.cluster) +
                " blocks: it has up to 8, and divides the grid");
  }
  uint64_t most = options.emulator.architecture == 80 ? 163 * 1024 : 227 * 1024;
  if (kernel.staticSharedBytes + options.sharedBytes > most) {
    throw Error("shared memory: " + std::to_string(kernel.staticSharedBytes) +
                " bytes of the kernel and " +
                std::to_string(options.sharedBytes) + " of --shared, of " +
                std::to_string(most));
  }
}

/// Buffers with their places in the GPU's memory.
class Memory {
public:
  Memory(emulator::Device &device, const Options &options)
      : memory(device.memory), options(options) {
    for (const Buffer &buffer : options.buffers) {
      auto address = memory.allocate(buffer.bytes());
      if (!address) {
        throw Error("no memory for " + buffer.name + ": " + buffer.shape());
      }
      addresses.push_back(*address);
      auto data = buffer.values(buffer.initial, options.dataSeed);
      if (!data.empty()) {
        std::memcpy(memory.data(*address), data.data(), data.size());
        memory.setStates(*address, data.size(), ByteState::initialised);
      }
    }
  }

  uint64_t address(size_t buffer) const { return addresses[buffer]; }
  const std::byte *data(size_t buffer) const {
    return memory.data(addresses[buffer]);
  }

  /// For each element: all its bytes were written.
  std::vector<bool> written(size_t buffer) const {
    const Buffer &shape = options.buffers[buffer];
    const ByteState *states = memory.state(addresses[buffer]);
    std::vector<bool> all(shape.elements(), true);
    for (uint64_t byte = 0; byte < shape.bytes(); ++byte) {
      if (states[byte] != ByteState::initialised) {
        all[byte / shape.type.bytes] = false;
      }
    }
    return all;
  }

private:
  emulator::GlobalMemory &memory;
  const Options &options;
  std::vector<uint64_t> addresses;
};

std::vector<std::byte> encodeTensorMap(const Options &options,
                                       const Parameter &parameter,
                                       uint64_t address) {
  const Buffer &buffer = options.buffers[parameter.buffer];
  size_t rank = buffer.extents.size();
  std::vector<uint64_t> dims(buffer.extents.rbegin(), buffer.extents.rend());
  std::vector<uint32_t> box(parameter.box.rbegin(), parameter.box.rend());
  std::vector<uint32_t> steps(rank, 1);
  std::vector<uint64_t> strides;
  uint64_t stride = buffer.type.bytes;
  for (size_t i = 0; i + 1 < rank; ++i) {
    strides.push_back(stride *= dims[i]);
  }
  emulator::TiledArguments arguments;
  // CU_TENSOR_MAP_DATA_TYPE_UINT8, 16, 32, 64
  arguments.dataType = buffer.type.bytes == 1   ? 0
                       : buffer.type.bytes == 2 ? 1
                       : buffer.type.bytes == 4 ? 2
                                                : 4;
  arguments.rank = uint32_t(rank);
  arguments.globalAddress = address;
  arguments.globalDim = dims.data();
  arguments.globalStrides = strides.data();
  arguments.boxDim = box.data();
  arguments.elementStrides = steps.data();
  arguments.swizzle = parameter.swizzle == 32   ? 1
                      : parameter.swizzle == 64 ? 2
                                                : parameter.swizzle / 128 * 3;
  alignas(64) emulator::TensorMap map;
  auto check = emulator::encodeTiled(&map, arguments);
  if (!check) {
    throw Error("--tensor-map " + parameter.text + ": " + check.reason);
  }
  std::vector<std::byte> bytes(sizeof(map));
  std::memcpy(bytes.data(), &map, sizeof(map));
  return bytes;
}

std::vector<std::byte> parameterBytes(const Options &options,
                                      const Kernel &kernel,
                                      const Memory &memory) {
  if (options.parameters.size() != kernel.parameters.size()) {
    throw Error(kernel.name + " has " +
                std::to_string(kernel.parameters.size()) + " parameters, but " +
                std::to_string(options.parameters.size()) + " are given");
  }
  std::vector<std::byte> bytes(kernel.parameterBytes);
  for (size_t i = 0; i < options.parameters.size(); ++i) {
    const Parameter &parameter = options.parameters[i];
    std::vector<std::byte> value = parameter.value;
    if (!parameter.box.empty()) {
      value =
          encodeTensorMap(options, parameter, memory.address(parameter.buffer));
    } else if (value.empty()) {
      uint64_t address = memory.address(parameter.buffer);
      value.resize(sizeof(address));
      std::memcpy(value.data(), &address, sizeof(address));
    }
    if (value.size() != kernel.parameters[i].bytes) {
      throw Error("parameter " + std::to_string(i) + " of " + kernel.name +
                  " has " + std::to_string(kernel.parameters[i].bytes) +
                  " bytes, but '" + parameter.text + "' has " +
                  std::to_string(value.size()));
    }
    std::memcpy(bytes.data() + kernel.parameters[i].offset, value.data(),
                value.size());
  }
  return bytes;
}

/// Nothing, or a sentence on the first element that differs.
std::string compare(const Options &options, const Memory &memory,
                    const Named &expected) {
  const Buffer &buffer = options.buffers[expected.buffer];
  auto wanted = buffer.values(expected.text, options.dataSeed);
  if (wanted.empty()) {
    throw Error("--expect " + buffer.name + "=none says nothing");
  }
  auto written = memory.written(expected.buffer);
  const std::byte *data = memory.data(expected.buffer);
  uint64_t wrong = 0, first = 0;
  for (uint64_t index = buffer.elements(); index-- > 0;) {
    uint64_t got = buffer.element(data, index);
    uint64_t want = buffer.element(wanted.data(), index);
    double a = buffer.type.decode(got), b = buffer.type.decode(want);
    bool close = options.tolerance &&
                 std::fabs(a - b) <= *options.tolerance * std::fabs(b);
    if (!written[index] || (got != want && !close)) {
      ++wrong;
      first = index;
    }
  }
  if (!wrong) {
    return "";
  }
  std::string value = written[first]
                          ? buffer.type.print(buffer.element(data, first))
                          : "uninitialised";
  return buffer.name + ": " + std::to_string(wrong) + " of " +
         std::to_string(buffer.elements()) + " elements are wrong; element " +
         std::to_string(first) + " is " + value + ", not " +
         buffer.type.print(buffer.element(wanted.data(), first));
}

void writeCounts(const Options &options, const emulator::CountedGPU &gpu) {
  auto steps = emulator::takeCounts();
  if (options.counts == "-") {
    writeOutput(emulator::countsAsTable(gpu, steps));
    return;
  }
  std::string error = emulator::writeCounts(options.counts, gpu, steps);
  if (!error.empty()) {
    throw Error(error);
  }
}

void execute(const Options &options, emulator::Device &device,
             emulator::Launch launch) {
  emulator::startChecking();
  if (!options.counts.empty()) {
    emulator::startCounting(options.emulator);
  }
  struct Warned { // also where a finding ends the launch
    emulator::Device &device;
    ~Warned() {
      for (const emulator::Finding &warning : device.warnings) {
        printMessage(describeWarning(warning));
      }
    }
  } warned{device};
  emulator::Grid grid(device, std::move(launch));
  if (grid.run() == emulator::Grid::State::waitsForPrimary) {
    grid.primaryFinished(); // there is no kernel before this one
    grid.run();
  }
}

} // namespace

std::string list(const emulator::Module &module) {
  std::string text;
  for (const auto &[name, kernel] : module.kernels()) {
    text += name + ":";
    for (const Kernel::Parameter &parameter : kernel.parameters) {
      text += " " + std::to_string(parameter.bytes);
    }
    text += kernel.parameters.empty() ? " no parameters" : " bytes";
    text += kernel.requiredThreads.x
                ? ", " + show(kernel.requiredThreads) + " threads"
                : ", up to " + std::to_string(kernel.maxThreads) + " threads";
    text += ", " + std::to_string(kernel.staticSharedBytes) +
            " bytes of shared memory, about " +
            std::to_string(kernel.registers) + " registers\n";
  }
  return text;
}

int run(const Options &options) {
  std::string text = readText(options.file);
  emulator::Device device(options.emulator);
  auto module = emulator::Module::load(device, text);
  if (options.list) {
    writeOutput(list(*module));
    return 0;
  }
  const Kernel &kernel = choose(*module, options.kernel);
  checkLaunch(options, kernel);
  Memory memory(device, options);
  emulator::Launch launch;
  launch.kernel = &kernel;
  launch.grid = options.grid;
  launch.block = options.block;
  launch.cluster = options.cluster;
  launch.dynamicSharedBytes = options.sharedBytes;
  launch.parameters = parameterBytes(options, kernel, memory);
  launch.cooperative = options.cooperative;
  execute(options, device, std::move(launch));
  for (size_t buffer : options.printed) {
    writeOutput(options.buffers[buffer].print(memory.data(buffer),
                                              memory.written(buffer)));
  }
  for (const Named &saved : options.saved) {
    writeFile(saved.text, options.buffers[saved.buffer],
              memory.data(saved.buffer));
  }
  if (auto gpu = emulator::countedGPU()) {
    writeCounts(options, *gpu);
  }
  int code = 0;
  for (const Named &expected : options.expected) {
    std::string wrong = compare(options, memory, expected);
    if (!wrong.empty()) {
      printMessage(wrong);
      code = 1;
    }
  }
  return code;
}

} // namespace cheems::ptxrun
