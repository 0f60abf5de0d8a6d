// Writes checkpoints, spawns the compiler, keeps what it made.
#include "Artefacts.h"
#include "runtime/Error.h"
#include "test/unit/Support/CpuVariants.h"
#include "test/unit/Support/RandomCheckpoint.h"
#include "test/unit/Support/TemporaryFolder.h"
#include "test/unit/Support/TestPaths.h"
#include "test/unit/Support/TestRun.h"
#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <set>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

extern char **environ;

namespace cheems::test {
namespace {

const std::filesystem::path &scratch() {
  static TemporaryFolder folder;
  return folder.path;
}

std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string compilerPath() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() /
          "cheems-compile")
      .string();
}

RandomCheckpoint randomWindow(uint64_t seed, int64_t window,
                              int64_t layers = 2) {
  RandomCheckpoint c = drawDoge(seed);
  c.keepWindow = window;
  c.dynamicRope = false;
  c.maxPositions = 2048;
  c.layers = layers;
  c.stored = RandomCheckpoint::Stored::F32;
  return c;
}

RandomCheckpoint dynamic(uint64_t seed, int64_t window) {
  RandomCheckpoint c = randomWindow(seed, window);
  c.dynamicRope = true;
  c.headDim = std::max<int64_t>(c.headDim, 4);
  c.maxPositions = 16;
  c.factor = 32.0;
  return c;
}

/// A Cheems of three layers, the middle one attention.
RandomCheckpoint cheems(uint64_t seed) {
  RandomCheckpoint c;
  c.seed = seed;
  c.cheems = c.authorNames = true;
  c.queryKeyNorms = false;
  c.hidden = c.heads * c.headDim;
  c.layers = c.attentionPeriod = 3;
  c.attentionOffset = 1;
  c.stateSize = 8;
  c.groups = 2;
  c.maskPerAttentionHead = true;
  return c;
}

void addExperts(RandomCheckpoint &c) {
  c.expertLayers = RandomCheckpoint::Experts::Ends;
  c.keyCount = 5;
  c.experts = 27; // no square
  c.expertHeads = 2;
  c.expertsPerHead = 7; // more than keys per half
  c.retrievalSize = 6;
}

/// Every way in which a layer can have a state, and experts.
void addCheems(std::map<std::string, RandomCheckpoint> &made) {
  using Random = RandomCheckpoint;
  made["cheems-window-9"] = cheems(109);
  made["cheems-window-9"].keepWindow = 9;
  made["cheems-window-9"].skip = true;
  made["cheems-threshold"] = cheems(110);
  made["cheems-threshold"].mask = Random::Mask::Threshold;
  made["cheems-threshold"].threshold = 0.9;
  made["cheems-threshold"].decay = Random::Decay::Logarithm;
  // At 1.0 the signs of A say who sees, within a group in different ways.
  made["cheems-visible"] = cheems(111);
  made["cheems-visible"].attentionPeriod = 1;
  made["cheems-visible"].attentionOffset = 0;
  made["cheems-visible"].mask = Random::Mask::Threshold;
  made["cheems-scale"] = cheems(112);
  made["cheems-scale"].mask = Random::Mask::Scale;
  made["cheems-scale"].decay = Random::Decay::Growing;
  made["cheems-scale"].stored = Random::Stored::BF16;
  made["cheems-experts"] = cheems(113); // and no attention
  made["cheems-experts"].attentionOffset = 2;
  made["cheems-experts"].layers = 2;
  addExperts(made["cheems-experts"]);
  made["cheems-experts"].innerScore = true;
  Random router;
  router.seed = 114;
  addExperts(router);
  router.expertHeads = 1;
  made["doge-experts"] = router;
}

/// Attention without masks.
void addPlain(std::map<std::string, RandomCheckpoint> &made) {
  RandomCheckpoint c;
  c.seed = 118;
  c.plain = "llama";
  c.queryKeyNorms = false;
  c.heads = 6;
  c.headDim = 4;
  c.attentionBias = c.mlpBias = true;
  made["llama"] = c;
  // Layers with a window and positions, and one with neither.
  c.seed = 119;
  c.plain = "smollm3";
  c.layers = 3;
  c.window = 500;
  c.stored = RandomCheckpoint::Stored::BF16;
  made["smollm3-window-500"] = c;
  c.window = 9;
  made["smollm3-window-9"] = c;
}

