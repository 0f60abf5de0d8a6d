// Kernels become functions; buffers, block numbers and extents numbers.
#include "Patterns.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

bool tile::isWritten(Value memory) {
  return llvm::any_of(memory.getUsers(), [&](Operation *user) {
    auto store = dyn_cast<StoreOp>(user);
    auto scatter = dyn_cast<ScatterOp>(user);
    return (store && store.getTarget() == memory) ||
           (scatter && scatter.getTarget() == memory);
  });
}

bool tile::isConstant(Value memory) {
  auto argument = dyn_cast<BlockArgument>(memory);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : nullptr;
  return kernel && !isWritten(memory) &&
         (!kernel.getOverlaps() ||
          kernel.getArgAttr(argument.getArgNumber(), kConstant));
}

/// The text of the instruction that waits; see LowerWaitForLaunches.
static constexpr llvm::StringLiteral kWait = "griddepcontrol.wait;";

/// The op for which `is` holds among those that come before `op` on each path.
static Operation *before(Operation *op, function_ref<bool(Operation *)> is) {
  for (; !isa<FunctionOpInterface>(op); op = op->getParentOp()) {
    for (Operation *one = op->getPrevNode(); one; one = one->getPrevNode()) {
      if (is(one)) {
        return one;
      }
    }
  }
  return nullptr;
}

bool tile::hasWaited(Operation *op) {
  return before(op, [](Operation *one) { return isa<WaitForLaunchesOp>(one); });
}

Value tile::endOfWait(Operation *op) {
  Operation *wait = before(op, [](Operation *one) {
    auto text = dyn_cast<LLVM::InlineAsmOp>(one);
    return text && text.getAsmString() == kWait;
  });
  return wait ? wait->getResult(0) : Value();
}

/// What LLVM may assume of a pointer; see KernelABI.h. What is read only is
/// loaded past the coherent caches.
static void describePointer(LLVM::LLVMFuncOp function, unsigned parameter,
                            bool constant) {
  OpBuilder b(function.getContext());
  function.setArgAttr(parameter, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
  function.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(16));
  if (constant) {
    function.setArgAttr(parameter, LLVM::LLVMDialect::getReadonlyAttrName(),
                        b.getUnitAttr());
  }
}

