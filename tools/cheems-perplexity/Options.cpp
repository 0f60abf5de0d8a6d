#include "Options.h"
#include "cheems/abi.h"
#include "cheems/artifact.h"
#include "runtime/Error.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include <CLI/CLI.hpp>

namespace cheems::perplexity {

namespace {

constexpr const char *description =
    "Says how well a model that cheems-compile made predicts a text, and how "
    "far it is from another.\nThe text is cut into chunks of -c tokens, and "
    "each chunk's second half is predicted, as llama-perplexity does.\nMODEL "
    "may be a model folder too; it is then compiled once into the cache.";

Error usage(const std::string &what) {
  return Error(Status::usage, what + "; see --help");
}

void check(const char *name, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most) {
    throw usage(std::string(name) + " must be between " +
                std::to_string(least) + " and " + std::to_string(most) +
                ", not " + std::to_string(value));
  }
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(description, "cheems-perplexity");
  app.set_version_flag(
      "--version", "cheems-perplexity " CHEEMS_VERSION " (artefact format " +
                       std::to_string(CHEEMS_ARTIFACT_VERSION) +
                       ", interface " + std::to_string(CHEEMS_ABI_VERSION) +
                       ")");
  app.get_formatter()->column_width(30);
  Options options;
  std::optional<int64_t> threads;
  app.add_option("MODEL,-m,--model", options.model,
                 "compiled model, or model folder");
  app.add_option("-f,--file", options.file,
                 "file with the text; - is standard input");
  app.add_option("-c,--ctx-size", options.context,
                 "tokens of a chunk; default 512");
  app.add_option("--chunks", options.chunks,
                 "chunks to read at most; 0, the default: all");
  app.add_option("--kl-base", options.base,
                 "a model of the same tokens, f32 say: mean KL divergence from "
                 "it and how often both expect the same token most");
  app.add_option("-t,--threads", threads,
                 "threads; default: the physical cores this process may use");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    app.exit(request);
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    throw usage(error.what());
  }
  if (options.model.empty()) {
    throw usage("no model given");
  }
  if (options.file.empty()) {
    throw usage("no text given: use -f FILE");
  }
  check("-c", options.context, 4, INT32_MAX);
  check("--chunks", options.chunks, 0, INT32_MAX);
  if (threads) {
    check("-t", *threads, 1, ThreadPool::maxThreads);
    options.threads = static_cast<int>(*threads);
  }
  return options;
}

} // namespace cheems::perplexity
