// cheems-outline-parallel: the body of an scf.forall becomes a function that
// the thread pool calls.
#include "LoopFrame.h"
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/RegionUtils.h"

namespace cheems {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
struct OutlineParallel
    : cheems::impl::OutlineParallelPassBase<OutlineParallel> {
  int number = 0;
  llvm::DenseMap<std::pair<size_t, size_t>, SmallVector<func::FuncOp>>
      bodies; ///< by count and hash of their ops

  void runOnOperation() override {
    number = 0;
    bodies.clear();
    SmallVector<scf::ForallOp> loops;
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    for (scf::ForallOp loop : loops) {
      if (loop->getParentOfType<scf::ForallOp>() || loop.getNumResults()) {
        loop.emitOpError("is outlined when it is bufferised and not nested");
        return signalPassFailure();
      }
      if (llvm::any_of(loop.getMixedStep(), isZeroInteger)) {
        loop.emitOpError("is outlined when its steps are not 0");
        return signalPassFailure();
      }
      outline(loop);
    }
  }

  func::FuncOp poolFunction(OpBuilder &b, FunctionType type) {
    ModuleOp module = getOperation();
    if (auto existing =
            module.lookupSymbol<func::FuncOp>("cheems_parallel_for")) {
      return existing;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto function =
        func::FuncOp::create(b, module.getLoc(), "cheems_parallel_for", type);
    function.setPrivate();
    return function;
  }

  /// A pointer to the loop's name as the host reads it, null without one.
  Value nameOf(OpBuilder &b, scf::ForallOp loop, StringRef symbol) {
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    auto name = loop->getAttrOfType<StringAttr>(cheems::cpu::kName);
    if (!name) {
      return LLVM::ZeroOp::create(b, loop.getLoc(), pointer);
    }
    std::string text = name.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
    LLVM::GlobalOp global;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(getOperation().getBody());
      global = LLVM::GlobalOp::create(
          b, loop.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Private,
          (symbol + "_name").str(), b.getStringAttr(text));
      // Many loops have one name; LLVM keeps one text of them.
      global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
    }
    return LLVM::AddressOfOp::create(b, loop.getLoc(), global);
  }

  /// Iterations of each dimension, as values outside of the loop.
  SmallVector<Value> tripCounts(OpBuilder &b, scf::ForallOp loop) {
    AffineExpr lower = b.getAffineSymbolExpr(0),
               upper = b.getAffineSymbolExpr(1),
               step = b.getAffineSymbolExpr(2);
    SmallVector<Value> trips;
    for (auto [l, u, s] :
         llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(),
                         loop.getMixedStep())) {
      OpFoldResult trip = affine::makeComposedFoldedAffineApply(
          b, loop.getLoc(), (upper - lower).ceilDiv(step), {l, u, s});
      trips.push_back(getValueOrCreateConstantIndexOp(b, loop.getLoc(), trip));
    }
    return trips;
  }

  /// An equal body from before if there is one, else `body`. Kinds of layer and
  /// entries have many bodies in common. Each of them is then compiled once.
  func::FuncOp shared(func::FuncOp body) {
    size_t size = 0;
    llvm::hash_code hash = 0;
    body.getBody().walk([&](Operation *op) {
      ++size;
      hash = llvm::hash_combine(hash, op->getName(), op->getAttrDictionary());
    });
    SmallVector<func::FuncOp> &known = bodies[{size, size_t(hash)}];
    for (func::FuncOp other : known) {
      if (OperationEquivalence::isRegionEquivalentTo(
              &body.getBody(), &other.getBody(),
              OperationEquivalence::IgnoreLocations)) {
        body.erase();
        return other;
      }
    }
    known.push_back(body);
    return body;
  }

