// From a call to the plan of a step, by the passes of a compile, and to the
// GPU, by the launcher of a session.
#include "PlannedCall.h"
#include "cheems/Conversion/TileToPlan/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Target/CUDA/LaunchPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "runtime/Executor/CUDA/Launcher.h"
#include <deque>

using namespace mlir;

namespace cheems::test {
namespace {

/// A result of a call: which pool has it, and how it is read.
struct Result {
  unsigned pool;
  MemRefType type;
};

/// The plan of one call.
class PlannedCall {
public:
  PlannedCall(ModuleOp module, llvm::StringRef name,
              llvm::ArrayRef<Argument> arguments)
      : module(module.clone()) {
    auto function = this->module->lookupSymbol<func::FuncOp>(name);
    if (!function) {
      throw GPUError("there is no function @" + name.str());
    }
    for (auto other : this->module->getOps<func::FuncOp>()) {
      other->removeAttr(kEntry); // the call is the only one
    }
    makeEntry(function, arguments);
    // Extents are numbers then, those of results, too.
    run([](OpPassManager &pm) {
      pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
      pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
    });
    bindResults();
    run(buildTileToPlanPipeline);
    auto text = cuda::writePlan(*this->module, /*inLines=*/false);
    if (!text) {
      throw GPUError(llvm::toString(text.takeError()));
    }
    json = *text;
  }

  /// Reads the plan as the runtime does.
  cuda::LaunchPlan plan() const {
    return cuda::LaunchPlan::parse(json, "plan", "@" + kCall.str(), pools);
  }

  std::vector<Result> results;
  size_t pools = 0;

private:
  static constexpr StringLiteral kCall = "planned_call";

  [[noreturn]] static void refuse(func::FuncOp function, const char *why) {
    throw GPUError("@" + function.getSymName().str() + " " + why);
  }

  void run(llvm::function_ref<void(OpPassManager &)> build) {
    std::string said;
    ScopedDiagnosticHandler handler(module->getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      said += diagnostic.str() + "\n";
                                      return success();
                                    });
    PassManager passes(module->getContext(), ModuleOp::getOperationName());
    build(passes);
    if (failed(passes.run(*module))) {
      throw GPUError(said);
    }
  }

  /// The type of an array that a function takes as `wanted`.
  static MemRefType typeOf(func::FuncOp function, const Array &array,
                           Type wanted) {
    auto type = dyn_cast<MemRefType>(wanted);
    if (!type || numberOf(type.getElementType()) != array.number() ||
        mlir::failed(verifyCompatibleShape(type.getShape(), array.shape()))) {
      refuse(function, "is given an array of another type or shape");
    }
    return MemRefType::get(array.shape(), type.getElementType());
  }

  /// An argument of the entry that is the next pool.
  Value addPool(func::FuncOp entry, MemRefType type) {
    unsigned number = entry.getNumArguments();
    Builder b(entry.getContext());
    auto attributes = b.getDictionaryAttr(
        {b.getNamedAttr(kField,
                        StepFieldAttr::get(b.getContext(), StepField::Pools)),
         b.getNamedAttr(kIndex, b.getI64IntegerAttr(int64_t(pools++)))});
    if (mlir::failed(
            entry.insertArgument(number, type, attributes, entry.getLoc()))) {
      refuse(entry, "takes no more arguments");
    }
    return entry.getArgument(number);
  }

  Value valueOf(OpBuilder &b, func::FuncOp entry, func::FuncOp function,
                unsigned number, const Argument &argument) {
    Type wanted = function.getArgumentTypes()[number];
    Location loc = function.getLoc();
    if (const auto *array = std::get_if<Array *>(&argument)) {
      MemRefType type = typeOf(function, **array, wanted);
      Value pool = addPool(entry, type);
      return type == wanted
                 ? pool
                 : memref::CastOp::create(b, loc, wanted, pool).getResult();
    }
    const auto *whole = std::get_if<int64_t>(&argument);
    bool fits = whole ? wanted.isIntOrIndex() : wanted.isF32();
    if (!fits) {
      refuse(function, "is given a number where it takes another thing");
    }
    TypedAttr value =
        whole ? TypedAttr(b.getIntegerAttr(wanted, *whole))
              : TypedAttr(b.getF32FloatAttr(std::get<float>(argument)));
    return arith::ConstantOp::create(b, loc, value);
  }

