#include "Options.h"
#include "runtime/Generation/DeviceList.h"
#include "runtime/Process/Output.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include "server/Http/Cors.h"
#include "server/Http/Hosts.h"
#include "tools/Support/CommandLine.h"
#include "tools/Support/CompileFlags.h"
#include "tools/Support/DeviceFlags.h"
#include "tools/Support/Sizes.h"

namespace cheems::serve {

namespace {

constexpr const char *description =
    "Serves a model that cheems-compile made over HTTP, as OpenAI's clients "
    "ask for it.\nMODEL may also be a model folder. It is then compiled once "
    "and kept in the cache.\nThe line on standard output says where it "
    "listens; each request is a line of JSON on standard error.";

/// What is on the command line, before it is checked.
struct Raw {
  Options options;
  CompileFlags compile;
  DeviceFlags device;
  std::optional<int64_t> port, threads, body, stall, streamInterval, grace,
      connections;
  std::optional<int64_t> queueSeconds, totalSeconds;
  std::optional<std::string> bodyBytes, cacheBytes, slotBytes, memory;
  bool noPage = false;
};

void declareNetwork(CLI::App &app, Raw &raw) {
  const char *group = "Network";
  app.add_option("--host", raw.options.place.host,
                 "name or address to listen on; default 127.0.0.1, which only "
                 "this machine reaches")
      ->group(group);
  addNumber(app, "--port", raw.port, 0, 65535,
            "port to listen on; default 8080; 0: a free one")
      ->group(group);
  app.add_option("--api-key-file", raw.options.apiKeyFile,
                 "file with one API key per line; without it everybody may ask")
      ->group(group);
  app.add_option("--cors-origin", raw.options.corsOrigins,
                 "let pages of this origin ask, such as https://example.org; "
                 "'*': all; may be given several times")
      ->allow_extra_args(false)
      ->group(group);
  app.add_option("--allowed-host", raw.options.allowedHosts,
                 "let clients ask by this name, too, such as that of a proxy; "
                 "without keys, a server on this machine's own address is else "
                 "asked by localhost or that address alone; may be given "
                 "several times")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--no-page", raw.noPage, "serve no page at /")->group(group);
  app.add_option("--max-body", raw.bodyBytes,
                 "most bytes of a request's body; default 32M")
      ->group(group);
  addNumber(app, "--max-connections", raw.connections, 1, 1000000,
            "most connections at once; default 4096")
      ->group(group);
  addNumber(app, "--body-timeout", raw.body, 1, 86400,
            "seconds in which a request's body must come; default 30")
      ->group(group);
  addNumber(app, "--stall-timeout", raw.stall, 1, 86400,
            "seconds after which a client that takes nothing of its answer is "
            "dropped; default 30")
      ->group(group);
  addNumber(app, "--stream-interval", raw.streamInterval, 0, 1000,
            "milliseconds in which the events of a stream share a write; "
            "default 16; 0: each one is sent at once")
      ->group(group);
  addNumber(app, "--grace", raw.grace, 0, 86400,
            "seconds that requests have to end after SIGTERM; default 30")
      ->group(group);
}

void declareRequests(CLI::App &app, Raw &raw) {
  const char *group = "Requests";
  Options &options = raw.options;
  addNumber(app, "--parallel", options.slots, 1, 65536,
            "how many texts are generated at once (also -np); default 4")
      ->group(group);
  addNumber(
      app, "-c,--ctx-size", options.context, 0, INT32_MAX,
      "context of each in tokens; 0 (the default): that of the model, or the "
      "length that it was trained with where it sets no limit")
      ->group(group);
  addNumber(app, "--max-queue", options.queueLength, 0, 1000000,
            "how many requests may wait; default 256")
      ->group(group);
  addNumber(app, "--queue-timeout", raw.queueSeconds, 0, 86400,
            "seconds that a request may wait; 0 (the default): any time")
      ->group(group);
  addNumber(app, "--timeout", raw.totalSeconds, 0, 86400,
            "seconds that a request may take in all; 0 (the default): any time")
      ->group(group);
  app.add_option("--cache-ram", raw.cacheBytes,
                 "memory for states of earlier prompts; default 1G, but at "
                 "most a quarter of --memory; 0: none")
      ->group(group);
  app.add_option(
         "--memory", raw.memory,
         "most memory of the server, such as 4G: weights, states and "
         "all requests; default: what the machine or its cgroup has, of "
         "which requests get 1G")
      ->group(group);
  app.add_flag("--cache-exact", options.cacheExact,
               "use only states that give the very bits of a whole prompt")
      ->group(group);
  app.add_flag("--cache-isolate", options.cacheIsolate,
               "requests with different API keys share no states, so that no "
               "time tells what others asked")
      ->group(group);
  app.add_option("--alias", options.alias,
                 "what clients call the model; default: the name of its file")
      ->group(group);
  app.add_option("--chat-template-file", options.chatTemplateFile,
                 "Jinja template for chats, in the place of the model's")
      ->group(group);
  app.add_option("--slot-save-path", options.slotSavePath,
                 "folder in which clients may save states; without it none may")
      ->group(group);
  addNumber(app, "--slot-files", options.slotFiles, 1, 1000000,
            "most files in that folder; default 256")
      ->group(group);
  app.add_option("--slot-bytes", raw.slotBytes,
                 "most bytes of these files together; default 16G")
      ->group(group);
}

void declareRunning(CLI::App &app, Raw &raw) {
  const char *group = "Running";
  app.add_option("MODEL,-m,--model", raw.options.model,
                 "compiled model, or model folder");
  addNumber(app, "-t,--threads", raw.threads, 1, ThreadPool::maxThreads,
            "number of threads; default: the physical cores that this process "
            "may use")
      ->group(group);
  addNumber(app, "--prefill-chunk", raw.options.prefillChunk, 0, 65536,
            "how many tokens of prompts to process at once; 0 (the default): "
            "what the model says")
      ->group(group);
  raw.device.declare(app, "the model", group);
}

Options checked(Raw raw) {
  Options options = std::move(raw.options);
  if (options.model.empty()) {
    throw usage("no model given: name a compiled model or a model folder");
  }
  auto seconds = [](const std::optional<int64_t> &given,
                    std::chrono::milliseconds &target) {
    if (given) {
      target = std::chrono::seconds(*given);
    }
  };
  options.device = DeviceChoice::parse(raw.device.device);
  options.compileArguments = raw.compile.arguments();
  options.place.port = static_cast<uint16_t>(raw.port.value_or(8080));
  options.threads = static_cast<int>(raw.threads.value_or(0));
  options.page = !raw.noPage;
  seconds(raw.body, options.limits.body);
  seconds(raw.stall, options.limits.stall);
  seconds(raw.grace, options.grace);
  options.queueSeconds = static_cast<double>(raw.queueSeconds.value_or(0));
  options.totalSeconds = static_cast<double>(raw.totalSeconds.value_or(0));
  if (raw.streamInterval) {
    options.limits.streamInterval =
        std::chrono::milliseconds(*raw.streamInterval);
  }
  if (raw.connections) {
    options.limits.connections = static_cast<size_t>(*raw.connections);
  }
  if (raw.bodyBytes) {
    options.limits.bodyBytes =
        static_cast<uint64_t>(parseSize("--max-body", *raw.bodyBytes));
  }
  if (raw.cacheBytes) {
    options.cacheBytes = parseSize("--cache-ram", *raw.cacheBytes);
  }
  if (raw.memory) {
    options.memoryBytes = parseSize("--memory", *raw.memory);
    options.cacheIsShare = !raw.cacheBytes; // the default is for a machine
    if (options.cacheIsShare) {
      options.cacheBytes =
          std::min(options.cacheBytes, *options.memoryBytes / Options::share);
    }
  }
  if (raw.slotBytes) {
    options.slotBytes = parseSize("--slot-bytes", *raw.slotBytes);
  }
  Cors origins(options.corsOrigins); // checked before the model is loaded
  Hosts hosts(options.allowedHosts);
  return options;
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(description, "cheems-serve");
  prepare(app, 34);
  Raw raw;
  declareRunning(app, raw);
  declareNetwork(app, raw);
  declareRequests(app, raw);
  raw.compile.declareFormats(app);
  raw.compile.declare(app);
  if (!parse(app, argc, argv, {{"-dev", "--device"}, {"-np", "--parallel"}})) {
    return std::nullopt;
  }
  if (raw.device.list) {
    writeOutput(deviceList([](const std::string &line) {
      printMessage("cheems-serve: " + line);
    }));
    return std::nullopt;
  }
  return checked(std::move(raw));
}

} // namespace cheems::serve
