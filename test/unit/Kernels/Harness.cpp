// Compiles a module of single-op functions, loads it, and calls it as a step
// would.
#include "Harness.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/Cheems/Utils/ParameterTable.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "cheems/Pipelines/Pipelines.h"
#include "cheems/Pipelines/Registration.h"
#include "cheems/Target/CPU/CodeGenerator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "runtime/Artifact/CpuFeatures.h"
#include "runtime/ThreadPool/Denormals.h"
#include "runtime/ThreadPool/ThreadPool.h"
#include "test/unit/Support/CpuVariants.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <dlfcn.h>

namespace cheems::test {

namespace {
constexpr size_t kAlignment =
    64; // of the weight section and the workspace, as abi.h promises

/// The variant of which only that mode's matmuls are tested; null for others.
const char *variantOf(Mode mode) {
  return mode == Mode::NarrowDotI8 ? "avxvnni"
         : mode == Mode::DotI8     ? "avx512vnni"
         : mode == Mode::DotBF16   ? "avx512bf16"
         : mode == Mode::AMX       ? "amx"
                                   : nullptr;
}

llvm::Expected<std::pair<TargetInfo, TargetDescription>> choose(Mode mode) {
  if (const char *variant = variantOf(mode)) {
    auto target = TargetInfo::find(variant);
    if (!target) {
      return target.takeError();
    }
    return std::pair(*target, target->describe(false));
  }
  auto baseline = TargetInfo::find("x86-64-v3");
  if (!baseline) {
    return baseline.takeError();
  }
  TargetDescription description = baseline->describe(mode == Mode::Scalar);
  if (mode != Mode::Wide) {
    return std::pair(*baseline, description);
  }
  // Without AVX-512 the same IR is still legal: each of its registers becomes
  // two.
  description.lanes = 16;
  description.registers = 32;
  auto native = TargetInfo::find("native");
  if (!native) {
    llvm::consumeError(native.takeError());
    return std::pair(*baseline, description);
  }
  return std::pair(native->describe(false).lanes == 16 ? *native : *baseline,
                   description);
}

Element elementOf(mlir::Type type) {
  EXPECT_TRUE(type.isF32() || type.isBF16());
  return type.isBF16() ? Element::BF16 : Element::F32;
}

using Descriptors = std::vector<std::vector<int64_t>>;

template <size_t> using Pointer = int64_t *;

template <size_t... I>
void invokeWith(void *function, Descriptors &arguments,
                std::index_sequence<I...>) {
  reinterpret_cast<void (*)(Pointer<I>...)>(function)(arguments[I].data()...);
}

/// A C interface takes a pointer to each descriptor.
template <size_t count = 1>
void invoke(void *function, Descriptors &arguments) {
  if (arguments.size() == count) {
    invokeWith(function, arguments, std::make_index_sequence<count>());
  } else if constexpr (count < 16) {
    invoke<count + 1>(function, arguments);
  } else {
    FAIL() << "more arguments than the harness passes";
  }
}
} // namespace

static std::string missingFor(Mode mode) {
  const char *variant = variantOf(mode);
  if (variant == nullptr) {
    return "";
  }
  auto target = TargetInfo::find(variant);
  if (!target) {
    return llvm::toString(target.takeError());
  }
  const CpuFeatures &host = CpuFeatures::host();
  if (auto missing = host.firstMissing(target->features)) {
    return *missing;
  }
  return host.permits(target->features) ? "" : "the permission to use tiles";
}

std::string lacking(Mode mode) {
  std::string missing = missingFor(mode);
  if (!missing.empty()) {
    // what Linux says of this CPU, not what the runtime reads of it
    std::string flag = lackingFlag(variantOf(mode));
    EXPECT_NE(flag, "") << "the CPU has what " << variantOf(mode)
                        << " needs, and yet it is said to lack " << missing;
    std::printf("skipped: kernels for %s: no %s\n", variantOf(mode),
                flag.c_str());
  }
  return missing;
}

std::unique_ptr<CompiledModule>
CompiledModule::compile(const std::string &text, Mode mode,
                        std::optional<int64_t> chunk) {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry dialects;
    registerDialects(dialects);
    return dialects;
  }();
  auto fail = [](const std::string &why) {
    ADD_FAILURE() << why;
    return nullptr;
  };
  auto target = choose(mode);
  if (!target) {
    return fail(llvm::toString(target.takeError()));
  }
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    return fail("the module does not parse:\n" + text);
  }
  if (chunk) {
    context.loadDialect<cheems::cpu::CheemsCPUDialect>();
    auto size = cheems::cpu::SSDStrategyAttr::get(&context, *chunk);
    module->walk([&](cheems::cpu::SSDOp op) {
      op->setDiscardableAttr(cheems::cpu::kStrategy, size);
    });
  }
  mlir::PassManager before(&context), after(&context);
  // cheems-compile does the same: after every pass it would take a third of the
  // time, and cheems-opt does it in all of its tests.
  before.enableVerifier(false);
  after.enableVerifier(false);
  buildPipeline(before, target->second, CPUStage::Imported, CPUStage::Planned);
  buildPipeline(after, target->second, CPUStage::Planned);
  if (mlir::failed(before.run(*module)) ||
      mlir::failed(mlir::verify(*module))) {
    return fail("the module does not bufferise");
  }

  std::unique_ptr<CompiledModule> result(new CompiledModule);
  result->flushesDenormals = mode == Mode::AMX;
  for (auto function : module->getOps<mlir::func::FuncOp>()) {
    if (auto needs = function->getAttrOfType<mlir::DenseI64ArrayAttr>(
            "cheems_cpu.workspace")) {
      bool takesParameters = false;
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        takesParameters |= stepFieldOf(function, i) == StepField::Parameters;
      }
      result->functions[function.getName().str()] = {
          nullptr, needs[0], needs[1], needs[2], takesParameters};
    }
  }
  for (StoredParameterAttr stored : parametersOf(*module)) {
    mlir::RankedTensorType type = stored.getType();
    Parameter parameter{{},
                        stored.getOffset(),
                        type.getDimSize(0),
                        type.getDimSize(1),
                        elementOf(type.getElementType()),
                        std::nullopt};
    if (auto layout = mlir::dyn_cast_if_present<cheems::cpu::PanelsAttr>(
            mlir::Attribute(stored.getLayout()))) {
      parameter.panels = {layout.getRows(), layout.getPair()};
      parameter.rows *= layout.getRows();
      parameter.columns *= layout.getPair();
    }
    for (auto name : stored.getNames().getAsRange<mlir::StringAttr>()) {
      parameter.names.push_back(name.str());
    }
    result->parameters.push_back(std::move(parameter));
  }
  auto bytes = (*module)
                   ->getAttrOfType<mlir::IntegerAttr>("cheems.parameter_bytes")
                   .getInt();
  result->section.emplace(static_cast<size_t>(bytes), kAlignment);

  if (mlir::failed(after.run(*module)) || mlir::failed(mlir::verify(*module))) {
    return fail("the module does not become LLVM IR");
  }
  llvm::LLVMContext llvmContext;
  auto code = generateLLVM(*module, target->first, llvmContext);
  if (!code) {
    return fail(llvm::toString(code.takeError()));
  }
  auto object = generateObject(**code, target->first);
  if (!object) {
    return fail(llvm::toString(object.takeError()));
  }
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("cheems-kernels", "so", path)) {
    return fail(error.message());
  }
  llvm::FileRemover remover(path);
  if (llvm::Error error = linkSharedObject(*object, path)) {
    return fail(llvm::toString(std::move(error)));
  }
  result->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (result->library == nullptr) {
    return fail(dlerror());
  }
  for (auto &[name, function] : result->functions) {
    function.address = dlsym(result->library, ("_mlir_ciface_" + name).c_str());
    if (function.address == nullptr) {
      return fail("the object has no function " + name);
    }
  }
  return result;
}

