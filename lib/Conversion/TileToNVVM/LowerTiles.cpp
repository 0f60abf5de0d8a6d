// cheems-lower-tiles: kernels on tiles become functions of one thread.
#include "Patterns.h"
#include "cheems/Conversion/TileToNVVM/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace cheems {
#define GEN_PASS_DEF_LOWERTILESPASS
#include "cheems/Conversion/TileToNVVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// A tile is a vector, an index has 32 bits, a buffer is where it begins, and a
/// memref is a pointer and its dynamic extents.
static void addConversions(TypeConverter &types) {
  types.addConversion([](Type type) -> std::optional<Type> {
    bool isTile = isa<RankedTensorType>(type);
    if (isTile || isa<IndexType, BufferType, MemRefType, TensorMapType>(type)) {
      return std::nullopt;
    }
    return type;
  });
  types.addConversion([](RankedTensorType tile) -> std::optional<Type> {
    if (!isa_and_nonnull<TileLayoutAttrInterface>(tile.getEncoding())) {
      return Type();
    }
    return vectorOf(tile);
  });
  types.addConversion(
      [](IndexType type) { return IntegerType::get(type.getContext(), 32); });
  types.addConversion(
      [](BufferType type) { return IntegerType::get(type.getContext(), 32); });
  types.addConversion([](TensorMapType type) {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  types.addConversion([](MemRefType memory, SmallVectorImpl<Type> &parts) {
    MLIRContext *context = memory.getContext();
    parts.push_back(LLVM::LLVMPointerType::get(
        context, unsigned(NVVM::NVVMMemorySpace::Global)));
    parts.append(size_t(memory.getNumDynamicDims()),
                 IntegerType::get(context, 32));
    return success();
  });
}

/// An error if an offset in shared memory has not been chosen.
static LogicalResult verifyPlanned(Operation *op) {
  auto missing = [&](StringRef what) {
    return op->emitOpError()
           << "in the kernel " << op->getParentOfType<KernelOp>().getSymName()
           << " has no " << what << "; run cheems-tile-plan-shared before";
  };
  if (auto buffer = dyn_cast<AllocOp>(op); buffer && !buffer.getOffset()) {
    return missing("offset");
  }
  if (auto ring = dyn_cast<FilledRingOpInterface>(op); ring && !ring.getAt()) {
    return missing("place for its barriers");
  }
  auto scratch = dyn_cast<ScratchOpInterface>(op);
  if (!scratch || scratch.getScratchBytes() == 0) {
    return success();
  }
  if (!scratch.getScratchOffset()) {
    return missing("scratch");
  }
  if (*scratch.getScratchOffset() % 16 != 0) {
    return op->emitOpError("has scratch that is not aligned to 16 bytes");
  }
  return success();
}

static bool isForSM80(Operation *op) {
  auto target = op->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
      cheems::kTarget);
  return target && target.getArch() == Architecture::SM80;
}

/// An error if the op has no code here.
static LogicalResult verifyOp(Operation *op) {
  StringRef kernel = op->getParentOfType<KernelOp>().getSymName();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto values = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (values && !values.isSplat()) {
      return op->emitOpError() << "in the kernel " << kernel
                               << " is a tile of several values; load it, or "
                                  "compute it from indices";
    }
    return success();
  }
  if (isa<WarpgroupMmaOp, WarpgroupMmaRegistersOp, FilledRingOpInterface>(op) &&
      isForSM80(op)) {
    return op->emitOpError()
           << "in the kernel " << kernel
           << " is for sm_90a, and the module's cheems.target is for sm_80";
  }
  if (isa<CheemsTileDialect>(op->getDialect())) {
    return verifyPlanned(op);
  }
  bool supported =
      isElementwise(op) || isSupportedMath(op) ||
      isa<memref::DimOp, memref::LoadOp, tensor::SplatOp>(op) ||
      isUniformElement(op) ||
      isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp>(
          op);
  if (!supported) {
    return op->emitOpError()
           << "in the kernel " << kernel
           << " has no code for GPUs; kernels have cheems_tile, arith, some "
              "of math, scf loops and branches, tensor.splat, tensor.extract "
              "of "
              "what all threads hold, memref.dim and memref.load";
  }
  return success();
}

/// Whether the op touches memory that earlier kernels may touch, or ends the
/// kernel.
static bool comesAfterOthers(Operation *op) {
  return isa<tile::ReturnOp>(op) ||
         (!isa<memref::DimOp>(op) &&
          llvm::any_of(op->getOperands(), [](Value operand) {
            return isa<MemRefType, TensorMapType>(operand.getType()) &&
                   !isConstant(operand);
          }));
}

/// An error if an op of a kernel that overlaps others does not wait for them.
static LogicalResult verifyWaits(KernelOp kernel, Operation *op) {
  if (!kernel.getOverlaps() || !comesAfterOthers(op) || hasWaited(op)) {
    return success();
  }
  return op->emitOpError() << "in the kernel " << kernel.getSymName()
                           << " comes before the kernel has waited for those "
                              "before it; run cheems-tile-overlap-launches "
                              "before, or put a wait_for_launches in front";
}

