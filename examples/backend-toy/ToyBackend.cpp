// backend-toy: a target in a plugin. It turns a model of no layers (an
// embedding, an RMSNorm, a matmul) into plain loops in C, and has the C
// compiler make a shared object of them.
#include "cheems/Compiler/Backend.h"
#include "cheems/Dialect/Cheems/Utils/ParameterTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace {

/// Writes a straight-line function as C. A tensor is a pointer to rows of
/// floats (of tokens and row numbers: int), and how many rows there are. An op
/// writes into its destination, as ops of the importer do.
class LoopWriter {
public:
  LoopWriter(ModuleOp module, llvm::raw_ostream &os)
      : table(module), module(module), os(os) {}

  LogicalResult write() {
    auto step = module.lookupSymbol<func::FuncOp>("step");
    os << "void toy_step(const int *tokens, long token_count, const int "
          "*rows,\n"
          "              long row_count, float *logits,\n"
          "              const int *embedding_rows, long embedding_row_count,\n"
          "              float *embeddings, const char *weights,\n"
          "              float *scratch) {\n";
    for (auto [i, argument] : llvm::enumerate(step.getArguments())) {
      auto field =
          step.getArgAttrOfType<cheems::StepFieldAttr>(i, cheems::kField);
      if (!field || field.getValue() == cheems::StepField::Pools) {
        return step.emitError("has layers, but the target toy takes none");
      }
      StringRef name = cheems::stringifyStepField(field.getValue());
      values[argument] = {name.str(), name == "tokens" ? "token_count"
                                      : name.starts_with("embedding")
                                          ? "embedding_row_count"
                                          : "row_count"};
    }
    if (failed(body(step.getBody().front()))) {
      return failure();
    }
    os << "}\nconst long toy_floats_per_row = " << floatsPerRow << ";\n";
    table.attach();
    return success();
  }

private:
  struct Place {
    std::string pointer, rows;
  };

  static int64_t columns(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape().back();
  }

