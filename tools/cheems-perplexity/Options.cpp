#include "Options.h"
#include "runtime/Generation/DeviceList.h"
#include "runtime/Process/Output.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include "tools/Support/CommandLine.h"
#include "tools/Support/CompileFlags.h"
#include "tools/Support/DeviceFlags.h"

namespace cheems::perplexity {

namespace {

constexpr const char *description =
    "Says how well a model that cheems-compile made predicts a text, and how "
    "far its predictions are from those of another model.\nThe text is cut "
    "into "
    "chunks of -c tokens, and the second half of each chunk is predicted, as "
    "llama-perplexity does.\nMODEL may also be a model folder. It is then "
    "compiled once and kept in the cache.";

void say(const std::string &text) {
  printMessage("cheems-perplexity: " + text);
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(description, "cheems-perplexity");
  prepare(app, 30);
  Options options;
  std::optional<int64_t> threads;
  app.add_option("MODEL,-m,--model", options.model,
                 "compiled model, or model folder");
  app.add_option("-f,--file", options.file,
                 "file with the text; - is standard input");
  addNumber(app, "-c,--ctx-size", options.context, 4, INT32_MAX,
            "how many tokens a chunk has; default 512");
  addNumber(app, "--chunks", options.chunks, 0, INT32_MAX,
            "how many chunks to read at most; 0 (the default): all");
  app.add_option(
      "--kl-base", options.base,
      "another model with the same tokens, for example in f32: print "
      "the mean KL divergence from it, and how often both expect "
      "the same token most; it runs where --device auto says");
  addNumber(app, "-t,--threads", threads, 1, ThreadPool::maxThreads,
            "number of threads; default: the physical cores that this process "
            "may use");
  DeviceFlags device;
  device.declare(app, "MODEL");
  CompileFlags compile;
  compile.declareFormats(app);
  compile.declare(app);
  if (!parse(app, argc, argv, {{"-dev", "--device"}})) {
    return std::nullopt;
  }
  if (device.list) {
    writeOutput(deviceList(say));
    return std::nullopt;
  }
  if (options.model.empty()) {
    throw usage("no model given");
  }
  if (options.file.empty()) {
    throw usage("no text given: use -f FILE");
  }
  options.device = DeviceChoice::parse(device.device);
  options.threads = static_cast<int>(threads.value_or(0));
  options.compileArguments = compile.arguments();
  return options;
}

} // namespace cheems::perplexity