CompiledModule::~CompiledModule() {
  if (library != nullptr) {
    dlclose(library);
  }
}

void CompiledModule::setParameter(llvm::StringRef name,
                                  const reference::Tensor &matrix) {
  ASSERT_FALSE(sealed);
  matrices[name.str()] = matrix;
}

void CompiledModule::store(const Parameter &parameter) {
  Buffer stored(parameter.element, {parameter.rows, parameter.columns});
  int64_t n = 0;
  auto set = [&](int64_t k, double value) {
    int64_t at = n * parameter.columns + k;
    if (auto panels = parameter.panels) {
      auto [height, pair] = *panels;
      at = ((n / height * (parameter.columns / pair) + k / pair) * height +
            n % height) *
               pair +
           k % pair;
    }
    stored.set(at, value);
  };
  for (const std::string &name : parameter.names) {
    auto found = matrices.find(name);
    ASSERT_NE(found, matrices.end()) << name << " was not set";
    const reference::Tensor &matrix = found->second;
    ASSERT_EQ(matrix.shape[1], parameter.columns) << name;
    ASSERT_LE(n + matrix.shape[0], parameter.rows) << name;
    for (int64_t row = 0; row < matrix.shape[0]; ++row, ++n) {
      for (int64_t k = 0; k < parameter.columns; ++k) {
        set(k, matrix(row, k));
      }
    }
  }
  for (; n < parameter.rows; ++n) {
    for (int64_t k = 0; k < parameter.columns; ++k) {
      set(k, 0);
    }
  }
  std::copy(stored.bytes().begin(), stored.bytes().end(),
            section->data() + parameter.offset);
}

void CompiledModule::call(llvm::StringRef name, int64_t rows,
                          llvm::ArrayRef<const Buffer *> buffers) {
  auto found = functions.find(name);
  ASSERT_NE(found, functions.end()) << name.str();
  const Function &function = found->second;
  if (!sealed) {
    for (const Parameter &parameter : parameters) {
      store(parameter);
    }
    section->protect();
    sealed = true;
  }
  static ThreadPool pool(3);
  ThreadPool::Binding binding(pool);
  int64_t bytes =
      function.fixed + function.row * rows + function.worker * pool.threads();
  GuardedMemory workspace(static_cast<size_t>(bytes), kAlignment);
  Descriptors arguments;
  for (const Buffer *buffer : buffers) {
    arguments.push_back(buffer->descriptor());
  }
  if (function.takesParameters) {
    arguments.push_back(
        describe(section->data(), {static_cast<int64_t>(section->size())}));
  }
  arguments.push_back(describe(workspace.data(), {bytes}));
  {
    Denormals denormals(flushesDenormals);
    invoke(function.address, arguments);
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_TRUE(buffers[i]->intact())
        << name.str() << " wrote outside of argument " << i;
  }
  EXPECT_TRUE(workspace.intact())
      << name.str() << " wrote outside of its workspace";
}

} // namespace cheems::test
