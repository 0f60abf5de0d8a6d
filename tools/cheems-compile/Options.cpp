#include "Options.h"
#include "PassOptions.h"
#include "TextCheck.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace cheems {

void CommandLineOptions::addTargets(CLI::App &app) {
  app.add_option("--target", compile.targets,
                 "targets to compile for, with commas between: cpu, cuda")
      ->delimiter(',')
      ->allow_extra_args(false) // what follows may be the folder
      ->type_name("NAME[,NAME]");
  app.add_option("--load-backend", plugins,
                 "shared library with a further target, for --target; it is "
                 "code and runs with your rights")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--backend-option", backendOptions,
                 "option of a target, as its plugin says; each once")
      ->type_name("NAME.OPTION=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--cpu", cpu,
                 "portable (the default): x86-64-v3 and better, the best code "
                 "is chosen when the file is opened; native: this machine; a "
                 "CPU name: x86-64-v3, x86-64-v4, sapphirerapids, ...; or one "
                 "variant: avx2, avxvnni, avx512, avx512vnni, avx512bf16, amx");
  app.add_option("--cuda-arch", architectures,
                 "GPUs that the target cuda makes code for, with commas "
                 "between: sm_80, sm_90a (the default is both); --emit "
                 "shows the first")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ARCH[,ARCH]");
}

void CommandLineOptions::addFormats(CLI::App &app) {
  app.add_option(
         "--weights", weights,
         "type of matrices: stored (the default), f32, bf16, f16 (for the "
         "target cuda alone), or quantized, with scales: int8, int4 (the "
         "output head and experts "
         "then have 8 bits; the embedding, the norms and what chooses "
         "keys or experts stay as stored)")
      ->check(CLI::IsMember({"stored", "f32", "bf16", "f16", "int8", "int4"}));
  app.add_option("--kv", state,
                 "type of keys and values while the model runs: stored (the "
                 "default: as the matrices of the model), or int8 with a "
                 "scale each")
      ->check(CLI::IsMember({"stored", "int8"}));
  addNumber(app, "--max-context", compile.maxContext, 1, INT32_MAX,
            "default context of cheems-run, in tokens");
  app.add_option("--pipeline", pipeline,
                 "fast (the default), or scalar: plain loops, for comparison")
      ->check(CLI::IsMember({"fast", "scalar"}));
  addNumber(
      app, "--group-experts", groupExperts, 0, 4096,
      "read the rows of experts once for this many tokens of a prompt, in "
      "the order of their ids; 0 (the default): token by token")
      ->type_name("ROWS");
}

void CommandLineOptions::addChecks(CLI::App &app) {
  app.add_flag("--race-checks", raceChecks,
               "make code with the checks of ThreadSanitizer; only programs "
               "that are built with it can run this code");
  app.add_flag("--no-layers", compile.noLayers,
               "accept a model without layers, with only an embedding and a "
               "head; for cheems-bench --ops");
  app.add_flag("--allow-links", compile.allowLinks,
               "JSON files and the chat template may be links to files outside "
               "of the folder; programs show the template to others");
}

/// What does not go together.
void CommandLineOptions::refuse() const {
  if (emit == "artefact" && compile.output == "-") {
    throw usage("an artefact needs a file name, not -");
  }
  if (!architectures.empty() && !llvm::is_contained(compile.targets, "cuda")) {
    throw usage("--cuda-arch is for --target cuda; give that, too, or "
                "drop --cuda-arch");
  }
  if (pipeline == "scalar" && groupExperts.value_or(0) > 0) {
    throw usage("--pipeline scalar takes experts token by token: drop "
                "--group-experts");
  }
}