const std::map<std::string, RandomCheckpoint> &randomModels() {
  static const std::map<std::string, RandomCheckpoint> models = [] {
    std::map<std::string, RandomCheckpoint> made;
    made["window-1"] = randomWindow(101, 1);
    RandomCheckpoint grouped;
    grouped.seed = 102;
    grouped.keepWindow = 7;
    grouped.maskPerAttentionHead = true;
    grouped.attentionBias = grouped.mlpBias = true;
    made["window-7"] = grouped;
    // In one layer alone masks are far apart or exactly equal, so rounding
    // reorders no keys however long the sequence.
    made["window-64"] = randomWindow(103, 64, 1);
    made["window-100"] = randomWindow(104, 100, 1);
    made["bf16-window-20"] = randomWindow(105, 20);
    made["bf16-window-20"].stored = RandomCheckpoint::Stored::BF16;
    made["bf16-window-500"] = randomWindow(115, 500);
    made["bf16-window-500"].stored = RandomCheckpoint::Stored::BF16;
    made["dynamic"] = dynamic(106, 1);
    made["dynamic"].authorNames = false; // absent would be 2048 keys
    made["dynamic"].keepWindow = 4096;
    made["dynamic-window-9"] = dynamic(107, 9);
    RandomCheckpoint
        everything; // the author's names without a window field: all keys
    everything.seed = 108;
    everything.authorNames = everything.oldRopeFields = true;
    everything.hidden = everything.heads * everything.headDim;
    everything.stored = RandomCheckpoint::Stored::BF16;
    made["bf16-all-keys"] = everything;
    // Wide enough for each matmul to be a parallel region.
    everything.heads = 2;
    everything.keyValueHeads = 1;
    everything.headDim = 64;
    everything.hidden = 128;
    everything.intermediate = 256;
    made["all-keys-wide"] = everything;
    // For quantized weights: a window of keys with groups of 64, and SSD and
    // experts with groups of 32; the MLPs' rows stay exact, or have 8 bits.
    made["codes-64"] = randomWindow(116, 20);
    drawGroups(made["codes-64"], 64);
    made["codes-32"] = cheems(117);
    made["codes-32"].keepWindow = 30;
    drawGroups(made["codes-32"], 32);
    addExperts(made["codes-32"]);
    addCheems(made);
    addPlain(made);
    return made;
  }();
  return models;
}

} // namespace

Outcome compile(const std::vector<std::string> &arguments) {
  std::string program = compilerPath();
  std::string output = scratch() / "stdout.txt",
              errors = scratch() / "stderr.txt";
  std::vector<char *> words{program.data()};
  for (const std::string &argument : arguments) {
    words.push_back(const_cast<char *>(argument.c_str()));
  }
  words.push_back(nullptr);
  constexpr int mode = 0600, flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), flags, mode);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), flags, mode);
  pid_t child = 0;
  int failed = posix_spawn(&child, program.c_str(), &actions, nullptr,
                           words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child) {
    throw std::runtime_error("cannot run " + program + ": build it first");
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          contents(output), contents(errors)};
}

std::filesystem::path checkpointFolder(const std::string &model) {
  auto random = randomModels().find(model);
  if (random == randomModels().end()) {
    bool demo = model == "doge-shakespeare";
    return std::filesystem::path(cheems::test_paths::sourceFolder) /
           (demo ? "models" : "test/golden/models") / model;
  }
  std::filesystem::path folder = scratch() / model;
  if (!std::filesystem::exists(folder)) {
    writeCheckpoint(random->second, folder);
  }
  return folder;
}

std::vector<std::string> flagsFor(const std::string &kind) {
  if (size_t more = kind.rfind('-'); more != std::string::npos) {
    std::vector<std::string> flags = flagsFor(kind.substr(0, more));
    std::string what = kind.substr(more + 1);
    if (what == "int8") {
      flags.insert(flags.end(), {"--kv", what});
    } else if (what == "w8" || what == "w4") {
      flags.insert(flags.end(), {"--weights", "int" + what.substr(1)});
    } else {
      flags.insert(flags.end(), {"--group-experts", what});
    }
    return flags;
  }
  if (kind == "scalar") {
    return {"--pipeline", "scalar"};
  }
  if (kind == "cuda") {
    return {"--target", "cuda", "--cuda-arch", "sm_90a"};
  }
  return {"--cpu", kind};
}