  /// Comparisons with values from outside are placed where they are used.
  /// Otherwise two bodies would differ if only one of them has a comparison
  /// hoisted.
  static void sinkComparisons(scf::ForallOp loop) {
    SetVector<Value> above;
    getUsedValuesDefinedAbove(loop.getRegion(), above);
    for (Value value : above) {
      auto comparison = value.getDefiningOp<arith::CmpIOp>();
      if (!comparison) {
        continue;
      }
      for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
        if (loop.getRegion().isAncestor(use.getOwner()->getParentRegion())) {
          OpBuilder b(use.getOwner());
          use.set(b.clone(*comparison)->getResult(0));
        }
      }
    }
  }

  /// What a loop's body reads of the function around it.
  struct Captured {
    explicit Captured(MLIRContext *context) : frame(context) {}
    SmallVector<Value> trips; ///< how often each index runs
    SmallVector<OpFoldResult> lower, steps;
    SmallVector<Operation *> constants; ///< cloned into the body
    cheems::LoopFrame frame;            ///< of all else, which travels by value
  };

  void capture(OpBuilder &b, scf::ForallOp loop, Captured &found) {
    SetVector<Value> above;
    getUsedValuesDefinedAbove(loop.getRegion(), above);
    b.setInsertionPoint(loop);
    found.trips = tripCounts(b, loop);
    found.lower = loop.getMixedLowerBound();
    found.steps = loop.getMixedStep();
    for (OpFoldResult outside :
         llvm::concat<OpFoldResult>(found.lower, found.steps)) {
      if (auto value = dyn_cast<Value>(outside)) {
        above.insert(value);
      }
    }
    above.insert_range(found.trips);
    for (Value value : above) {
      Operation *definition = value.getDefiningOp();
      if (definition && definition->hasTrait<OpTrait::ConstantLike>()) {
        found.constants.push_back(definition);
        continue;
      }
      found.frame.capture(value);
    }
  }

  /// Maps the loop's indices to those of iteration `place`, of all of which the
  /// last index runs fastest.
  static void mapIndices(OpBuilder &b, scf::ForallOp loop,
                         const Captured &captured, Value place,
                         IRMapping &map) {
    Location loc = loop.getLoc();
    auto inside = [&](OpFoldResult outside) -> Value {
      Value value = dyn_cast<Value>(outside);
      return value ? map.lookup(value)
                   : getValueOrCreateConstantIndexOp(b, loc, outside);
    };
    Value rest = place;
    for (int64_t i = loop.getRank() - 1; i >= 0; --i) {
      Value extent = map.lookup(captured.trips[i]);
      Value index =
          i ? arith::RemUIOp::create(b, loc, rest, extent).getResult() : rest;
      rest =
          i ? arith::DivUIOp::create(b, loc, rest, extent).getResult() : rest;
      index = arith::MulIOp::create(b, loc, index, inside(captured.steps[i]));
      map.map(loop.getInductionVar(i),
              arith::AddIOp::create(b, loc, index, inside(captured.lower[i]))
                  .getResult());
    }
  }

  /// The function (frame, begin, end, worker) that runs iterations of the loop.
  func::FuncOp makeBody(OpBuilder &b, scf::ForallOp loop, Captured &captured) {
    MLIRContext *context = &getContext();
    Location loc = loop.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
    auto parent = loop->getParentOfType<func::FuncOp>();
    b.setInsertionPoint(parent);
    auto body = func::FuncOp::create(
        b, loc, (parent.getName() + "_parallel" + Twine(number++)).str(),
        FunctionType::get(context, {pointer, i64, i64, i64}, {}));
    body.setPrivate();
    Block *entry = body.addEntryBlock();
    b.setInsertionPointToStart(entry);
    IRMapping map;
    for (Operation *constant : captured.constants) {
      b.clone(*constant, map);
    }
    captured.frame.load(b, loc, entry->getArgument(0), map);
    auto asIndex = [&](Value value) -> Value {
      return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    };
    Value worker = asIndex(entry->getArgument(3));
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto range = scf::ForOp::create(b, loc, asIndex(entry->getArgument(1)),
                                    asIndex(entry->getArgument(2)), one);
    func::ReturnOp::create(b, loc);
    b.setInsertionPointToStart(range.getBody());
    mapIndices(b, loop, captured, range.getInductionVar(), map);
    for (Operation &op : loop.getBody()->without_terminator()) {
      b.clone(op, map);
    }
    body.walk([&](cheems::cpu::WorkerOp op) {
      op.replaceAllUsesWith(worker);
      op.erase();
    });
    return body;
  }

  /// Hands the body and a frame to the pool, before the loop.
  void callPool(OpBuilder &b, scf::ForallOp loop, Captured &captured,
                func::FuncOp body, const std::string &name) {
    MLIRContext *context = &getContext();
    Location loc = loop.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(context), i64 = b.getI64Type();
    // The frame is in the entry block: an alloca in a loop would grow the
    // stack.
    b.setInsertionPointToStart(&loop->getParentOfType<func::FuncOp>().front());
    Value single =
        LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(1));
    Value frameAddress =
        LLVM::AllocaOp::create(b, loc, pointer, captured.frame.type(), single);
    b.setInsertionPoint(loop);
    captured.frame.store(b, loc, frameAddress);
    Value count = captured.trips.front();
    for (Value trip : ArrayRef(captured.trips).drop_front()) {
      count = arith::MulIOp::create(b, loc, count, trip);
    }
    count = arith::IndexCastOp::create(b, loc, i64, count);
    Value function = func::ConstantOp::create(b, loc, body.getFunctionType(),
                                              body.getName());
    function = UnrealizedConversionCastOp::create(b, loc, pointer, function)
                   .getResult(0);
    func::FuncOp pool = poolFunction(
        b, FunctionType::get(context, {pointer, pointer, i64, pointer}, {}));
    func::CallOp::create(
        b, loc, pool,
        ValueRange{function, frameAddress, count, nameOf(b, loop, name)});
  }

  void outline(scf::ForallOp loop) {
    OpBuilder b(&getContext());
    sinkComparisons(loop);
    Captured captured(&getContext());
    capture(b, loop, captured);
    func::FuncOp body = makeBody(b, loop, captured);
    std::string name = body.getName().str();
    callPool(b, loop, captured, shared(body), name);
    loop.erase();
  }
};
} // namespace
