//===- Options.cpp --------------------------------------------------------===//
#include "Options.h"

#include "CommandLine.h"

#include <charconv>
#include <cstring>

namespace cheems::ptxrun {
namespace {

using emulator::Extent;

constexpr char description[] =
    "Runs a kernel of PTX text on the emulated GPU: checks it, and prints "
    "what it wrote.\n"
    "Parameters are given in the kernel's order by --buffer, --arg and "
    "--tensor-map. A buffer is NAME:TYPE[EXTENTS]=VALUES, as in "
    "x:f32[4x8]=iota; VALUES are zeros, iota, random, random:LEAST:MOST, one "
    "number, as many numbers as elements, @FILE (.npy or raw), or none "
    "(uninitialised). Example:\n"
    "  cheems-ptx-run scale.ptx --grid 2 --block 32 --buffer "
    "x:f32[64]=iota --arg f32:0.5 --print x\n"
    "Exit code 1: the kernel did what it must not do, or wrote what is not "
    "expected.";

std::vector<uint32_t> numbers(const std::string &text, char separator) {
  std::vector<uint32_t> all;
  const char *position = text.data(), *end = position + text.size();
  while (true) {
    uint32_t value = 0;
    auto [next, error] = std::from_chars(position, end, value);
    if (error != std::errc() || value == 0 ||
        (next != end && *next != separator)) {
      throw usage("'" + text + "' is no list of whole numbers");
    }
    all.push_back(value);
    if (next == end) {
      return all;
    }
    position = next + 1;
  }
}

Extent extent(const std::string &text) {
  auto all = numbers(text, ',');
  if (all.size() > 3) {
    throw usage("'" + text + "' has more than three extents");
  }
  all.resize(3, 1);
  return {all[0], all[1], all[2]};
}

class Reader {
public:
  explicit Reader(Options &options) : options(options) {}

  void memory(const std::string &text) {
    Buffer buffer = Buffer::parse(text);
    if (buffer.name.empty()) {
      buffer.name = std::to_string(options.buffers.size());
    }
    for (const Buffer &other : options.buffers) {
      if (other.name == buffer.name) {
        throw usage("two buffers are named " + buffer.name);
      }
    }
    options.buffers.push_back(std::move(buffer));
  }

  void buffer(const std::string &text) {
    memory(text);
    Parameter parameter;
    parameter.text = text;
    parameter.buffer = options.buffers.size() - 1;
    options.parameters.push_back(std::move(parameter));
  }

  /// `f32:0.5`, or `&NAME`: the address of a buffer that was given before.
  void argument(const std::string &text) {
    Parameter parameter;
    parameter.text = text;
    size_t colon = text.find(':');
    if (text.starts_with('&')) {
      parameter.buffer = find(text.substr(1));
    } else if (colon == text.npos) {
      throw usage("'" + text + "': write TYPE:NUMBER, as in s32:5, or &NAME");
    } else {
      auto type = ElementType::parse(text.substr(0, colon));
      uint64_t bits = type.encode(std::string_view(text).substr(colon + 1));
      parameter.value.resize(type.bytes);
      std::memcpy(parameter.value.data(), &bits, type.bytes);
    }
    options.parameters.push_back(std::move(parameter));
  }

  /// `a[64x32]:128`
  void tensorMap(const std::string &text) {
    size_t open = text.find('['), close = text.find(']');
    if (open == text.npos || close == text.npos || close < open ||
        (close + 1 < text.size() && text[close + 1] != ':')) {
      throw usage("'" + text +
                  "': write NAME[BOX]:SWIZZLE, as in a[64x32]:128");
    }
    Parameter parameter;
    parameter.text = text;
    parameter.buffer = find(text.substr(0, open));
    for (uint32_t one : numbers(text.substr(open + 1, close - open - 1), 'x')) {
      parameter.box.push_back(one);
    }
    if (parameter.box.size() !=
        options.buffers[parameter.buffer].extents.size()) {
      throw usage("'" + text + "': the box has another rank than the buffer");
    }
    std::string swizzle =
        close + 1 < text.size() ? text.substr(close + 2) : "0";
    if (swizzle != "0" && swizzle != "32" && swizzle != "64" &&
        swizzle != "128") {
      throw usage("'" + text + "': the swizzle is 0, 32, 64 or 128");
    }
    parameter.swizzle = uint32_t(std::stoul(swizzle));
    options.parameters.push_back(std::move(parameter));
  }

  size_t find(const std::string &name) const {
    for (size_t index = 0; index < options.buffers.size(); ++index) {
      if (options.buffers[index].name == name) {
        return index;
      }
    }
    throw usage("no buffer is named '" + name + "'");
  }

