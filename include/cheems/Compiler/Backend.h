// A target that models are compiled for, as the compiler sees it. The compiler
// knows no target but by this; examples/backend-toy adds one from outside.
#ifndef CHEEMS_COMPILER_BACKEND_H
#define CHEEMS_COMPILER_BACKEND_H

#include "cheems/Compiler/Compiler.h"
#include "cheems/Dialect/Cheems/IR/CheemsAttrs.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cheems {

struct TensorView;

/// A part of a back end's way from the imported module to code.
struct BackendStage {
  std::string name; ///< of what the module then is
  std::function<void(mlir::OpPassManager &)> build;
};

/// What one `--backend-option` may say.
struct BackendOption {
  std::string name, description;
  std::string value; ///< where none is given
};

/// The model that is compiled.
class ModelSource {
public:
  virtual ~ModelSource() = default;
  /// The imported module, as often as it is asked for. Any thread may ask, each
  /// with a context of its own. If the module has `cheems.parameters`, the file
  /// has these parameters already. A parameter that is the same as one of them
  /// keeps its offset.
  virtual llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
  module(mlir::MLIRContext &context) const = 0;
  virtual const CompileOptions &options() const = 0;
};

/// What a back end makes of a model.
struct Image {
  std::string bytes; ///< only the target's executor reads them
  /// The section of the file; empty: "image." and the target's name.
  std::string section;
  /// What the executor is told beside them, as the image's fields of the
  /// metadata (docs/abi.md).
  llvm::json::Object description;
  /// Whether the code is plain loops, for comparison. The file then says so.
  bool scalar = false;
  std::unique_ptr<mlir::MLIRContext> context; ///< owns `parameters`
  /// The weights that the image reads and where. The back end's own writer
  /// reads their layouts.
  std::vector<StoredParameterAttr> parameters;
  /// Lines for whom it is compiled for; the file keeps them as warnings.
  std::vector<std::string> notes;
};

/// Writes parameters in layouts that only a target has.
class ParameterWriter {
public:
  virtual ~ParameterWriter() = default;
  /// Writes one of Image::parameters that has `layout` or `quantized`, in the
  /// order of offsets. `parts` are the stored tensors of its names.
  virtual llvm::Error write(StoredParameterAttr parameter,
                            llvm::ArrayRef<const TensorView *> parts) = 0;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// What `--target` and the image in the file call it: "cpu".
  virtual llvm::StringRef name() const = 0;
  /// Options of its own: `--backend-option NAME.OPTION=VALUE`. cheems-compile
  /// has short forms of some: `--cpu` sets the option "cpu" of each target that
  /// has one, and so do `--group-experts`, `--pipeline` and `--race-checks`;
  /// `--cuda-arch` sets "arch" of the target cuda.
  virtual std::vector<BackendOption> options() const { return {}; }
  /// What one of options() is set to.
  std::string valueOf(llvm::StringRef option,
                      const CompileOptions &options) const {
    auto given = options.backendOptions.find((name() + "." + option).str());
    if (given != options.backendOptions.end()) {
      return given->second;
    }
    for (const BackendOption &each : this->options()) {
      if (each.name == option) {
        return each.value;
      }
    }
    llvm_unreachable("a back end reads options that it has");
  }
  /// Refuses what it cannot do, and values of its options that are wrong,
  /// before anything is read.
  virtual llvm::Error check(const CompileOptions &options) const = 0;

  /// From the imported module to what its code is made of, for the one kind of
  /// code that `--emit` shows.
  virtual std::vector<BackendStage>
  pipeline(const CompileOptions &options) const = 0;
  /// What `--emit` shows besides stages, in the order of making: "ptx".
  virtual std::vector<std::string> texts() const { return {}; }
  /// Writes parameters in its layouts to `os`; null where it has none.
  virtual std::unique_ptr<ParameterWriter>
  parameterWriter(llvm::raw_ostream &os) const {
    return nullptr;
  }
  /// What the metadata calls a `layout` of Image::parameters.
  virtual std::string layoutName(mlir::Attribute layout) const {
    std::string text;
    llvm::raw_string_ostream(text) << layout;
    return text;
  }
  virtual llvm::Expected<Image> image(const ModelSource &source,
                                      ProgressHandler progress) const = 0;
  /// The stage or text that options().emit names, of the least code of all
  /// kinds.
  virtual llvm::Expected<std::string> emit(const ModelSource &source,
                                           ProgressHandler progress) const = 0;
};

/// The back ends that a compiler has.
class BackendRegistry {
public:
  /// The name must be new.
  void add(std::unique_ptr<Backend> backend) {
    backends.push_back(std::move(backend));
  }
  /// Null where there is none.
  const Backend *find(llvm::StringRef name) const {
    for (const std::unique_ptr<Backend> &each : backends) {
      if (each->name() == name) {
        return each.get();
      }
    }
    return nullptr;
  }
  const std::vector<std::unique_ptr<Backend>> &all() const { return backends; }
  /// All of them, to go elsewhere.
  std::vector<std::unique_ptr<Backend>> take() { return std::move(backends); }

private:
  std::vector<std::unique_ptr<Backend>> backends;
};

/// What the function `cheemsBackendPlugin` of a shared library gives, with C
/// linkage. A plugin is code: it runs in the compiler with the user's rights.
struct BackendPlugin {
  uint32_t version;        ///< kBackendPluginVersion
  const char *name;        ///< for messages
  const char *llvmVersion; ///< LLVM_VERSION_STRING of its build
  void (*add)(BackendRegistry &registry);
};
/// Raised when anything in this header changes, or in the modules that a back
/// end is given.
constexpr uint32_t kBackendPluginVersion = 6;

/// Adds the back ends of a shared library, which stays loaded. An error is one
/// line.
llvm::Error loadBackend(const std::string &file, BackendRegistry &registry);

} // namespace cheems

#endif
