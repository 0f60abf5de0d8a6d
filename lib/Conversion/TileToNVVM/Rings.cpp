// cheems_tile.ring, fill_ring and bulk_copy: a warp of its own fills stages,
// and barriers in shared memory (mbarrier) say which are full and which are
// empty.
//
// A kernel with rings becomes a branch: a thread of the filler has the loops
// that fill, and all other threads have the rest. The filler's part is what
// rings need of the kernel: the branches around them, and the numbers that
// those and the copies take.
#include "Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// What LLVM must not move, nor take for something that it knows.
static void assembler(ThreadBuilder &t, StringRef text, StringRef constraints,
                      ValueRange operands) {
  LLVM::InlineAsmOp::create(t.b, t.loc, TypeRange(), operands, text,
                            constraints,
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

namespace {
/// The barriers of a ring (PTX ISA, "Parallel Synchronization and Communication
/// Instructions: mbarrier"). A stage has one that is complete when its bytes
/// have come, and after it one that is complete when all warps have used them.
/// Both change their phase each time that the ring comes around.
struct Barriers {
  ThreadBuilder &t;
  FilledRingOpInterface ring;
  int64_t warps; ///< that use stages

  static constexpr int64_t kStageBytes = FilledRingOpInterface::kStageBytes,
                           kBarrierBytes = FilledRingOpInterface::kBarrierBytes;

  /// Returns the address in shared memory.
  Value full(Value stage) {
    return t.add(t.mul(number(stage), kStageBytes), int64_t(*ring.getAt()));
  }
  Value empty(Value stage) { return t.add(full(stage), kBarrierBytes); }

  void init() {
    for (int64_t stage = 0; stage < ring.getStages(); ++stage) {
      int64_t at = int64_t(*ring.getAt()) + stage * kStageBytes;
      init(at, 1);
      init(at + kBarrierBytes, warps);
    }
  }
  void wait(Value barrier, Value parity) {
    assembler(t,
              "{ .reg .pred done;\nagain: "
              "mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;\n"
              "@!done bra again; }",
              "r,r,~{memory}", {address(barrier), parity});
  }
  /// Arrives at one that so many bytes, too, are to come to.
  void expect(Value barrier, int64_t bytes) {
    assembler(t, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
              "r,r,~{memory}", {address(barrier), t.i32(bytes)});
  }
  /// One thread of each warp arrives if `condition` holds, which may be none.
  void arrive(Value barrier, Value condition) {
    Value arrives = t.both(t.isZero(t.lane()), condition);
    assembler(t, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];",
              "r,b,~{memory}", {address(barrier), arrives});
  }

  Value number(Value index) {
    return t.b.createOrFold<arith::IndexCastOp>(t.loc, t.b.getI32Type(), index);
  }
  Value address(Value bytes) {
    return LLVM::PtrToIntOp::create(t.b, t.loc, t.b.getI32Type(),
                                    t.shared(bytes));
  }

private:
  void init(int64_t at, int64_t arrivals) {
    assembler(t, "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}",
              {address(t.i32(at)), t.i32(arrivals)});
  }
};

Value indexOf(ThreadBuilder &t, int64_t value) {
  return arith::ConstantIndexOp::create(t.b, t.loc, value);
}

/// The stage of the next step, and the parity of its phase.
std::pair<Value, Value> following(ThreadBuilder &t, FilledRingOpInterface ring,
                                  Value stage, Value parity) {
  Value next = arith::AddIOp::create(t.b, t.loc, stage, indexOf(t, 1));
  Value isPast = arith::CmpIOp::create(t.b, t.loc, arith::CmpIPredicate::eq,
                                       next, indexOf(t, ring.getStages()));
  next = arith::SelectOp::create(t.b, t.loc, isPast, indexOf(t, 0), next);
  Value turn =
      t.b.createOrFold<arith::ExtUIOp>(t.loc, t.b.getI32Type(), isPast);
  return {next, t.bitXor(parity, turn)};
}

using LoopBody = function_ref<void(OpBuilder &, Location, Value, ValueRange)>;

scf::ForOp loopOverSteps(ThreadBuilder &t, Value steps, ValueRange inits,
                         LoopBody body) {
  return scf::ForOp::create(t.b, t.loc, indexOf(t, 0), steps, indexOf(t, 1),
                            inits, body);
}

/// The filler's loop over the steps of rings that it fills together.
class FillLoop {
public:
  FillLoop(ThreadBuilder &t, ArrayRef<FilledRingOpInterface> rings)
      : t(t), rings(rings) {}

  /// It begins as if all stages had just been used.
  /// \param mapping what values of the kernel are to the filler.
  void build(IRMapping mapping) {
    SmallVector<Value> inits;
    for (size_t i = 0; i < rings.size(); ++i) {
      inits.append({indexOf(t, 0), t.i32(1)});
    }
    auto body = [&](OpBuilder &, Location, Value step, ValueRange carried) {
      SmallVector<Value> results;
      for (auto [number, ring] : llvm::enumerate(rings)) {
        Value stage = carried[2 * number], parity = carried[2 * number + 1];
        fill(ring, mapping, step, stage, parity);
        auto [next, turned] = following(t, ring, stage, parity);
        results.append({next, turned});
      }
      scf::YieldOp::create(t.b, t.loc, results);
    };
    FilledRingOpInterface first = rings.front();
    loopOverSteps(t, mapping.lookupOrDefault(first.getSteps()), inits, body);
  }

private:
  void fill(FilledRingOpInterface ring, IRMapping &mapping, Value step,
            Value stage, Value parity) {
    Barriers barriers{t, ring, /*warps=*/0};
    barriers.wait(barriers.empty(stage), parity);
    Value full = barriers.full(stage);
    Block &block = ring.getFill().front();
    barriers.expect(full, bytesOf(block));
    mapping.map(block.getArgument(0), step);
    mapping.map(block.getArgument(1), stage);
    for (Operation &op : block.without_terminator()) {
      Operation *copy = t.b.clone(op, mapping);
      if (auto bulk = dyn_cast<BulkCopyOp>(copy)) {
        bulk.getSignalsMutable().assign(full);
      }
    }
  }

  /// What comes in a step.
  static int64_t bytesOf(Block &block) {
    int64_t sum = 0;
    for (auto copy : block.getOps<BulkCopyOp>()) {
      TensorMapType map = copy.getMap().getType();
      sum += map.getRows() * map.getRowBytes();
    }
    return sum;
  }

  ThreadBuilder &t;
  ArrayRef<FilledRingOpInterface> rings;
};

/// The loop of those who use a ring, in its place.
void useRing(ThreadBuilder &t, RingOp ring, int64_t warps) {
  Barriers barriers{t, ring, warps};
  SmallVector<Value> inits = {indexOf(t, 0), indexOf(t, 0), t.i32(0)};
  llvm::append_range(inits, ring.getInits());
  auto body = [&](OpBuilder &, Location, Value step, ValueRange carried) {
    Value stage = carried[0], before = carried[1], parity = carried[2];
    barriers.wait(barriers.full(stage), parity);
    Block &block = ring.getUse().front();
    auto end = cast<RingYieldOp>(block.getTerminator());
    IRMapping mapping;
    mapping.map(block.getArgument(0), step);
    mapping.map(block.getArgument(1), stage);
    mapping.map(block.getArguments().drop_front(2), carried.drop_front(3));
    for (Operation &op : block.without_terminator()) {
      t.b.clone(op, mapping);
    }
    // Matmuls of this step may still read their stage.
    Value isFirst = t.isZero(barriers.number(step));
    Value isLater = arith::XOrIOp::create(
        t.b, t.loc, isFirst,
        arith::ConstantOp::create(t.b, t.loc, t.b.getBoolAttr(true)));
    barriers.arrive(barriers.empty(before), isLater);
    auto [next, turned] = following(t, ring, stage, parity);
    SmallVector<Value> results = {next, stage, turned};
    for (Value result : end.getOperands()) {
      results.push_back(mapping.lookupOrDefault(result));
    }
    scf::YieldOp::create(t.b, t.loc, results);
  };
  scf::ForOp made = loopOverSteps(t, ring.getSteps(), inits, body);
  ring.replaceAllUsesWith(made.getResults().drop_front(3));
  ring.erase();
}

/// Waits for stages and frees them, in the place of the ops that do. Stages and
/// phases come from steps: where stages are a power of two, by a shift and a
/// bit.
void useStages(FillRingOp ring, int64_t warps) {
  for (Operation *user :
       llvm::make_early_inc_range(ring.getRing().getUsers())) {
    OpBuilder b(user);
    ThreadBuilder t(b, user->getLoc());
    Barriers barriers{t, ring, warps};
    Value stages = indexOf(t, ring.getStages());
    auto wait = dyn_cast<WaitForStageOp>(user);
    Value step = wait ? wait.getStep() : cast<FreeStageOp>(user).getStep();
    Value stage = arith::RemUIOp::create(b, t.loc, step, stages);
    if (wait) {
      Value turn = arith::DivUIOp::create(b, t.loc, step, stages);
      barriers.wait(barriers.full(stage), t.bitAnd(barriers.number(turn), 1));
    } else {
      // Other lanes have read the stage by themselves.
      NVVM::SyncWarpOp::create(b, t.loc, t.i32(-1));
      barriers.arrive(barriers.empty(stage), Value());
    }
    user->erase();
  }
  ring.erase();
}

/// Parts a kernel's threads.
class Splitter {
public:
  explicit Splitter(KernelOp kernel) : kernel(kernel) {
    kernel.walk([&](FilledRingOpInterface ring) { rings.push_back(ring); });
  }

  LogicalResult run() {
    for (FilledRingOpInterface ring : rings) {
      if (failed(need(ring))) {
        return failure();
      }
    }
    Block &body = kernel.getBody().front();
    Operation *end = body.getTerminator();
    // What both have comes first.
    SmallVector<Operation *> rest;
    for (Operation &op : body.without_terminator()) {
      bool isCommon =
          isa<AllocOp, BlockIdOp, WaitForLaunchesOp>(op) ||
          (needed.contains(&op) && !isa<FilledRingOpInterface, scf::IfOp>(op));
      if (!isCommon) {
        rest.push_back(&op);
      }
    }
    OpBuilder b(end);
    ThreadBuilder t(b, kernel.getLoc());
    initBarriers(t);
    // A warp is a filler or has tiles as a whole.
    Value isOther = t.less(t.thread(), t.i32(kernel.getTileThreads()));
    auto branch = scf::IfOp::create(b, t.loc, isOther, /*withElse=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    shareRegisters(t, NVVM::SetMaxRegisterAction::increase, kManyRegisters);
    b.setInsertionPointToStart(branch.elseBlock());
    shareRegisters(t, NVVM::SetMaxRegisterAction::decrease, kFewRegisters);
    Value isFirst =
        arith::CmpIOp::create(b, t.loc, arith::CmpIPredicate::eq, t.thread(),
                              t.i32(kernel.getTileThreads()));
    auto fill = scf::IfOp::create(b, t.loc, isFirst, /*withElse=*/false);
    b.setInsertionPointToStart(fill.thenBlock());
    copyNeeded(t, body, {});
    for (Operation *op : rest) {
      op->moveBefore(branch.thenBlock()->getTerminator());
    }
    auto warps = int64_t(kernel.getWarps());
    for (FilledRingOpInterface filled : rings) {
      if (auto stages = dyn_cast<FillRingOp>(*filled)) {
        useStages(stages, warps);
        continue;
      }
      OpBuilder own(filled);
      ThreadBuilder user(own, filled.getLoc());
      useRing(user, cast<RingOp>(*filled), warps);
    }
    return success();
  }

private:
  /// The op, what is around it, and what computes its operands.
  LogicalResult need(Operation *op) {
    if (!needed.insert(op).second) {
      return success();
    }
    auto ring = dyn_cast<FilledRingOpInterface>(op);
    SetVector<Value> operands;
    if (ring) {
      operands.insert(ring.getSteps());
      getUsedValuesDefinedAbove(ring.getFill(), operands);
    } else {
      operands.insert_range(op->getOperands());
    }
    for (Value operand : operands) {
      Operation *from = operand.getDefiningOp();
      if (from && (failed(verifyNumber(from)) || failed(need(from)))) {
        return failure();
      }
    }
    Operation *around = op->getParentOp();
    return around == kernel ? success() : need(around);
  }

  /// Whether the filler can compute what the op gives, which it needs.
  LogicalResult verifyNumber(Operation *op) {
    if (op->getNumRegions() == 0 &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>)) {
      return success();
    }
    return op->emitOpError()
           << "in the kernel " << kernel.getSymName()
           << " is not for the warp that fills rings, which needs it: copies "
              "and the branches around a ring take numbers that memref.dim, "
              "memref.load, block_id and arith give";
  }

  /// Registers are handed over by whole warpgroups. The warps with tiles are
  /// such, and so are fillers if there are four of them.
  void shareRegisters(ThreadBuilder &t, NVVM::SetMaxRegisterAction action,
                      int64_t registers) {
    if (*kernel.getFillers() == kWarpgroupWarps) {
      NVVM::SetMaxRegisterOp::create(t.b, t.loc, uint32_t(registers), action);
    }
  }

  /// One thread makes them, and all see them.
  void initBarriers(ThreadBuilder &t) {
    Value isFirst = t.isZero(t.thread());
    auto first = scf::IfOp::create(t.b, t.loc, isFirst, /*withElse=*/false);
    OpBuilder b(first.thenBlock()->getTerminator());
    ThreadBuilder inside(b, t.loc);
    for (FilledRingOpInterface ring : rings) {
      Barriers{inside, ring, int64_t(kernel.getWarps())}.init();
    }
    // Bulk copies see barriers by another way than threads do.
    assembler(inside, "fence.mbarrier_init.release.cluster;", "~{memory}", {});
    NVVM::BarrierOp::create(t.b, t.loc);
  }

  /// The filler's ops in the place of those of `block`.
  void copyNeeded(ThreadBuilder &t, Block &block, IRMapping mapping) {
    bool isOutermost = block.getParentOp() == kernel;
    for (Operation &op : block.without_terminator()) {
      if (isa<WaitForLaunchesOp>(op) && !isOutermost) {
        t.b.clone(op); // fillers read what earlier kernels write, too
      }
      if (!needed.contains(&op)) {
        continue;
      }
      if (auto ring = dyn_cast<FilledRingOpInterface>(op)) {
        SmallVector<FilledRingOpInterface> together = filledWith(ring);
        if (together.back() == ring) { // what all of them need is there
          FillLoop(t, together).build(mapping);
        }
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        copyBranch(t, branch, mapping);
      } else if (!isOutermost) {
        t.b.clone(op, mapping);
      }
    }
  }

  /// Rings with stages that the filler fills together with this one, in order.
  SmallVector<FilledRingOpInterface> filledWith(FilledRingOpInterface ring) {
    if (!isa<FillRingOp>(*ring)) {
      return {ring};
    }
    SmallVector<FilledRingOpInterface> together;
    for (auto other : ring->getBlock()->getOps<FillRingOp>()) {
      if (other.getSteps() == ring.getSteps()) {
        together.push_back(other);
      }
    }
    return together;
  }

  void copyBranch(ThreadBuilder &t, scf::IfOp branch,
                  const IRMapping &mapping) {
    Value condition = mapping.lookupOrDefault(branch.getCondition());
    bool hasElse = branch.elseBlock();
    auto made = scf::IfOp::create(t.b, t.loc, condition, hasElse);
    OpBuilder::InsertionGuard guard(t.b);
    t.b.setInsertionPointToStart(made.thenBlock());
    copyNeeded(t, *branch.thenBlock(), mapping);
    if (hasElse) {
      t.b.setInsertionPointToStart(made.elseBlock());
      copyNeeded(t, *branch.elseBlock(), mapping);
    }
  }

  KernelOp kernel;
  SmallVector<FilledRingOpInterface> rings;
  llvm::DenseSet<Operation *> needed;
};

struct LowerBulkCopy : OpConversionPattern<BulkCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BulkCopyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    auto address = [&](Value bytes) -> Value {
      return LLVM::PtrToIntOp::create(t.b, t.loc, t.b.getI32Type(),
                                      t.shared(bytes));
    };
    TensorMapType map = op.getMap().getType();
    int64_t boxBytes = map.getRows() * map.getRowBytes();
    Value to = address(
        t.add(adaptor.getBuffer(), t.mul(adaptor.getStage(), boxBytes)));
    // The innermost coordinate comes first.
    assembler(t,
              "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
              "complete_tx::bytes [$0], [$1, {$2, $3}], [$4];",
              "r,l,r,r,r,~{memory}",
              {to, adaptor.getMap(), adaptor.getColumn(), adaptor.getRow(),
               address(adaptor.getSignals())});
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

LogicalResult tile::splitRings(KernelOp kernel) {
  return kernel.getFillers() ? Splitter(kernel).run() : success();
}

int64_t tile::tileThreadsOf(LLVM::LLVMFuncOp function) {
  if (auto own = function->getAttrOfType<IntegerAttr>(kTileThreads)) {
    return own.getInt();
  }
  return cast<DenseI32ArrayAttr>(
      function->getAttr(NVVM::NVVMDialect::getReqntidAttrName()))[0];
}

void tile::excludeFillers(gpu::GPUModuleOp kernels) {
  constexpr int64_t number = 1; // 0 is that of all threads
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>()) {
    if (!function->hasAttr(kTileThreads)) {
      continue;
    }
    int64_t threads = tileThreadsOf(function);
    SmallVector<NVVM::Barrier0Op> barriers;
    function.walk([&](NVVM::Barrier0Op op) { barriers.push_back(op); });
    for (NVVM::Barrier0Op barrier : barriers) {
      OpBuilder b(barrier);
      ThreadBuilder t(b, barrier.getLoc());
      NVVM::BarrierOp::create(b, t.loc, TypeRange(), t.i32(number),
                              t.i32(threads), NVVM::BarrierReductionAttr(),
                              Value());
      barrier.erase();
    }
    function->removeAttr(kTileThreads);
  }
}

void tile::populateRingPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns.add<LowerBulkCopy>(types, patterns.getContext());
}