static LogicalResult verifyKernel(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    return failed(verifyOp(op)) || failed(verifyWaits(kernel, op))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The module of all kernels, with the symbol of their shared memory.
static gpu::GPUModuleOp createModule(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kKernels);
  b.setInsertionPointToStart(kernels.getBody());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
  LLVM::GlobalOp::create(b, module.getLoc(), bytes, /*isConstant=*/false,
                         LLVM::Linkage::External, kSharedMemory, Attribute(),
                         /*alignment=*/1024,
                         unsigned(NVVM::NVVMMemorySpace::Shared));
  return kernels;
}

/// Which loads are of memory that does not change.
static KernelFacts factsOf(ArrayRef<KernelOp> kernels) {
  KernelFacts facts;
  for (KernelOp kernel : kernels) {
    kernel.walk([&](Operation *op) {
      if (isa<LoadOp, GatherOp, memref::LoadOp>(op) &&
          !isWritten(op->getOperand(0))) {
        facts.ownReads.insert(op);
        if (isConstant(op->getOperand(0))) {
          facts.constantReads.insert(op);
          if (kernel.getOverlaps() && !hasWaited(op)) {
            facts.earlyReads.insert(op);
          }
        }
      }
    });
  }
  return facts;
}

/// Loops without loops inside, of few steps, become their steps: what an
/// address has of the step is then constant. Not those whose threads wait for
/// each other: what later steps load early would need too many registers.
static void unrollShortLoops(KernelOp kernel) {
  constexpr int64_t kMostSteps = 8;
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    std::optional<llvm::APInt> steps = loop.getStaticTripCount();
    bool isInnermost = loop.getBody()->getOps<scf::ForOp>().empty();
    bool waits = !loop.getBody()->getOps<BarrierOp>().empty();
    if (isInnermost && !waits && steps && steps->getSExtValue() <= kMostSteps) {
      loops.push_back(loop);
    }
  });
  for (scf::ForOp loop : loops) {
    (void)loopUnrollFull(loop);
  }
}

namespace {
struct LowerTiles : cheems::impl::LowerTilesPassBase<LowerTiles> {
  void runOnOperation() override {
    auto found = getOperation().getOps<KernelOp>();
    SmallVector<KernelOp> kernels(found.begin(), found.end());
    if (kernels.empty()) {
      return;
    }
    if (auto old = getOperation().lookupSymbol(kKernels)) {
      old->emitOpError("has the name of the module of compiled kernels");
      return signalPassFailure();
    }
    for (KernelOp kernel : kernels) {
      if (failed(verifyKernel(kernel))) {
        return signalPassFailure();
      }
      unrollShortLoops(kernel);
      if (failed(splitRings(kernel))) {
        return signalPassFailure();
      }
    }
    KernelFacts facts = factsOf(kernels);
    gpu::GPUModuleOp target = createModule(getOperation());
    for (KernelOp kernel : kernels) {
      kernel->moveBefore(target.getBody(), target.getBody()->end());
    }
    if (failed(convert(target, facts))) {
      return signalPassFailure();
    }
    excludeFillers(target);
  }

  LogicalResult convert(gpu::GPUModuleOp kernels, const KernelFacts &facts) {
    TypeConverter types;
    addConversions(types);
    RewritePatternSet patterns(&getContext());
    populateStructurePatterns(types, patterns);
    populateElementwisePatterns(types, patterns);
    populateMathPatterns(types, patterns);
    populateGlobalPatterns(types, patterns, facts);
    populateAsyncCopyPatterns(types, patterns);
    populateCopyRowsPatterns(types, patterns);
    populateFetchRowsPatterns(types, patterns);
    populateRingPatterns(types, patterns);
    populateSharedPatterns(types, patterns);
    populateMmaPatterns(types, patterns);
    populateWarpgroupPatterns(types, patterns);
    populateFmaPatterns(types, patterns);
    populateReducePatterns(types, patterns);
    populatePrefixSumPatterns(types, patterns);
    populateExchangePatterns(types, patterns);

    ConversionTarget legal(getContext());
    legal.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                          vector::VectorDialect>();
    legal.addLegalOp<gpu::GPUModuleOp>();
    legal.addDynamicallyLegalDialect<arith::ArithDialect>(
        [&](Operation *op) { return types.isLegal(op); });
    // Approximations have been chosen for what came from the kernel.
    legal.addDynamicallyLegalDialect<math::MathDialect>([&](Operation *op) {
      return types.isLegal(op) && op->getParentOfType<LLVM::LLVMFuncOp>() &&
             isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp,
                 math::TruncOp, math::RoundEvenOp, math::ErfOp>(op);
    });
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                         legal);
    // A loop that carries nothing has bounds all the same.
    legal.addDynamicallyLegalOp<scf::ForOp>([&](scf::ForOp op) {
      return types.isLegal(op->getOperandTypes()) &&
             types.isLegal(op->getResultTypes());
    });
    return applyFullConversion(kernels, legal, std::move(patterns));
  }
};
} // namespace