  LogicalResult body(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (failed(write(op))) {
        return failure();
      }
    }
    return success();
  }

  // The plugin knows ops of the cheems dialect by their names: their classes
  // are inside cheems-compile.
  LogicalResult write(Operation &op) {
    StringRef name = op.getName().getStringRef();
    if (name == "cheems.parameter") {
      return parameter(op);
    }
    if (name == "cheems.gather_rows") {
      return gather(op);
    }
    if (name == "cheems.rms_norm") {
      return norm(op);
    }
    if (auto call = dyn_cast<func::CallOp>(op)) {
      return inlined(call);
    }
    if (isa<linalg::MatmulOp>(op)) {
      return product(op);
    }
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      values[dim.getResult()] = {"", values[dim.getSource()].rows};
    } else if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      return allocate(empty);
    } else if (isa<linalg::FillOp>(op)) {
      values[op.getResult(0)] = values[op.getOperand(1)]; // matmuls begin at 0
    } else if (!isa<arith::ConstantOp>(op) && name != "cheems.mark" &&
               name != "cheems.positions") {
      return op.emitError("the target toy has no loops for ") << name;
    }
    return success();
  }

  LogicalResult parameter(Operation &op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (!type.getElementType().isF32() || op.hasAttr("quantized")) {
      return op.emitError("the target toy takes weights of f32 alone");
    }
    int64_t offset = table.add(cheems::StoredParameterAttr::get(
        op.getContext(), op.getAttrOfType<ArrayAttr>("names"), type,
        /*offset=*/0, /*layout=*/{}, /*permute=*/{}, /*by_columns=*/false,
        /*quantized=*/{}));
    values[op.getResult(0)] = {
        llvm::formatv("((const float *)(weights + {0}))", offset), ""};
    return success();
  }

  /// A tensor of rows, in the scratch memory.
  LogicalResult allocate(tensor::EmptyOp op) {
    Value result = op.getResult();
    auto type = cast<RankedTensorType>(result.getType());
    std::string rows = values[op.getDynamicSizes().front()].rows;
    if (type.getRank() != 2) { // the positions, which nothing reads
      values[result] = {"", rows};
      return success();
    }
    std::string name = llvm::formatv("t{0}", count++);
    os << llvm::formatv("  float *{0} = scratch;\n  scratch += {1} * {2};\n",
                        name, rows, columns(result));
    floatsPerRow += columns(result);
    values[result] = {name, rows};
    return success();
  }

  /// The callee's loops in place of the call.
  LogicalResult inlined(func::CallOp call) {
    auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
    for (auto [argument, operand] :
         llvm::zip_equal(callee.getArguments(), call.getOperands())) {
      values[argument] = values[operand];
    }
    if (failed(body(callee.getBody().front()))) {
      return failure();
    }
    auto results = callee.getBody().front().getTerminator()->getOperands();
    for (auto [result, inner] : llvm::zip_equal(call.getResults(), results)) {
      values[result] = values[inner];
    }
    return success();
  }

  /// y[r] = table[ids[r]].
  LogicalResult gather(Operation &op) {
    Place y = destination(op, 2);
    os << llvm::formatv("  for (long r = 0; r < {0}; ++r)\n"
                        "    for (long k = 0; k < {1}; ++k)\n"
                        "      {2}[r * {1} + k] = {3}[{4}[r] * {1}L + k];\n",
                        y.rows, columns(op.getResult(0)), y.pointer,
                        values[op.getOperand(0)].pointer,
                        values[op.getOperand(1)].pointer);
    return success();
  }

  /// y[r] = x[r] / sqrt(mean(x[r]^2) + epsilon) * w.
  LogicalResult norm(Operation &op) {
    Place y = destination(op, 2);
    os << llvm::formatv(
        "  for (long r = 0; r < {0}; ++r) {{\n"
        "    float sum = 0;\n"
        "    for (long k = 0; k < {1}; ++k)\n"
        "      sum += {2}[r * {1} + k] * {2}[r * {1} + k];\n"
        "    float scale = 1 / __builtin_sqrtf(sum / {1} + {5:e}f);\n"
        "    for (long k = 0; k < {1}; ++k)\n"
        "      {4}[r * {1} + k] = {2}[r * {1} + k] * scale * {3}[k];\n"
        "  }\n",
        y.rows, columns(op.getResult(0)), values[op.getOperand(0)].pointer,
        values[op.getOperand(1)].pointer, y.pointer,
        op.getAttrOfType<FloatAttr>("epsilon").getValueAsDouble());
    return success();
  }

  /// y[r, n] = sum over k of x[r, k] * w[n, k].
  LogicalResult product(Operation &op) {
    Place y = destination(op, 2);
    os << llvm::formatv("  for (long r = 0; r < {0}; ++r)\n"
                        "    for (long n = 0; n < {1}; ++n) {{\n"
                        "      float sum = 0;\n"
                        "      for (long k = 0; k < {2}; ++k)\n"
                        "        sum += {3}[r * {2} + k] * {4}[n * {2} + k];\n"
                        "      {5}[r * {1} + n] = sum;\n"
                        "    }\n",
                        y.rows, columns(op.getResult(0)),
                        columns(op.getOperand(0)),
                        values[op.getOperand(0)].pointer,
                        values[op.getOperand(1)].pointer, y.pointer);
    return success();
  }

  /// Returns the buffer that an op writes: its operand `i`.
  Place destination(Operation &op, unsigned i) {
    return values[op.getResult(0)] = values[op.getOperand(i)];
  }

  cheems::ParameterTable table;
  ModuleOp module;
  llvm::raw_ostream &os;
  llvm::DenseMap<Value, Place> values;
  int64_t count = 0, floatsPerRow = 0;
};

/// Puts the C text on the module, as `toy.loops`.
struct WriteLoops : PassWrapper<WriteLoops, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WriteLoops)

  StringRef getArgument() const final { return "toy-write-loops"; }
  StringRef getDescription() const final { return "Write a model as C"; }

  void runOnOperation() override {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (failed(LoopWriter(getOperation(), os).write())) {
      return signalPassFailure();
    }
    getOperation()->setAttr("toy.loops", StringAttr::get(&getContext(), text));
  }
};