void CommandLineOptions::take() {
  compile.weights = weights == "f32"    ? WeightFormat::F32
                    : weights == "bf16" ? WeightFormat::BF16
                    : weights == "f16"  ? WeightFormat::F16
                    : weights == "int8" ? WeightFormat::Int8
                    : weights == "int4" ? WeightFormat::Int4
                                        : WeightFormat::Stored;
  compile.state = state == "int8" ? StateFormat::Int8 : StateFormat::Stored;
  compile.checkTexts = [folder = compile.model](const auto &checkpoint,
                                                auto warn) {
    return checkTexts(folder, checkpoint, warn);
  };
  for (const std::string &each : backendOptions) {
    size_t end = each.find('=');
    if (end == std::string::npos) {
      throw usage("--backend-option takes NAME.OPTION=VALUE, not " + each);
    }
    std::string name = each.substr(0, end);
    if (!compile.backendOptions.emplace(name, each.substr(end + 1)).second) {
      throw usage("--backend-option " + name +
                  " is given twice; drop one of them");
    }
  }
}

void CommandLineOptions::setBackendOptions(const BackendRegistry &backends) {
  std::map<std::string, std::string> all;
  std::vector<const Backend *> targets;
  for (const std::string &name : compile.targets) {
    const Backend *backend = backends.find(name);
    if (!backend) {
      return; // which the compiler says
    }
    targets.push_back(backend);
  }
  // A target of a plugin may read it, too.
  auto set = [&](const std::string &option,
                 const std::optional<std::string> &value) {
    bool isRead = !value;
    for (const Backend *backend : targets) {
      for (const BackendOption &each : backend->options()) {
        if (value && each.name == option) {
          all[backend->name().str() + "." + option] = *value;
          isRead = true;
        }
      }
    }
    if (!isRead) {
      throw usage("--" + option +
                  " is for the target cpu; name that, too, or drop --" +
                  option);
    }
  };
  std::optional<std::string> groups, races;
  if (groupExperts) {
    groups = std::to_string(*groupExperts);
  }
  if (raceChecks) {
    races = "on";
  }
  set("cpu", cpu);
  set("group-experts", groups);
  set("pipeline", pipeline);
  set("race-checks", races);
  if (!architectures.empty()) {
    all["cuda.arch"] = llvm::join(architectures, ",");
  }
  for (auto &[name, value] : all) {
    if (!compile.backendOptions.emplace(name, value).second) {
      throw usage("--backend-option " + name +
                  " has a short form, which is given, too; drop one of them");
    }
  }
}

bool CommandLineOptions::read(int argc, char **argv) {
  CLI::App app{
      "Compiles a model folder (config.json, "
      "model.safetensors, tokenizer.json) into one file for cheems-run.",
      "cheems-compile"};
  app.set_version_flag("--version", compilerVersion());
  app.add_option("MODEL_DIR,-m,--model", compile.model, "model folder")
      ->required();
  app.add_option(
         "-o,--output", compile.output,
         "file to write (- is standard output, if --emit names a stage)")
      ->required();
  addTargets(app);
  addFormats(app);
  addChecks(app);
  app.add_option("--emit", emit,
                 "artefact, or a stage before it: mlir (as imported), "
                 "expanded, fused, tiled, buffers, kernels, planned, loops, "
                 "outlined, llvm-dialect, llvm (IR), obj; of portable it is "
                 "the code for x86-64-v3, or for --cpu NAME that for NAME. For "
                 "the target cuda: mlir, rounded, groups, strategy, tile, "
                 "launches, plan, nvvm, ptx, cubin (machine code, by ptxas)")
      ->type_name("STAGE");
  app.footer("Options of MLIR for passes print to standard error. They are "
             "given as one word: --mlir-print-ir-after-all, "
             "--mlir-print-ir-after=PASS, --mlir-print-ir-before=PASS, "
             "--mlir-print-ir-after-change, --mlir-timing, "
             "--mlir-print-debuginfo, and others that "
             "cheems-opt --help lists. With --emit STAGE there is one kind of "
             "code; else kinds come one after the other.");
  std::vector<char *> words(argv, argv + argc);
  compile.watchPasses = takePassOptions(words);
  if (!parse(app, static_cast<int>(words.size()), words.data())) {
    return false;
  }
  refuse();
  take();
  return true;
}

} // namespace cheems