std::filesystem::path artefactOf(const std::string &model,
                                 const std::string &kind) {
  std::filesystem::path artefact = scratch() / (model + "-" + kind + ".cheems");
  if (!std::filesystem::exists(artefact)) {
    std::vector<std::string> words{checkpointFolder(model), "-o", artefact};
    for (const std::string &flag : flagsFor(kind)) {
      words.push_back(flag);
    }
    Outcome outcome = compile(words);
    if (outcome.code != 0) {
      throw std::runtime_error("cheems-compile ended with " +
                               std::to_string(outcome.code) + ": " +
                               outcome.errors);
    }
  }
  return artefact;
}

std::shared_ptr<const Model> openArtefact(const std::string &model,
                                          const std::string &kind,
                                          const std::string &device) {
  ModelOptions options;
  options.device = DeviceChoice::parse(device);
  return Model::open(artefactOf(model, kind).string(), options);
}

std::vector<std::string> widerVariants(const std::string &model) {
  static const std::map<std::string, std::vector<std::string>> variants{
      {"doge-shakespeare", {"avx512"}},
      {"doge-window", {"avx512"}},
      {"doge-untied-bf16", {"avx512bf16", "amx"}},
      {"bf16-window-20", {"avx512", "amx", "amx-int8", "scalar-int8"}},
      {"bf16-all-keys", {"avx2-int8", "amx-int8"}},
      {"cheems-window-9", {"avx512"}},
      {"cheems-threshold", {"avx512", "avx512-int8"}},
      {"cheems-scale", {"avx512bf16", "amx"}},
      {"cheems-experts", {"avx512", "avx2-24"}},
      {"llama", {"avx512", "scalar-int8"}},
      {"smollm3-window-9", {"avx512", "amx", "amx-int8"}},
      {"doge-experts", {"avx512-40"}},
      {"codes-64", {"avx2-w4", "scalar-w4", "amx-w4-int8"}},
      {"codes-32", {"avx2-w8-int8", "avx512vnni-w4"}}};
  auto found = variants.find(model);
  return found == variants.end() ? std::vector<std::string>() : found->second;
}

bool isOfEveryRun(const std::string &model) {
  static const std::set<std::string> longAlone{
      "doge-tiny", "doge-author-bias", "window-1", "window-64", "dynamic"};
  return isLongRun() || longAlone.count(model) == 0;
}

bool hasPlainLoops(const std::string &model) {
  static const std::set<std::string> models{"doge-window", "bf16-all-keys",
                                            "cheems-window-9", "doge-experts",
                                            "smollm3-window-9"};
  return isLongRun() || models.count(model) != 0;
}

bool hasChunks(const Model &model) {
  const std::vector<StateKind> &state = model.metadata().state;
  return std::any_of(state.begin(), state.end(), [](const StateKind &kind) {
    return kind.role == PoolRole::running;
  });
}

void Compiled::SetUp() {
  std::string kind = std::get<1>(GetParam()),
              variant = kind.substr(0, kind.find('-'));
  // by what Linux says of this CPU, not by what the runtime reads of it
  std::string flag = variant == "scalar" ? "" : lackingFlag(variant);
  if (flag.empty()) {
    model = openArtefact(name(), kind);
    return;
  }
  std::printf("skipped: bits of compiled models in %s: no %s\n",
              variant.c_str(), flag.c_str());
  // compiling takes longer than all that is skipped
  constexpr uint64_t share = 8;
  if (isDrawn(name() + kind, share)) {
    try {
      openArtefact(name(), kind);
      FAIL() << "is opened by a CPU without " << flag;
    } catch (const Error &error) {
      ASSERT_EQ(error.status, Status::unsupported) << error.what();
    }
  }
  GTEST_SKIP() << "no " << flag;
}

std::string caseName(const testing::TestParamInfo<Compiled::ParamType> &info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const std::vector<std::string> &allModels() {
  static const std::vector<std::string> models{"doge-shakespeare",
                                               "doge-tiny",
                                               "doge-window",
                                               "doge-untied-bf16",
                                               "doge-author-bias",
                                               "window-1",
                                               "window-7",
                                               "window-64",
                                               "window-100",
                                               "bf16-window-20",
                                               "dynamic",
                                               "dynamic-window-9",
                                               "bf16-all-keys",
                                               "cheems-window-9",
                                               "cheems-threshold",
                                               "cheems-visible",
                                               "cheems-scale",
                                               "cheems-experts",
                                               "llama",
                                               "smollm3-window-9",
                                               "doge-experts",
                                               "codes-64",
                                               "codes-32"};
  return models;
}

} // namespace cheems::test
