// Compiles a model folder into one artefact, or prints a stage on the way.
#ifndef CHEEMS_COMPILER_COMPILER_H
#define CHEEMS_COMPILER_COMPILER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cheems {

class BackendRegistry;
class Checkpoint;

/// Int8 and Int4: matrices of matmuls and experts as integers, all others as
/// stored.
enum class WeightFormat { Stored, F32, BF16, F16, Int8, Int4 };
enum class StateFormat { Stored, Int8 }; ///< of keys and values
/// Stage: one of the back end's, as a module or another text. LLVM: IR, as
/// text.
enum class Emit { Artefact, MLIR, Stage, LLVM, Object };

using MessageHandler = llvm::function_ref<void(llvm::StringRef line)>;
/// Looks at the texts of a checkpoint that the artefact carries: its tokenizer,
/// its chat template and its defaults for generation.
using TextCheck =
    std::function<llvm::Error(const Checkpoint &, MessageHandler warn)>;

struct CompileOptions {
  std::string model;  ///< folder
  std::string output; ///< file; "-" for standard output (stages only)
  /// Names of back ends, of each one image.
  std::vector<std::string> targets = {"cpu"};
  /// What belongs to one target, as its Backend::options() declares:
  /// "NAME.OPTION" to its value.
  std::map<std::string, std::string> backendOptions;
  WeightFormat weights = WeightFormat::Stored;
  StateFormat state = StateFormat::Stored;
  std::optional<int64_t> maxContext; ///< sets the default context only
  bool noLayers = false; ///< 0 layers are taken, for timing: embedding and head
  bool allowLinks = false; ///< of texts in the folder, to files elsewhere
  /// What cannot be read when the model runs is refused before the work. The
  /// compiler knows no reader of these texts; none: all are taken.
  TextCheck checkTexts;
  Emit emit = Emit::Artefact;
  std::string stage; ///< the name of a stage or text, for Emit::Stage
  /// Passes print to standard error what MLIR was asked for, so kinds of code
  /// are made one after the other.
  bool watchPasses = false;
};

/// Told what is happening: a stage's name and how much of it is done, 0 to 1.
/// Called from any thread, from one at a time.
using ProgressHandler =
    llvm::function_ref<void(llvm::StringRef stage, double fraction)>;

/// The same input gives the same bytes. The output appears whole under its
/// name, or not at all. An unknown target is an UnsupportedError.
llvm::Error compile(const CompileOptions &options,
                    const BackendRegistry &backends, ProgressHandler progress,
                    MessageHandler warn);

/// "cheems 0.1.0 (LLVM 22.1.8)".
std::string compilerVersion();

} // namespace cheems

#endif