  void makeEntry(func::FuncOp function, llvm::ArrayRef<Argument> arguments) {
    if (arguments.size() != function.getNumArguments()) {
      refuse(function, "takes another number of arguments");
    }
    OpBuilder b(function);
    Location loc = function.getLoc();
    auto entry = func::FuncOp::create(
        b, loc, kCall, b.getFunctionType({}, function.getResultTypes()));
    entry->setAttr(kEntry, b.getStringAttr(kCall));
    b.setInsertionPointToStart(entry.addEntryBlock());
    SmallVector<Value> values;
    for (auto [number, argument] : llvm::enumerate(arguments)) {
      values.push_back(valueOf(b, entry, function, unsigned(number), argument));
    }
    auto call = func::CallOp::create(b, loc, function, values);
    func::ReturnOp::create(b, loc, call.getResults());
    // A plan has an entry for decoding, too.
    b.setInsertionPoint(function);
    auto other =
        func::FuncOp::create(b, loc, "no_call", b.getFunctionType({}, {}));
    other->setAttr(kEntry, b.getStringAttr("no_call"));
    other->setAttr(kMostRows, b.getI64IntegerAttr(1));
    b.setInsertionPointToStart(other.addEntryBlock());
    func::ReturnOp::create(b, loc);
  }

  /// What the entry returns is in pools, and it returns nothing.
  void bindResults() {
    auto entry = module->lookupSymbol<func::FuncOp>(kCall);
    Operation *end = entry.getBody().front().getTerminator();
    for (Value value : llvm::to_vector(end->getOperands())) {
      while (auto cast = value.getDefiningOp<memref::CastOp>()) {
        value = cast.getSource();
      }
      auto type = cast<MemRefType>(value.getType());
      if (!type.hasStaticShape()) {
        refuse(entry, "has a result of unknown extents");
      }
      while (auto view = value.getDefiningOp<ViewLikeOpInterface>()) {
        value = view.getViewSource();
      }
      if (auto alloc = value.getDefiningOp<memref::AllocOp>()) {
        value = addPool(entry, alloc.getType());
        alloc.replaceAllUsesWith(value);
        alloc.erase();
      }
      results.push_back({cast<BlockArgument>(value).getArgNumber(), type});
    }
    end->setOperands({});
    entry.setType(
        FunctionType::get(entry.getContext(), entry.getArgumentTypes(), {}));
  }

  OwningOpRef<ModuleOp> module;
  std::string json;
};

/// Memory of the pools: of arguments with their values.
std::deque<GPUMemory> memoryOf(const PlannedCall &call,
                               llvm::ArrayRef<Argument> arguments) {
  std::deque<GPUMemory> memory;
  for (const Argument &argument : arguments) {
    if (const auto *array = std::get_if<Array *>(&argument)) {
      const auto &bytes = (*array)->bytes();
      memory.emplace_back(bytes.size());
      GPU::get().write(memory.back().address(), bytes.data(), bytes.size());
    }
  }
  for (const Result &result : call.results) {
    if (result.pool == memory.size()) {
      Array like(numberOf(result.type.getElementType()),
                 result.type.getShape());
      memory.emplace_back(like.bytes().size());
    }
  }
  return memory;
}

void launch(const cuda::LaunchPlan &plan, const std::string &ptx,
            const std::deque<GPUMemory> &memory) {
  auto context = std::make_shared<const cuda::Context>(0);
  cuda::Context::Current current(*context);
  std::vector<cuda::CUfunction> functions;
  for (const cuda::LaunchPlan::Kernel &kernel : plan.kernels) {
    functions.push_back(static_cast<cuda::CUfunction>(GPU::get().function(
        ptx, kernel.name, static_cast<int>(kernel.shared))));
  }
  cuda::StepAddresses addresses;
  for (const GPUMemory &pool : memory) {
    addresses.pools.push_back(pool.address());
  }
  // All extents are constants of the plan.
  const cuda::StepSizes sizes;
  cuda::Launcher launcher(context, plan, plan.general, std::move(functions),
                          sizes, addresses, /*mayOverlap=*/false);
  cuda::Stream stream(context);
  launcher.launch(sizes, stream);
  stream.synchronize();
}

} // namespace

std::vector<Array> runPlanned(ModuleOp module, llvm::StringRef function,
                              const std::string &ptx,
                              llvm::ArrayRef<Argument> arguments) {
  PlannedCall call(module, function, arguments);
  std::deque<GPUMemory> memory = memoryOf(call, arguments);
  try {
    launch(call.plan(), ptx, memory);
  } catch (const Error &error) {
    GPU::get().fail(error.what()); // while its memory is there
  }
  auto next = memory.begin();
  for (const Argument &argument : arguments) {
    if (const auto *array = std::get_if<Array *>(&argument)) {
      auto &bytes = (*array)->bytes();
      GPU::get().read(bytes.data(), (next++)->address(), bytes.size());
    }
  }
  std::vector<Array> results;
  for (const Result &result : call.results) {
    Array array(numberOf(result.type.getElementType()), result.type.getShape());
    GPU::get().read(array.bytes().data(), memory[result.pool].address(),
                    array.bytes().size());
    results.push_back(std::move(array));
  }
  return results;
}

} // namespace cheems::test