/// What `compiler` makes of C.
llvm::Expected<std::string> compileC(StringRef compiler, StringRef text) {
  auto program = llvm::sys::findProgramByName(compiler);
  llvm::SmallString<128> source, library;
  if (!program || llvm::sys::fs::createTemporaryFile("toy", "c", source) ||
      llvm::sys::fs::createTemporaryFile("toy", "so", library)) {
    return llvm::createStringError("cannot run the C compiler '" + compiler +
                                   "'; --backend-option toy.cc=NAME names one");
  }
  llvm::FileRemover removeSource(source), removeLibrary(library);
  std::error_code error;
  llvm::raw_fd_ostream(source, error) << text;
  if (error || llvm::sys::ExecuteAndWait(
                   *program, {*program, "-O2", "-ffp-contract=off", "-shared",
                              "-fPIC", "-o", library, source}) != 0) {
    return llvm::createStringError("the C compiler refuses the loops");
  }
  auto made = llvm::MemoryBuffer::getFile(library, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!made) {
    return llvm::createStringError("the C compiler made nothing");
  }
  return (*made)->getBuffer().str();
}

class ToyBackend : public ::cheems::Backend {
public:
  StringRef name() const override { return "toy"; }

  std::vector<::cheems::BackendOption> options() const override {
    return {{"cc", "the C compiler", "cc"}};
  }

  llvm::Error check(const ::cheems::CompileOptions &options) const override {
    using ::cheems::WeightFormat;
    return options.weights == WeightFormat::Stored ||
                   options.weights == WeightFormat::F32
               ? llvm::Error::success()
               : llvm::createStringError("the target toy takes weights of f32 "
                                         "alone; drop --weights");
  }

  std::vector<::cheems::BackendStage>
  pipeline(const ::cheems::CompileOptions &options) const override {
    return {{"loops", [](OpPassManager &pm) {
               pm.addPass(std::make_unique<WriteLoops>());
             }}};
  }

  llvm::Expected<::cheems::Image>
  image(const ::cheems::ModelSource &source,
        ::cheems::ProgressHandler progress) const override {
    ::cheems::Image image;
    image.context = std::make_unique<MLIRContext>();
    auto loops = lower(source, *image.context, image.parameters);
    if (!loops) {
      return loops.takeError();
    }
    progress("toy", 0.5);
    auto bytes = compileC(valueOf("cc", source.options()), *loops);
    if (!bytes) {
      return bytes.takeError();
    }
    image.bytes = std::move(*bytes);
    image.description["loops"] = "C";
    return image;
  }

  /// Every stage is the C text: there is one.
  llvm::Expected<std::string>
  emit(const ::cheems::ModelSource &source,
       ::cheems::ProgressHandler progress) const override {
    MLIRContext context;
    Parameters parameters;
    return lower(source, context, parameters);
  }

private:
  using Parameters = std::vector<::cheems::StoredParameterAttr>;

  llvm::Expected<std::string> lower(const ::cheems::ModelSource &source,
                                    MLIRContext &context,
                                    Parameters &parameters) const {
    auto module = source.module(context);
    if (!module) {
      return module.takeError();
    }
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message = message.empty() ? diagnostic.str() : message;
      return success();
    });
    PassManager passes(&context);
    for (const ::cheems::BackendStage &stage : pipeline(source.options())) {
      stage.build(passes);
    }
    if (failed(passes.run(**module))) {
      return llvm::createStringError(message);
    }
    parameters = ::cheems::parametersOf(**module);
    return (**module)->getAttrOfType<StringAttr>("toy.loops").str();
  }
};

} // namespace

extern "C" ::cheems::BackendPlugin cheemsBackendPlugin() {
  return {::cheems::kBackendPluginVersion, "toy", LLVM_VERSION_STRING,
          [](::cheems::BackendRegistry &registry) {
            registry.add(std::make_unique<ToyBackend>());
          }};
}
