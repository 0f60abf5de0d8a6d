#include "runtime/Executor/CUDA/Launcher.h"
#include <cstring>

using namespace cheems;
using namespace cheems::cuda;

namespace {

using Argument = LaunchPlan::Argument;

uint64_t addressOf(const Argument &argument, const StepAddresses &addresses,
                   const std::deque<DeviceMemory> &areas) {
  auto index = static_cast<size_t>(argument.index);
  switch (argument.kind) {
  case Argument::Kind::weights:
    return addresses.weights(argument.index);
  case Argument::Kind::pool:
    return addresses.pools[index];
  case Argument::Kind::area:
    return areas[index].address();
  case Argument::Kind::tokens:
    return addresses.tokens;
  case Argument::Kind::segments:
    return addresses.segments;
  case Argument::Kind::rows:
    return addresses.rows;
  case Argument::Kind::logits:
    return addresses.logits;
  case Argument::Kind::embeddingRows:
    return addresses.embeddingRows;
  case Argument::Kind::embeddings:
    return addresses.embeddings;
  case Argument::Kind::topValues:
    return addresses.topValues;
  case Argument::Kind::topTokens:
    return addresses.topTokens;
  case Argument::Kind::logSums:
    return addresses.logSums;
  case Argument::Kind::number:
  case Argument::Kind::real:
    break; // no address
  }
  return 0;
}

/// The first CUDA whose graphs have launches that overlap: edges have data
/// (CUgraphEdgeData) since 12.3. With an older driver each kernel starts when
/// the one before it has ended, and its own wait is none.
constexpr int leastForOverlap = 12030;

/// Extents that a grid may have, by axis (CUDA C++ Programming Guide,
/// "Technical Specifications per Compute Capability").
constexpr int64_t mostBlocks[] = {INT32_MAX, 65535, 65535};

Error tooLarge() {
  return Error("a step of so many rows is more than a GPU takes at once; lower "
               "the prefill chunk");
}

} // namespace

Launcher::Launcher(const std::shared_ptr<const Context> &context,
                   const LaunchPlan &plan, const LaunchPlan::Entry &entry,
                   std::vector<CUfunction> functions, const StepSizes &most,
                   const StepAddresses &addresses, bool mayOverlap)
    : driver(context->driver()), plan(plan), entry(entry),
      functions(std::move(functions)),
      mayOverlap(mayOverlap && driver.version() >= leastForOverlap),
      values(entry.numbers.size()) {
  entry.evaluate(most, values);
  for (size_t area : entry.areas) {
    areas.emplace_back(context, values[area],
                       "the workspace of steps of " +
                           std::to_string(most.tokens) +
                           " rows; lower the prefill chunk");
  }
  for (const LaunchPlan::Launch &launch : entry.launches) {
    for (const Argument &argument : launch.arguments) {
      uint64_t bytes = 0;
      if (argument.kind == Argument::Kind::real) {
        std::memcpy(&bytes, &argument.real, sizeof(argument.real));
      } else {
        bytes = addressOf(argument, addresses, areas);
      }
      arguments.push_back(bytes);
    }
  }
  size_t at = 0;
  for (const LaunchPlan::Launch &launch : entry.launches) {
    for (const Argument &argument : launch.arguments) {
      // Neither moves any more.
      pointers.push_back(argument.map ? maps.emplace_back(*argument.map).bytes()
                                      : &arguments[at]);
      ++at;
    }
  }
  for (const EncodedMap &map : maps) {
    map.verify(values); // of the largest step
  }
}

int64_t Launcher::bytesOf(const LaunchPlan::Entry &entry,
                          const StepSizes &most) {
  std::vector<int64_t> values(entry.numbers.size());
  entry.evaluate(most, values);
  int64_t sum = 0;
  for (size_t area : entry.areas) {
    if (__builtin_add_overflow(sum, DeviceMemory::sizeOf(values[area]), &sum)) {
      throw tooLarge();
    }
  }
  return sum;
}

