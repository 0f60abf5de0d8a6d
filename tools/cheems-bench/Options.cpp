#include "Options.h"
#include "Progress.h"
#include "runtime/Generation/DeviceList.h"
#include "runtime/Process/Output.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include "tools/Support/CommandLine.h"
#include "tools/Support/CompileFlags.h"
#include "tools/Support/DeviceFlags.h"

namespace cheems::bench {

namespace {

constexpr const char *description =
    "Times models that cheems-compile made: prompts (pp) and generated tokens "
    "(tg), and says how\nclose they come to what this machine can read and "
    "compute.\nA MODEL may also be a model folder. It is then compiled once "
    "and "
    "kept in the cache.\nCHEEMS_CPU names the variant of the code to run.";

/// What is on the command line, before it is checked.
struct Raw {
  Options options;
  std::string output = "md";
  bool withoutLimits = false;
  std::optional<std::string> op;
  std::vector<std::string> shapes;
  CompileFlags compile;
  DeviceFlags device;
};

void declareTests(CLI::App &app, Options &options) {
  app.add_option("MODEL,-m,--model", options.models,
                 "compiled model, or model folder; one or more");
  app.add_option(
      "--compile", options.compile,
      "model folder to compile into a temporary file first, and time that");
  auto list = [&](const char *names, std::vector<int64_t> &target,
                  int64_t least, int64_t most, const char *help) {
    addNumber(app, names, target, least, most, help)
        ->delimiter(',')
        ->allow_extra_args(false) // what follows is a model
        ->group("Tests (one number or more, with commas or repeated)");
  };
  list("-p,--n-prompt", options.prompts, 0, INT32_MAX,
       "how many tokens a prompt has; default 512; 0: no such test");
  list("-n,--n-gen", options.generated, 0, INT32_MAX,
       "how many tokens to generate; default 128; 0: no such test");
  list("-d,--n-depth", options.depths, 0, INT32_MAX,
       "how many tokens the model reads before the test; default 0");
  list("-b,--sequences,--batch", options.sequences, 1, 65536,
       "how many sequences generate at once; default 1");
  list("-t,--threads", options.threads, 0, ThreadPool::maxThreads,
       "number of threads; default: the physical cores that this process may "
       "use");
}

void declareRest(CLI::App &app, Raw &raw) {
  const char *run = "Running", *ops = "Single operations";
  addNumber(app, "-r,--repetitions", raw.options.repetitions, 1, 1000000,
            "how often each test runs, after one run to warm up; default 5")
      ->group(run);
  addNumber(app, "-c,--ctx-size", raw.options.context, 0, INT32_MAX,
            "context in tokens; 0 (the default): what a test needs")
      ->group(run);
  raw.device.declare(app, "MODEL", run);
  addNumber(app, "--prefill-chunk", raw.options.prefillChunk, 0, INT32_MAX,
            "how many tokens of a prompt to process at once, at most 65536")
      ->group(run);
  app.add_flag(
         "--greedy", raw.options.greedy,
         "generation feeds the token of the highest logit, as a text "
         "without temperature does; otherwise tokens are random, and none "
         "is chosen")
      ->group(run);
  app.add_flag("--no-limits", raw.withoutLimits,
               "do not measure what the machine can read and compute; this "
               "saves seconds, but shares of limits are not printed")
      ->group(run);
  app.add_option("-o,--output", raw.output,
                 "md (the default): a table; json: a list of rows")
      ->check(CLI::IsMember({"md", "json"}))
      ->type_name("TEXT")
      ->group(run);
  app.add_flag("--counts", raw.options.counts,
               "do not time, but print what each test or operation asks a GPU "
               "for, as the software GPU counts it: a whole prompt, or one "
               "step of generation")
      ->group(run);
  app.add_option("--ops", raw.op,
                 "time one operation alone: matmul, ssd, attention or experts; "
                 "the cheems-compile beside this program compiles it. With "
                 "--device cuda on a GPU, else on the CPU")
      ->expected(0, 1)
      ->default_str("matmul")
      ->type_name("TEXT")
      ->group(ops);
  app.add_option("--shapes", raw.shapes,
                 "matmul: MxNxK, M rows of K numbers times N rows of weights; "
                 "default: the matmuls of MODEL, with M = 1 and -p. ssd: "
                 "TxHxPxN[xG], T rows of H heads of P numbers, states of N, G "
                 "groups. attention: TxHxP[xW], W kept keys. experts: "
                 "TxDxExk[xH], T rows of D numbers, k of E experts for each of "
                 "H heads. T = 1 is a decode step, after -d rows")
      ->delimiter(',')
      ->group(ops);
  app.add_option("--weights,--dtype", raw.compile.weights,
                 "with --ops: bf16 (the default), f32, int8, or except for "
                 "matmul f16 (on GPUs) and int4 (tables of experts are then "
                 "int8). With a model folder: as for cheems-compile")
      ->check(CLI::IsMember(CompileFlags::weightFormats()))
      ->type_name("TEXT")
      ->group(ops);
  addNumber(app, "--group-experts", raw.compile.groupExperts, 0, 4096,
            "with --ops experts or a model folder: read the rows of experts "
            "once for this many tokens of a prompt; 0 (the default): token "
            "by token")
      ->group(ops);
  app.add_option("--compiled", raw.options.compiledFolder,
                 "with --ops and --shapes: a folder that keeps the compiled "
                 "operations; those that are there need no cheems-compile")
      ->check(CLI::ExistingDirectory)
      ->type_name("FOLDER")
      ->group(ops);
  app.add_flag("--compile-only", raw.options.compileOnly,
               "with --compiled: compile what is not there, and time nothing")
      ->group(ops);
  raw.compile.declare(app);
}

/// Rows of a matmul: a session takes no more at once.
constexpr int64_t mostRows = 65536;

MatmulShape parseMatmul(const std::string &text) {
  constexpr int64_t most = 1 << 24;
  std::vector<int64_t> numbers = parseNumbers(text, 3, 3, most);
  if (numbers.empty() || numbers[0] > mostRows) {
    throw usage("--shapes takes MxNxK with M up to " +
                std::to_string(mostRows) + ", N and K up to " +
                std::to_string(most) + ", not '" + text + "'");
  }
  return {numbers[0], numbers[1], numbers[2]};
}

void checkInputs(const Options &options, bool shapes) {
  if (shapes && options.ops.empty()) {
    throw usage("--shapes needs --ops");
  }
  if (!options.models.empty() && options.compile) {
    throw usage("give either MODEL or --compile, not both");
  }
  if (options.counts && options.compile) {
    throw usage("--counts compiles a model folder by itself: drop --compile");
  }
  if (options.counts && options.device.kind != DeviceChoice::Kind::cuda) {
    throw usage("--counts needs a GPU: give --device cuda");
  }
  bool model = !options.models.empty() || options.compile,
       own = shapes || !options.operations.empty();
  if (!model && !own) {
    throw usage("no model given: name a compiled model or a model folder");
  }
  if (model && own) {
    throw usage((shapes ? "--shapes" : "--ops " + options.ops) +
                " needs no model: drop it");
  }
  if (!options.compiledFolder.empty() && !own) {
    throw usage("--compiled is for --ops without MODEL; model folders have a "
                "cache of their own");
  }
  if (options.compileOnly && options.compiledFolder.empty()) {
    throw usage("--compile-only needs --compiled FOLDER");
  }
  if (options.compileOnly && options.counts) {
    throw usage("--compile-only runs nothing: drop --counts");
  }
  for (int64_t rows : options.prompts) {
    if (model && !options.ops.empty() && rows > mostRows) {
      throw usage("--ops takes -p up to " + std::to_string(mostRows) +
                  ", the rows of a step, not " + std::to_string(rows));
    }
  }
}

/// What is timed alone has its formats from the command line, a model folder
/// has what cheems-compile takes.
void takeCompileFlags(const CompileFlags &flags, Options &options) {
  if (flags.weights == "int4" && options.ops == "matmul") {
    throw usage("--weights int4 needs --ops ssd, attention or experts");
  }
  std::vector<std::string> arguments = flags.arguments();
  if (!options.models.empty() || options.compile) {
    options.compileArguments = arguments;
    return;
  }
  if (flags.kv || flags.maxContext || flags.others || flags.allowLinks) {
    throw usage("--kv, --max-context, --allow-links and --compile-args are for "
                "model folders, not for --ops");
  }
  options.weights = flags.weights.value_or(options.weights);
  options.groupExperts = flags.groupExperts.value_or(0);
  if (options.weights == "stored") {
    throw usage("--weights stored is for model folders, not for --ops");
  }
  if (options.weights == "f16" && options.ops == "matmul") {
    throw usage("--weights f16 needs --ops ssd, attention or experts");
  }
  if (options.weights == "f16" &&
      options.device.kind != DeviceChoice::Kind::cuda) {
    throw usage("--ops with --weights f16 needs a GPU: give --device cuda");
  }
  if (options.groupExperts > 0 && options.ops != "experts") {
    throw usage("--group-experts needs --ops experts");
  }
}

Options checked(Raw raw) {
  Options options = std::move(raw.options);
  options.json = raw.output == "json";
  options.limits = !raw.withoutLimits;
  options.ops = raw.op.value_or("");
  bool operation = isOperation(options.ops);
  if (raw.op && options.ops != "matmul" && !operation) {
    throw usage("--ops takes matmul, ssd, attention or experts, not '" +
                options.ops + "'");
  }
  for (const std::string &shape : raw.shapes) {
    if (operation) {
      options.operations.push_back(parseOperation(options.ops, shape));
    } else {
      options.shapes.push_back(parseMatmul(shape));
    }
  }
  if (operation && raw.shapes.empty()) {
    options.operations = defaultOperations(options.ops);
  }
  options.device = DeviceChoice::parse(raw.device.device);
  checkInputs(options, !raw.shapes.empty());
  takeCompileFlags(raw.compile, options);
  return options;
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv) {
  CLI::App app(description, "cheems-bench");
  prepare(app, 36);
  Raw raw;
  declareTests(app, raw.options);
  declareRest(app, raw);
  if (!parse(app, argc, argv, {{"-dev", "--device"}})) {
    return std::nullopt;
  }
  if (raw.device.list) {
    writeOutput(deviceList(say));
    return std::nullopt;
  }
  return checked(std::move(raw));
}

} // namespace cheems::bench
