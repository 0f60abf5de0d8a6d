// The command line of cheems-run.
#ifndef CHEEMS_TOOLS_CHEEMS_RUN_OPTIONS_H
#define CHEEMS_TOOLS_CHEEMS_RUN_OPTIONS_H

#include "runtime/Artifact/DeviceChoice.h"
#include "runtime/Grammar/Grammar.h"
#include "runtime/Profile/Profile.h"
#include "runtime/Sampler/SamplingOptions.h"
#include "runtime/Session/Pooling.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cheems::run {

enum class Mode {
  generate,
  chat,
  logits,
  embedding,
  tokenize,
  detokenize,
  describe,
  verify
};

/// How much --describe tells.
enum class Description { summary, full, json };

/// When prompts of a chat and what is typed stand out.
enum class Color { automatic, always, never };

/// Checked: what a mode needs is there, what it cannot use is not.
struct Options {
  Mode mode = Mode::generate;
  std::string model;
  std::vector<std::string> compileArguments; ///< where MODEL is a folder

  std::optional<std::string> prompt, file, promptIds; ///< at most one
  std::optional<std::string> system, detokenize, inputIds, logits;
  std::optional<std::string> saveState, loadState, profile;
  std::optional<std::string> chatTemplateFile;
  bool printIds = false, ignoreEos = false;
  bool json = false;   ///< one JSON object in the place of the text
  bool history = true; ///< of a chat's lines, in a file
  Color color = Color::automatic;
  Pooling pooling = Pooling::mean; ///< of --embedding
  bool verbose = false; ///< say where the model runs and what it takes
  Description description = Description::summary;

  std::optional<int64_t> maxTokens; ///< nothing: the context left
  int64_t context = 0;              ///< 0: the model's
  int threads = 0;                  ///< 0: the cores
  DeviceChoice device;
  int64_t prefillChunk = 0; ///< 0: the session's default

  /// This is what --profile asks to be filled; null: no profile.
  std::shared_ptr<Profile> recording;

  std::optional<double> temperature, topP, minP, repeatPenalty;
  std::optional<double> presencePenalty, frequencyPenalty;
  std::optional<int64_t> topK, repeatLastN;
  std::vector<LogitBias> logitBias;
  std::vector<std::string> stopStrings;
  std::shared_ptr<const Grammar> grammar; ///< of the text; null: anything
  std::optional<uint64_t> seed;           ///< nothing: a new one each time

  /// A model's defaults with what was asked for put in. Asking for a
  /// temperature or a filter is asking to sample.
  SamplingOptions sampling(SamplingOptions defaults) const;
};

/// Nothing where the command line asked for help or the version, which are
/// then printed. Throws Error: usage.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace cheems::run

#endif
