// Finds the ops before attention that its kernels take.
#include "AttentionInputs.h"
#include "Builder/KernelTable.h"
#include "Matmul/MatmulGroup.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

void LaunchOperands::read(Value value) {
  if (!llvm::is_contained(inputs, value)) {
    inputs.push_back(value);
  }
}

void LaunchOperands::readBoxes(Value matrix, TensorMapType type) {
  inputs.push_back(matrix);
  maps.emplace_back(matrix, type);
}

void LaunchOperands::write(Value value) { outputs.push_back(value); }

SmallVector<Type> LaunchOperands::types() const {
  SmallVector<Type> types;
  for (Value operand : llvm::concat<const Value>(inputs, outputs)) {
    auto shaped = dyn_cast<ShapedType>(operand.getType());
    const auto *map = llvm::find_if(
        maps, [&](const auto &each) { return each.first == operand; });
    if (map != maps.end()) {
      types.push_back(map->second);
      continue;
    }
    types.push_back(shaped ? Type(argumentFor(shaped, shaped.getRank() > 1))
                           : operand.getType());
  }
  return types;
}

Value LaunchOperands::in(ValueRange arguments, Value operand) const {
  for (auto [value, argument] :
       llvm::zip_equal(llvm::concat<const Value>(inputs, outputs), arguments)) {
    if (value == operand) {
      return argument;
    }
  }
  return {};
}

/// The norm that makes `heads` for one reader.
static RmsNormOp normBefore(Value heads) {
  auto norm = heads.getDefiningOp<RmsNormOp>();
  return norm && hasOneUseInBlock(heads) && norm.hasPureTensorSemantics()
             ? norm
             : RmsNormOp();
}

HeadsBefore HeadsBefore::rotatedBy(RotaryOp op) {
  RmsNormOp norm = op.turnsWholeHeads() ? normBefore(op.getX()) : RmsNormOp();
  return {norm ? norm.getX() : op.getX(), norm, op};
}

HeadsBefore HeadsBefore::of(Value value) {
  auto rotary = value.getDefiningOp<RotaryOp>();
  if (rotary && rotary.turnsWholeHeads() && hasOneUseInBlock(value) &&
      rotary.hasPureTensorSemantics()) {
    return rotatedBy(rotary);
  }
  RmsNormOp norm = normBefore(value);
  return {norm ? norm.getX() : value, norm, {}};
}

void HeadsBefore::addTo(LaunchOperands &operands) {
  operands.read(heads);
  if (norm) {
    operands.read(norm.getWeight());
  }
  if (rotary) {
    operands.read(rotary.getCosine());
    operands.read(rotary.getSine());
  }
}

SmallVector<Operation *> HeadsBefore::ops() const {
  SmallVector<Operation *> ops;
  RmsNormOp first = norm;
  RotaryOp second = rotary;
  if (first) {
    ops.push_back(first);
  }
  if (second) {
    ops.push_back(second);
  }
  return ops;
}

HeadRows HeadsBefore::in(const LaunchOperands &operands, ValueRange arguments) {
  HeadRows rows;
  rows.memory = operands.in(arguments, heads);
  if (norm) {
    rows.gain = operands.in(arguments, norm.getWeight());
    rows.epsilon = norm.getEpsilon().convertToDouble();
  }
  if (rotary) {
    rows.cosine = operands.in(arguments, rotary.getCosine());
    rows.sine = operands.in(arguments, rotary.getSine());
  }
  return rows;
}

/// Whether an elementwise op reads sums, and besides them only a number per
/// column.
static bool isOnSums(linalg::GenericOp op, Value sums) {
  return isElementwise(op) &&
         op.getBlock()->getArguments().back().use_empty() &&
         llvm::all_of(op->getOpOperands().drop_back(), [&](OpOperand &operand) {
           return (operand.get() == sums) ==
                  (reachOf(op, operand) == Reach::Element);
         });
}

