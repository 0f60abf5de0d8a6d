// cheems-plan-workspace: one arena of S + R * rows + W * workers bytes.
#include "cheems/Conversion/CPUToLLVM/Passes.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace cheems {
#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "cheems/Conversion/CPUToLLVM/Passes.h.inc"
} // namespace cheems

using namespace mlir;

namespace {
/// First fit of intervals of program order into one linear space.
class Packer {
public:
  int64_t total = 0;

  int64_t place(int64_t from, int64_t to, int64_t size) {
    int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const Item &item : items) {
        if (item.from <= to && from <= item.to &&
            at < item.offset + item.size && item.offset < at + size) {
          at = item.offset + item.size;
          moved = true;
        }
      }
    }
    items.push_back({from, to, at, size});
    total = std::max(total, at + size);
    return at;
  }

private:
  struct Item {
    int64_t from, to, offset, size;
  };
  SmallVector<Item> items;
};

/// Bytes: fixed, a row, a worker.
struct Need {
  int64_t fixed = 0, row = 0, worker = 0;
};

struct PlanWorkspace : cheems::impl::PlanWorkspacePassBase<PlanWorkspace> {
  llvm::DenseMap<Operation *, Need> needs;
  int64_t worker = 0; ///< the most bytes of one: of all functions, so that
                      ///< equal loops of two stay equal

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(plan(function))) {
        return signalPassFailure();
      }
    }
    for (auto &[function, found] : plans) {
      rewrite(function, found);
    }
  }

  /// What one function holds, callee first.
  struct Plan {
    SmallVector<std::pair<memref::AllocOp, int64_t>> fixed, rows,
        scratch; ///< and their offsets
    SmallVector<std::tuple<func::CallOp, int64_t, int64_t>>
        calls;                                   ///< fixed and row offsets
    llvm::SmallSetVector<Value, 2> rowArguments; ///< the longest counts
  };
  std::vector<std::pair<func::FuncOp, Plan>> plans;

  LogicalResult plan(func::FuncOp function) {
    if (needs.count(function) || function.isExternal()) {
      return success();
    }
    needs.try_emplace(function);
    Need need;
    Plan found;
    if (failed(collect(function, found, need))) {
      return failure();
    }
    needs[function] = need;
    worker = std::max(worker, need.worker);
    if (need.fixed || need.row || need.worker || function.isPublic()) {
      plans.emplace_back(function, std::move(found));
    }
    return success();
  }

  static int64_t staticBytes(MemRefType type) {
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t extent : type.getShape()) {
      bytes *= ShapedType::isDynamic(extent) ? 1 : extent;
    }
    return llvm::alignTo(bytes, cheems::cpu::kLineBytes);
  }

  /// Where a buffer, or a view of it, is used for the last time.
  static int64_t lastUse(memref::AllocOp alloc,
                         const BufferViewFlowAnalysis &flow,
                         function_ref<int64_t(Operation *)> place) {
    auto function = alloc->getParentOfType<func::FuncOp>();
    int64_t last = place(alloc);
    for (Value alias : flow.resolve(alloc.getResult())) {
      for (Operation *user : alias.getUsers()) {
        last = function->isProperAncestor(user) ? std::max(last, place(user))
                                                : last;
      }
    }
    return last;
  }

  /// Everything that a callee holds lives for the call. Its rows are the
  /// caller's, or fewer.
  static void collectCall(func::CallOp call, const Need &inner, int64_t place,
                          Packer &fixed, Packer &rows, Plan &found,
                          Need &need) {
    if (!inner.fixed && !inner.row && !inner.worker) {
      return;
    }
    found.calls.emplace_back(call, fixed.place(place, place, inner.fixed),
                             rows.place(place, place, inner.row));
    need.worker = std::max(need.worker, inner.worker);
  }

  LogicalResult collect(func::FuncOp function, Plan &found, Need &need) {
    Block &entry = function.front();
    llvm::DenseMap<Operation *, int64_t> order;
    int64_t next = 0;
    for (Operation &op : entry) {
      order[&op] = next++;
    }
    auto place = [&](Operation *op) {
      return order[entry.findAncestorOpInBlock(*op)];
    };
    BufferViewFlowAnalysis flow(function);
    Packer fixed, rows;
    llvm::DenseMap<Operation *, int64_t> scratch; // of each forall
    SmallVector<memref::AllocOp> allocs;
    SmallVector<func::CallOp> calls;
    function.walk([&](Operation *op) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        allocs.push_back(alloc);
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        calls.push_back(call);
      }
    });
    for (memref::AllocOp alloc : allocs) {
      if (!alloc.getType().getElementType().isIntOrFloat()) {
        return alloc.emitOpError("a buffer needs elements whose bits are "
                                 "known");
      }
      int64_t bytes = staticBytes(alloc.getType());
      if (auto loop = alloc->getParentOfType<scf::ForallOp>()) {
        if (!alloc.getDynamicSizes().empty()) {
          return alloc.emitOpError(
              "a buffer inside a parallel loop needs a static size");
        }
        int64_t &end = scratch[loop];
        found.scratch.emplace_back(alloc, end);
        end += bytes;
        need.worker = std::max(need.worker, end);
        continue;
      }
      int64_t from = place(alloc), to = lastUse(alloc, flow, place);
      if (alloc.getDynamicSizes().empty()) {
        found.fixed.emplace_back(alloc, fixed.place(from, to, bytes));
        continue;
      }
      if (alloc.getDynamicSizes().size() > 1 ||
          failed(countsRows(alloc, entry, found))) {
        return alloc.emitOpError(
            "a buffer's one dynamic extent is the row count of its function");
      }
      found.rows.emplace_back(alloc, rows.place(from, to, bytes));
    }
    for (func::CallOp call : calls) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (!callee || failed(plan(callee))) {
        return failure();
      }
      collectCall(call, needs[callee], place(call), fixed, rows, found, need);
    }
    need.fixed = fixed.total;
    need.row = rows.total;
    if (need.row && found.rowArguments.empty()) {
      return function.emitOpError(
          "has no row count to size its callees' buffers by");
    }
    return success();
  }

  /// The extent is the first dimension of an argument.
  static LogicalResult countsRows(memref::AllocOp alloc, Block &entry,
                                  Plan &found) {
    auto dim = alloc.getDynamicSizes()[0].getDefiningOp<memref::DimOp>();
    if (!dim || dim.getConstantIndex() != 0) {
      return failure();
    }
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    if (!argument || argument.getOwner() != &entry) {
      return failure();
    }
    found.rowArguments.insert(argument);
    return success();
  }

  /// The most rows of any argument that sizes a buffer; nothing without one.
  static Value countRows(OpBuilder &b, Location loc, const Plan &found) {
    Value most;
    for (Value argument : found.rowArguments) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value rows = memref::DimOp::create(b, loc, argument, zero);
      most = most ? arith::MaxUIOp::create(b, loc, most, rows) : rows;
    }
    return most;
  }

  void rewrite(func::FuncOp function, Plan &found) {
    OpBuilder b(function.getContext());
    const Need &need = needs[function];
    Location loc = function.getLoc();
    Block &entry = function.front();
    unsigned at = function.getNumArguments();
    auto bytes = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
    auto field = b.getDictionaryAttr(b.getNamedAttr(
        cheems::kField, cheems::StepFieldAttr::get(
                            b.getContext(), cheems::StepField::Workspace)));
    (void)function.insertArgument(
        at, bytes, function.isPublic() ? field : DictionaryAttr(), loc);
    Value workspace = function.getArgument(at), fixed, rows, workers;
    b.setInsertionPointToStart(&entry);
    Value rowCount = countRows(b, loc, found);
    auto plus = [&](Value base, Value count, int64_t scale,
                    int64_t offset) -> Value {
      if (count && scale) {
        Value product = arith::MulIOp::create(
            b, loc, count, arith::ConstantIndexOp::create(b, loc, scale));
        base = arith::AddIOp::create(b, loc, base, product);
      }
      return offset ? arith::AddIOp::create(
                          b, loc, base,
                          arith::ConstantIndexOp::create(b, loc, offset))
                          .getResult()
                    : base;
    };
    if (function.isPublic()) {
      function->setAttr(cheems::cpu::kWorkspace,
                        b.getDenseI64ArrayAttr({need.fixed, need.row, worker}));
      fixed = arith::ConstantIndexOp::create(b, loc, 0);
      rows = arith::ConstantIndexOp::create(b, loc, need.fixed);
      workers = plus(rows, rowCount, need.row, 0);
    } else {
      Value *bases[] = {&fixed, &rows, &workers};
      for (auto [i, base] : llvm::enumerate(bases)) {
        (void)function.insertArgument(at + 1 + i, b.getIndexType(), {}, loc);
        *base = function.getArgument(at + 1 + i);
      }
    }
    auto replace = [&](memref::AllocOp alloc, Value offset) {
      auto type = MemRefType::get(alloc.getType().getShape(),
                                  alloc.getType().getElementType());
      Value view = memref::ViewOp::create(b, alloc.getLoc(), type, workspace,
                                          offset, alloc.getDynamicSizes());
      alloc.getResult().replaceAllUsesWith(view);
      alloc.erase();
    };
    for (auto [alloc, offset] : found.fixed) {
      b.setInsertionPoint(alloc);
      replace(alloc, plus(fixed, {}, 0, offset));
    }
    for (auto [alloc, offset] : found.rows) {
      b.setInsertionPoint(alloc);
      replace(alloc, plus(rows, rowCount, offset, 0));
    }
    for (auto [alloc, offset] : found.scratch) {
      b.setInsertionPoint(alloc);
      Value index = cheems::cpu::WorkerOp::create(b, loc, b.getIndexType());
      replace(alloc, plus(workers, index, worker, offset));
    }
    for (auto [call, fixedOffset, rowOffset] : found.calls) {
      b.setInsertionPoint(call);
      SmallVector<Value> extra{workspace, plus(fixed, {}, 0, fixedOffset),
                               plus(rows, rowCount, rowOffset, 0), workers};
      call->insertOperands(call->getNumOperands(), extra);
    }
  }
};
} // namespace