/// Whether an op inside is one for which `is` holds.
static bool contains(Operation *op, function_ref<bool(Operation *)> is) {
  return op
      ->walk([&](Operation *inner) {
        return is(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isMatmul(Operation *op) {
  return isa<MmaOp, WarpgroupMmaOp, WarpgroupMmaRegistersOp, FmaOp>(op);
}

/// Whether there are matmuls, and all of them take what comes through shared
/// memory.
static bool multipliesBuffers(KernelOp op) {
  auto loadsOperands = [](Operation *inner) {
    auto product = dyn_cast<MmaOp>(inner);
    return product && !product.getB().getDefiningOp<ReadOp>();
  };
  return contains(op, isMatmul) && !contains(op, loadsOperands);
}

/// Numbers of a tile that a thread holds, from which on a kernel of a few such
/// tiles needs more registers than ptxas gives it by itself.
static constexpr int64_t kManyNumbers = 32;

/// Whether a block without matmuls holds large tiles in registers.
static bool holdsLargeTiles(KernelOp op) {
  int64_t many = kManyNumbers * op.getTileThreads();
  return !contains(op, isMatmul) && contains(op, [&](Operation *inner) {
    return llvm::any_of(inner->getResultTypes(), [&](Type type) {
      auto tile = dyn_cast<RankedTensorType>(type);
      return tile && tile.getNumElements() >= many;
    });
  });
}

/// Whether a loop stores tiles: those of several steps are under way, with
/// their addresses.
static bool storesInLoops(KernelOp op) {
  return contains(op, [](Operation *inner) {
    return isa<scf::ForOp>(inner) && contains(inner, [](Operation *store) {
             return isa<StoreOp>(store);
           });
  });
}

/// A tensor map is where the launch has put it.
static void describeTensorMap(LLVM::LLVMFuncOp function, unsigned parameter) {
  OpBuilder b(function.getContext());
  auto bytes =
      LLVM::LLVMArrayType::get(b.getI8Type(), KernelParameter::kTensorMapBytes);
  function.setArgAttr(parameter, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
  function.setArgAttr(
      parameter, LLVM::LLVMDialect::getAlignAttrName(),
      b.getI64IntegerAttr(KernelParameter::kTensorMapAlignment));
  function.setArgAttr(parameter, NVVM::NVVMDialect::getGridConstantAttrName(),
                      b.getUnitAttr());
}

namespace {
struct LowerKernel : OpConversionPattern<KernelOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(KernelOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypeConverter::SignatureConversion signature(op.getArgumentTypes().size());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(),
                                                        signature))) {
      return rewriter.notifyMatchFailure(op, "has an argument of no memory");
    }
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(getContext()), signature.getConvertedTypes());
    auto function =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getSymName(), type);
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    function->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        rewriter.getDenseI32ArrayAttr({int32_t(op.getThreads()), 1, 1}));
    // ptxas would spill tiles for more blocks on a multiprocessor. They are not
    // needed where copies to shared memory hide latency. Matmuls that load
    // straight to registers need them.
    if (multipliesBuffers(op) || holdsLargeTiles(op) || storesInLoops(op)) {
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        rewriter.getI32IntegerAttr(1));
    }
    function->setAttr(kSharedBytes, rewriter.getI64IntegerAttr(
                                        int64_t(op.getShared().value_or(0))));
    unsigned number = 0;
    for (const KernelParameter &parameter :
         parametersOf(op.getArgumentTypes())) {
      if (parameter.kind == KernelParameter::Kind::Pointer) {
        describePointer(
            function, number,
            isConstant(op.getBody().getArgument(parameter.argument)));
      } else if (parameter.kind == KernelParameter::Kind::TensorMap) {
        describeTensorMap(function, number);
      }
      ++number;
    }
    if (op.getFillers()) {
      function->setAttr(kTileThreads,
                        rewriter.getI64IntegerAttr(op.getTileThreads()));
    }
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.getBody().end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(),
                                           *getTypeConverter(), &signature))) {
      return rewriter.notifyMatchFailure(op, "has a block with other types");
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerReturn : OpConversionPattern<tile::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// A GPU may start the kernel before earlier kernels have ended (PTX ISA,
/// "Parallel Synchronization and Communication Instructions: griddepcontrol").
/// It waits for them: all memory is then as they left it. A kernel ends only
/// after its own wait, so when the one before it has ended, so have all before
/// that one. The next kernel may start as soon as all blocks are here: it waits
/// in turn. Were it told before the wait, many kernels could be on the GPU,
/// and hold room that those before it need.
struct LowerWaitForLaunches : OpConversionPattern<WaitForLaunchesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitForLaunchesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // LLVM takes it for an instruction that may write through the pointers, so
    // no access moves before it. What it gives is for loads that LLVM knows
    // nothing of; no register is written.
    auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
    std::string constraints = "=r";
    SmallVector<Value> pointers;
    for (BlockArgument parameter : function.getArguments()) {
      bool isConstant =
          function.getArgAttr(parameter.getArgNumber(),
                              LLVM::LLVMDialect::getReadonlyAttrName()) !=
          nullptr;
      if (isa<LLVM::LLVMPointerType>(parameter.getType()) && !isConstant) {
        constraints += ",l";
        pointers.push_back(parameter);
      }
    }
    LLVM::InlineAsmOp::create(
        rewriter, op.getLoc(), rewriter.getI32Type(), pointers, kWait,
        constraints + ",~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    rewriter.replaceOpWithNewOp<NVVM::GriddepcontrolOp>(
        op, NVVM::GridDepActionKind::launch_dependents);
    return success();
  }
};

struct LowerBlockId : OpConversionPattern<tile::BlockIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::BlockIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = rewriter.getI32Type();
    switch (op.getDimension()) {
    case GridDimension::X:
      rewriter.replaceOpWithNewOp<NVVM::BlockIdXOp>(op, type);
      break;
    case GridDimension::Y:
      rewriter.replaceOpWithNewOp<NVVM::BlockIdYOp>(op, type);
      break;
    case GridDimension::Z:
      rewriter.replaceOpWithNewOp<NVVM::BlockIdZOp>(op, type);
      break;
    }
    return success();
  }
};

/// A buffer is the byte that it begins at.
struct LowerAlloc : OpConversionPattern<tile::AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::AllocOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    rewriter.replaceOp(op, t.i32(int64_t(*op.getOffset())));
    return success();
  }
};

struct LowerDim : OpConversionPattern<memref::DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::DimOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<MemRefType>(op.getSource().getType());
    std::optional<int64_t> dimension = op.getConstantIndex();
    if (!dimension || *dimension < 0 || *dimension >= type.getRank()) {
      return op.emitOpError("takes one of the dimensions as a constant");
    }
    ThreadBuilder t(rewriter, op.getLoc());
    auto number = unsigned(*dimension);
    rewriter.replaceOp(
        op,
        type.isDynamicDim(number)
            ? Value(adaptor.getSource()[1 + type.getDynamicDimIndex(number)])
            : t.i32(type.getDimSize(number)));
    return success();
  }
};
} // namespace

void tile::populateStructurePatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerKernel, LowerReturn, LowerWaitForLaunches, LowerBlockId,
               LowerAlloc, LowerDim>(types, patterns.getContext());
}