MaskBefore MaskBefore::matmulOf(Value value) {
  MaskBefore found;
  Value sums = value;
  auto product = sums.getDefiningOp<linalg::MatmulOp>();
  while (!product && hasOneUseInBlock(sums)) {
    auto op = sums.getDefiningOp<linalg::GenericOp>();
    if (!op || !isElementwise(op)) {
      break;
    }
    auto before = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
      return !op.isDpsInit(&operand) && reachOf(op, operand) == Reach::Element;
    });
    if (before == op->getOpOperands().end() || !isOnSums(op, before->get())) {
      break;
    }
    found.after.insert(found.after.begin(), op);
    sums = before->get();
    product = sums.getDefiningOp<linalg::MatmulOp>();
  }
  if (!product || !hasOneUseInBlock(sums) || !Product::of(product)) {
    return {value, {}, {}, {}};
  }
  found.product = product;
  Value x = product.getDpsInputs()[0];
  auto before = x.getDefiningOp<linalg::GenericOp>();
  if (before && hasOneUseInBlock(x) && before.getNumDpsInputs() == 1 &&
      isOnSums(before, before.getInputs()[0])) {
    found.before = before;
  }
  return found;
}

SmallVector<Operation *> MaskBefore::ops() const {
  SmallVector<Operation *> ops(after.begin(), after.end());
  linalg::MatmulOp sums = product;
  linalg::GenericOp first = before;
  if (sums) {
    ops.push_back(sums);
  }
  if (first) {
    ops.push_back(first);
  }
  return ops;
}

Value MaskBefore::x() {
  return before ? before.getInputs()[0] : product.getDpsInputs()[0];
}

void MaskBefore::addTo(LaunchOperands &operands) {
  if (values) {
    operands.read(values);
    return;
  }
  if (!product) {
    return;
  }
  operands.read(x());
  operands.read(product.getDpsInputs()[1]);
  for (linalg::GenericOp op : after) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (reachOf(op, *operand) == Reach::Column) {
        operands.read(operand->get());
      }
    }
  }
}

MaskSource MaskBefore::in(const LaunchOperands &operands,
                          ValueRange arguments) {
  MaskSource mask;
  if (values) {
    mask.values = operands.in(arguments, values);
    return mask;
  }
  if (!product) {
    return mask;
  }
  mask.x = operands.in(arguments, x());
  mask.weights = operands.in(arguments, product.getDpsInputs()[1]);
  mask.before = before;
  for (linalg::GenericOp op : after) {
    SumsOp sums{op, {}};
    for (OpOperand *operand : op.getDpsInputOperands()) {
      bool isVector = reachOf(op, *operand) == Reach::Column;
      sums.vectors.push_back(isVector ? operands.in(arguments, operand->get())
                                      : Value());
    }
    mask.after.push_back(sums);
  }
  return mask;
}

void EntriesBefore::addTo(LaunchOperands &operands) {
  key.addTo(operands);
  value.addTo(operands);
  mask.addTo(operands);
}

NewEntries EntriesBefore::in(const LaunchOperands &operands,
                             ValueRange arguments) {
  return {key.in(operands, arguments), value.in(operands, arguments),
          mask.in(operands, arguments)};
}

int64_t cheems::tile::headBlocksOf(const AttentionShape &shape,
                                   AttentionTileAttr sizes) {
  return llvm::divideCeil(shape.queriesPerState(), sizes.getRows());
}

bool cheems::tile::leavesSplits(const AttentionShape &shape,
                                AttentionStrategyAttr strategy) {
  return shape.oneRow && !shape.isExact() && !shape.counts &&
         shape.visible.empty() && !shape.window && strategy.getMerge();
}

AttentionBefore::AttentionBefore(SegmentedAttentionOp op,
                                 const AttentionShape &shape,
                                 AttentionTileAttr sizes)
    : query{op.getQuery(), {}, {}}, added{HeadsBefore::of(op.getKey()),
                                          HeadsBefore::of(op.getValue()),
                                          {op.getMask(), {}, {}, {}}},
      storesFirst(shape.oneRow && headBlocksOf(shape, sizes) == 1) {
  if (op.getMask() && shape.oneRow && (storesFirst || shape.counts)) {
    added.mask = MaskBefore::matmulOf(op.getMask());
  }
  // Else its blocks would make tiles of a prompt's queries whose layout is that
  // of matmuls: more instructions than a launch of its own has.
  if (shape.isExact() || shape.oneRow) {
    query = HeadsBefore::of(op.getQuery());
  }
}

SmallVector<Operation *> AttentionBefore::ops() const {
  SmallVector<Operation *> ops = query.ops();
  llvm::append_range(ops, added.key.ops());
  llvm::append_range(ops, added.value.ops());
  llvm::append_range(ops, added.mask.ops());
  return ops;
}
