// cheems-tile-to-plan: entries that launch kernels become plans of launches.
#include "Patterns.h"
#include "cheems/Conversion/TileToPlan/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/CheemsPlan/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cheems {
#define GEN_PASS_DEF_TILETOPLANPASS
#include "cheems/Conversion/TileToPlan/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;

PlanTypeConverter::PlanTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion(
      [](MemRefType type,
         SmallVectorImpl<Type> &converted) -> std::optional<LogicalResult> {
        converted.push_back(plan::AddressType::get(type.getContext()));
        converted.append(size_t(type.getNumDynamicDims()),
                         IndexType::get(type.getContext()));
        return success();
      });
}

/// An area has the bytes of all elements, one after the other.
static LogicalResult check(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (!type.getElementType().isIntOrFloat()) {
    return alloc.emitOpError("has elements whose bits are not known");
  }
  if (type.getElementTypeBitWidth() % 8 != 0) {
    return alloc.emitOpError("has elements that are no whole bytes");
  }
  return type.getLayout().isIdentity()
             ? success()
             : alloc.emitOpError("has gaps between its elements");
}

static LogicalResult check(memref::DimOp dim) {
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index) {
    return dim.emitOpError("asks for an extent that is not known");
  }
  // An array without a rank is refused where it comes from.
  int64_t rank = cast<MemRefType>(dim.getSource().getType()).getRank();
  return *index >= 0 && *index < rank ? success()
                                      : dim.emitOpError("asks for extent ")
                                            << *index
                                            << " of an array that has " << rank;
}

static LogicalResult check(memref::CastOp cast) {
  return isa<MemRefType>(cast.getType())
             ? success()
             : cast.emitOpError("forgets how many extents the array has");
}

/// A parameter is a static part of the array of all weights.
static LogicalResult check(memref::ViewOp view) {
  auto argument = dyn_cast<BlockArgument>(view.getSource());
  auto entry = view->getParentOfType<func::FuncOp>();
  bool isParameter =
      argument && entry &&
      fieldOf(entry, argument.getArgNumber()) == StepField::Parameters;
  if (!isParameter || !getConstantIntValue(view.getByteShift()) ||
      !view.getType().hasStaticShape()) {
    return view.emitOpError("is of something other than a parameter");
  }
  return success();
}

/// An op of an entry's body.
static LogicalResult check(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::AllocOp, memref::CastOp, memref::DimOp, memref::ViewOp>(
          [](auto known) { return check(known); })
      .Case<memref::CollapseShapeOp, memref::DeallocOp, memref::ExpandShapeOp,
            MarkOp, func::ReturnOp>([](auto) { return success(); })
      .Case([](func::CallOp call) {
        return call.emitOpError("is still there: inline calls before");
      })
      .Case([](tile::LaunchOp launch) -> LogicalResult {
        if (SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(
                launch, launch.getKernelAttr())) {
          return success();
        }
        return launch.emitOpError("has a kernel that is compiled already");
      })
      .Default([](Operation *other) -> LogicalResult {
        if (isa<arith::ArithDialect>(other->getDialect())) {
          return success();
        }
        return other->emitOpError("is nothing that a plan of launches has");
      });
}

/// Pools have slots and a capacity. Of any other field a step knows the first
/// extent alone.
static LogicalResult checkShape(func::FuncOp entry, unsigned argument,
                                StepField field, MemRefType type) {
  if (!type.getLayout().isIdentity()) {
    return entry.emitOpError("takes the field '")
           << stringifyStepField(field)
           << "' with gaps between its elements, which no step has";
  }
  if (field == StepField::Pools) {
    return entry.getArgAttr(argument, kIndex)
               ? success()
               : entry.emitOpError("has a pool without ")
                     << kIndex << ", which says the pool";
  }
  ArrayRef<int64_t> shape = type.getShape();
  if (!shape.empty() &&
      llvm::any_of(shape.drop_front(), ShapedType::isDynamic)) {
    return entry.emitOpError("takes the field '")
           << stringifyStepField(field)
           << "' with a dynamic extent after the first one, which no step has";
  }
  if (field == StepField::TopValues &&
      (shape.size() != 2 || shape.back() < 1)) {
    return entry.emitOpError("takes the field '")
           << stringifyStepField(field)
           << "', which has the extents [rows, count], as " << type;
  }
  return success();
}

static LogicalResult check(func::FuncOp entry) {
  if (!entry.getResultTypes().empty() || !entry.getBody().hasOneBlock()) {
    return entry.emitOpError("is no entry: it has results, or branches");
  }
  for (BlockArgument argument : entry.getArguments()) {
    auto field = fieldOf(entry, argument.getArgNumber());
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!field || !type) {
      return entry.emitOpError("has an argument that is no field of the step");
    }
    if (!isPlanField(*field)) {
      return entry.emitOpError("takes the field '")
             << stringifyStepField(*field) << "', which no plan has";
    }
    if (failed(checkShape(entry, argument.getArgNumber(), *field, type))) {
      return failure();
    }
  }
  for (Operation &op : entry.getBody().front()) {
    if (failed(check(&op))) {
      return failure();
    }
  }
  return success();
}

namespace {
struct TileToPlan : cheems::impl::TileToPlanPassBase<TileToPlan> {
  void runOnOperation() override {
    SmallVector<Operation *> entries;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(kEntry)) {
        if (failed(check(function))) {
          return signalPassFailure();
        }
        entries.push_back(function);
      }
    }
    PlanTypeConverter types;
    RewritePatternSet patterns(&getContext());
    populateEntryPatterns(types, patterns);
    populateMemoryPatterns(types, patterns);
    populateLaunchPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<arith::ArithDialect, plan::CheemsPlanDialect>();
    if (failed(applyFullConversion(entries, target, std::move(patterns)))) {
      signalPassFailure();
    }
  }
};
} // namespace

void cheems::buildTileToPlanPipeline(OpPassManager &pm) {
  // The inliner drops private functions that nothing calls.
  pm.addPass(createCheckPlanEntriesPass());
  // What is inlined is simplified as a whole, after this.
  pm.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  pm.addPass(createTileToPlanPass());
  OpPassManager &entries = pm.nest<plan::EntryOp>();
  entries.addPass(createCanonicalizerPass());
  entries.addPass(createCSEPass());
  // Neighbours of one condition join when equal conditions are one value.
  entries.addPass(createCanonicalizerPass());
  entries.addPass(plan::createPlanShareAreasPass());
  entries.addPass(plan::createPlanExpandNumbersPass());
  entries.addPass(createCSEPass());
}

void cheems::registerTileToPlanPipeline() {
  PassPipelineRegistration<>(
      "cheems-launches-to-plan",
      "Functions that launch kernels on memory of the GPU become plans",
      [](OpPassManager &pm) { buildTileToPlanPipeline(pm); });
}