  Named named(const std::string &text) const {
    size_t equals = text.find('=');
    if (equals == text.npos) {
      throw usage("'" + text + "': write NAME=...");
    }
    return {find(text.substr(0, equals)), text.substr(equals + 1)};
  }

private:
  Options &options;
};

/// Handled in the order in which the words stand: parameters have one.
CLI::Option *inOrder(CLI::App &app, const std::string &name,
                     const std::function<void(const std::string &)> &handle,
                     const std::string &help) {
  // Text keeps its brackets and commas, which CLI11 would take for lists.
  return app.add_option_function<std::string>(name, handle, help)
      ->trigger_on_parse()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(description, "cheems-ptx-run");
  app.set_version_flag("--version", "cheems-ptx-run " CHEEMS_VERSION);
  app.get_formatter()->column_width(30);
  Options options;
  options.emulator = emulator::Options::fromEnvironment();
  Reader reader(options);
  std::string grid = "1", block = "1", cluster = "1", mode;
  std::vector<std::string> printed, expected, saved;
  app.add_option("FILE", options.file, "PTX text; - is standard input");
  app.add_option("--kernel", options.kernel,
                 "needed if the text has more than one");
  app.add_flag("--list", options.list,
               "print the kernels with their parameters, and run none");
  app.add_option("--grid", grid, "blocks: X[,Y[,Z]]");
  app.add_option("--block", block, "threads of a block: X[,Y[,Z]]");
  app.add_option("--cluster", cluster, "blocks of a cluster: X[,Y[,Z]]");
  addNumber(app, "--shared", options.sharedBytes, 0, 1 << 20,
            "bytes of dynamic shared memory");
  app.add_flag("--cooperative", options.cooperative,
               "all blocks are resident at once");
  inOrder(
      app, "--buffer", [&](const std::string &text) { reader.buffer(text); },
      "memory whose address is the next parameter");
  inOrder(
      app, "--memory", [&](const std::string &text) { reader.memory(text); },
      "memory that is no parameter by itself");
  inOrder(
      app, "--arg", [&](const std::string &text) { reader.argument(text); },
      "the next parameter: TYPE:NUMBER, or &NAME for a buffer's address");
  inOrder(
      app, "--tensor-map",
      [&](const std::string &text) { reader.tensorMap(text); },
      "the next parameter: NAME[BOX]:SWIZZLE, a map of a buffer");
  app.add_option("--print", printed, "print a buffer; ? is uninitialised")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--expect", expected,
                 "NAME=VALUES: fail if the buffer differs")
      ->allow_extra_args(false);
  addNumber(app, "--tolerance", options.tolerance,
            "how much an element may differ, relative to the expected one");
  app.add_option("--save", saved, "NAME=FILE: write a buffer (.npy or raw)")
      ->allow_extra_args(false);
  app.add_option(
      "--counts", options.counts,
      "what the launch costs: FILE for JSON, FILE.txt or - for tables");
  addNumber(app, "--data-seed", options.dataSeed, 0, INT64_MAX,
            "of random values");
  app.add_option("--mode", mode, "asynchronous operations: early or late")
      ->check(CLI::IsMember({"early", "late"}));
  addNumber(app, "--seed", options.emulator.seed, 0, INT64_MAX,
            "of the order in which warps run");
  app.add_option("--arch", options.emulator.architecture, "80 or 90")
      ->check(CLI::IsMember({80, 90}));
  int multiprocessors = 0;
  addNumber(app, "--sm", multiprocessors, 1, 1024,
            "multiprocessors of the GPU (132; sm_80: 108)");
  addNumber(app, "--threads", options.emulator.threads, 1, 1024,
            "threads of the host");
  if (!parse(app, argc, argv)) {
    return std::nullopt;
  }
  options.emulator.multiprocessors =
      multiprocessors
          ? multiprocessors
          : emulator::Options::multiprocessorsOf(options.emulator.architecture);
  options.grid = extent(grid);
  options.block = extent(block);
  options.cluster = extent(cluster);
  if (!mode.empty()) {
    options.emulator.asynchrony = mode == "late" ? emulator::Asynchrony::late
                                                 : emulator::Asynchrony::early;
  }
  for (const std::string &name : printed) {
    options.printed.push_back(reader.find(name));
  }
  for (const std::string &text : expected) {
    options.expected.push_back(reader.named(text));
  }
  for (const std::string &text : saved) {
    options.saved.push_back(reader.named(text));
  }
  return options;
}

} // namespace cheems::ptxrun