int64_t Launcher::bytes() const {
  int64_t sum = 0;
  for (const DeviceMemory &area : areas) {
    sum += area.bytes();
  }
  return sum;
}

int64_t Launcher::blocks(size_t launch) const {
  return entry.launches[launch].blocks(values);
}

void Launcher::set(Argument::Kind kind, CUdeviceptr address) {
  size_t at = 0;
  for (const LaunchPlan::Launch &launch : entry.launches) {
    for (const Argument &argument : launch.arguments) {
      if (argument.kind == kind) {
        arguments[at] = address;
      }
      ++at;
    }
  }
}

void Launcher::setNumbers(const StepSizes &sizes) {
  entry.evaluate(sizes, values);
  for (size_t i = 0; i < entry.areas.size(); ++i) {
    if (values[entry.areas[i]] > areas[i].bytes()) {
      throw tooLarge();
    }
  }
  size_t at = 0;
  for (const LaunchPlan::Launch &launch : entry.launches) {
    for (const Argument &argument : launch.arguments) {
      if (argument.kind == Argument::Kind::number) {
        int64_t value = values[static_cast<size_t>(argument.index)];
        if (value > INT32_MAX) { // kernels count in 32 bits
          throw tooLarge();
        }
        arguments[at] = static_cast<uint64_t>(value);
      }
      ++at;
    }
    bool runs = launch.blocks(values) != 0;
    for (size_t axis = 0; axis < launch.grid.size(); ++axis) {
      if (runs && values[launch.grid[axis]] > mostBlocks[axis]) {
        throw tooLarge();
      }
    }
  }
}

void Launcher::encodeMaps() {
  size_t at = 0;
  auto map = maps.begin();
  for (size_t i = 0; i < entry.launches.size(); ++i) {
    bool runs = blocks(i) != 0; // then no extent is 0
    for (const Argument &argument : entry.launches[i].arguments) {
      if (argument.map) {
        if (runs) {
          map->encode(driver, arguments[at], values);
        }
        ++map;
      }
      ++at;
    }
  }
}

void Launcher::launchKernel(size_t launch, size_t firstArgument,
                            const Stream &stream, bool overlaps) {
  const LaunchPlan::Launch &planned = entry.launches[launch];
  const LaunchPlan::Kernel &kernel = plan.kernels[planned.kernel];
  auto extent = [&](size_t axis) {
    return static_cast<unsigned>(values[planned.grid[axis]]);
  };
  CUlaunchAttribute early{};
  early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  early.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config{extent(0),
                        extent(1),
                        extent(2),
                        static_cast<unsigned>(kernel.threads),
                        1,
                        1,
                        static_cast<unsigned>(kernel.shared),
                        stream.handle(),
                        &early,
                        overlaps ? 1U : 0U};
  driver.cuLaunchKernelEx(&config, functions[planned.kernel],
                          pointers.data() + firstArgument, nullptr);
}

void Launcher::launch(const StepSizes &sizes, const Stream &stream,
                      const Observer &observe) {
  setNumbers(sizes); // before anything runs
  encodeMaps();
  // The first kernel comes after all that the stream has: copies of the step's
  // inputs, for which no kernel waits by itself. A time that is measured is
  // that of one kernel.
  bool isAfterKernel = false;
  size_t at = 0;
  for (size_t i = 0; i < entry.launches.size(); ++i) {
    if (observe) {
      observe(i);
    }
    if (blocks(i) != 0) {
      const LaunchPlan::Kernel &kernel = plan.kernels[entry.launches[i].kernel];
      launchKernel(i, at, stream,
                   mayOverlap && !observe && isAfterKernel && kernel.overlaps);
      isAfterKernel = true;
    }
    at += entry.launches[i].arguments.size();
  }
  if (observe) {
    observe(entry.launches.size());
  }
}
