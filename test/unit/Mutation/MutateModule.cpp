// Changes of a module in memory: operands, types, attributes, regions.
#include "Mutate.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <limits>

namespace cheems::test {
using namespace mlir;

namespace {

struct Parts {
  std::vector<Operation *> ops; ///< all but the module itself
  std::vector<Value> values;
  std::vector<Region *> regions;
  std::vector<NamedAttribute> attributes;

  explicit Parts(ModuleOp module) {
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != module) {
        ops.push_back(op);
      }
      llvm::append_range(values, op->getResults());
      llvm::append_range(attributes, op->getAttrs());
      for (Region &region : op->getRegions()) {
        regions.push_back(&region);
        for (Block &block : region) {
          llvm::append_range(values, block.getArguments());
        }
      }
    });
  }
};

/// Some value of this type beside `but`, if there is one.
Value sameType(const Parts &parts, Value but, Random &random) {
  std::vector<Value> found;
  for (Value value : parts.values) {
    if (value != but && value.getType() == but.getType()) {
      found.push_back(value);
    }
  }
  return found.empty() ? Value() : random.of(found);
}

void changeOperand(Parts &parts, Operation *op, Random &random) {
  if (op->getNumOperands() == 0) {
    return;
  }
  unsigned index = random.below(op->getNumOperands());
  switch (random.below(6)) {
  case 0: // one less
    op->eraseOperand(index);
    return;
  case 1: // one more
    op->insertOperands(index, op->getOperand(index));
    return;
  case 2: // two swapped
  {
    unsigned other = random.below(op->getNumOperands());
    Value value = op->getOperand(index);
    op->setOperand(index, op->getOperand(other));
    op->setOperand(other, value);
    return;
  }
  case 3:
    op->setOperand(index, random.of(parts.values));
    return;
  default:
    if (Value other = sameType(parts, op->getOperand(index), random)) {
      op->setOperand(index, other);
    }
  }
}

void changeType(ModuleOp module, Parts &parts, Random &random) {
  Value value = random.of(parts.values);
  Type type = value.getType();
  auto shaped = dyn_cast<ShapedType>(type);
  switch (random.below(4)) {
  case 0: // of one value
    value.setType(otherType(type, random));
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function =
          dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      // An earlier change may have taken its type away.
      if (function && argument.getOwner()->isEntryBlock() &&
          isa_and_nonnull<TypeAttr>(function.getFunctionTypeAttr()) &&
          isa<FunctionType>(function.getFunctionTypeAttr().getValue())) {
        function.setType(FunctionType::get(
            module.getContext(), argument.getOwner()->getArgumentTypes(),
            function.getFunctionType().getResults()));
      }
    }
    return;
  case 1:
    replaceTypes(module, type, otherType(type, random));
    return;
  default:
    if (shaped && shaped.hasRank() && shaped.getRank() > 0) {
      replaceExtents(module, shaped.getDimSize(random.below(shaped.getRank())),
                     someExtent(random));
    }
  }
}

Attribute otherAttribute(Attribute attribute, const Parts &parts,
                         Random &random) {
  MLIRContext *context = attribute.getContext();
  Builder builder(context);
  if (random.once(8)) {
    return random.of(parts.attributes).getValue();
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    static const std::vector<int64_t> numbers{
        0,
        1,
        -1,
        2,
        3,
        7,
        16,
        64,
        1000,
        std::numeric_limits<int32_t>::max(),
        std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()};
    if (auto type = dyn_cast<IntegerType>(number.getType())) {
      return IntegerAttr::get(type, APInt(type.getWidth(), random.of(numbers),
                                          /*isSigned=*/true,
                                          /*implicitTrunc=*/true));
    }
    return builder.getIndexAttr(random.of(numbers));
  }
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    static const std::vector<double> numbers{
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-300,
        1e300,
        std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()};
    return FloatAttr::get(number.getType(), random.of(numbers));
  }
  if (auto text = dyn_cast<StringAttr>(attribute)) {
    return builder.getStringAttr(random.once(2) ? "other"
                                                : text.getValue() + "_other");
  }
  if (auto items = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> changed(items.getValue());
    if (changed.empty()) {
      return builder.getUnitAttr();
    }
    size_t index = random.below(changed.size());
    switch (random.below(3)) {
    case 0:
      changed.erase(changed.begin() + index);
      break;
    case 1:
      changed.push_back(changed[index]);
      break;
    default:
      changed[index] = otherAttribute(changed[index], parts, random);
    }
    return builder.getArrayAttr(changed);
  }
  if (auto fields = dyn_cast<DictionaryAttr>(attribute)) {
    SmallVector<NamedAttribute> changed(fields.getValue());
    if (changed.empty()) {
      return builder.getUnitAttr();
    }
    NamedAttribute &field = changed[random.below(changed.size())];
    if (random.once(3)) {
      changed.erase(&field);
    } else {
      field.setValue(otherAttribute(field.getValue(), parts, random));
    }
    return builder.getDictionaryAttr(changed);
  }
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute)) {
    SmallVector<int64_t> changed(numbers.asArrayRef());
    if (changed.empty() || random.once(4)) {
      changed.push_back(someExtent(random));
    } else if (random.once(4)) {
      changed.pop_back();
    } else {
      changed[random.below(changed.size())] = someExtent(random);
    }
    return builder.getDenseI64ArrayAttr(changed);
  }
  if (auto type = dyn_cast<TypeAttr>(attribute)) {
    return TypeAttr::get(otherType(type.getValue(), random));
  }
  return random.of(parts.attributes).getValue();
}

void changeAttribute(const Parts &parts, Operation *op, Random &random) {
  ArrayRef<NamedAttribute> own = op->getAttrs();
  if (own.empty() || random.once(8)) {
    NamedAttribute other = random.of(parts.attributes);
    op->setAttr(other.getName(), other.getValue());
    return;
  }
  NamedAttribute chosen = own[random.below(own.size())];
  if (random.once(5)) {
    op->removeAttr(chosen.getName());
  } else {
    op->setAttr(chosen.getName(),
                otherAttribute(chosen.getValue(), parts, random));
  }
}

/// Whether a value or a block of `region` has uses outside, as a moved op may
/// leave them.
bool usedOutside(Region &region) {
  auto outside = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !region.isAncestor(user->getParentRegion());
    });
  };
  for (Block &block : region) {
    bool entered = llvm::any_of(block.getPredecessors(), [&](Block *from) {
      return !region.isAncestor(from->getParent());
    });
    if (entered || llvm::any_of(block.getArguments(), outside)) {
      return true;
    }
    for (Operation &op : block) {
      if (llvm::any_of(op.getResults(), outside) ||
          llvm::any_of(op.getRegions(), usedOutside)) {
        return true;
      }
    }
  }
  return false;
}

/// Erases `op` once nothing uses what it defines.
void erase(const Parts &parts, Operation *op, Random &random) {
  if (llvm::any_of(op->getRegions(), usedOutside)) {
    return;
  }
  for (Value result : op->getResults()) {
    if (result.use_empty()) {
      continue;
    }
    Value other = sameType(parts, result, random);
    if (!other || op->isAncestor(other.getParentBlock()->getParentOp()) ||
        other.getDefiningOp() == op) {
      return;
    }
    result.replaceAllUsesWith(other);
  }
  op->erase();
}

void changeStructure(const Parts &parts, Operation *op, Random &random) {
  switch (random.below(6)) {
  case 0:
    return erase(parts, op, random);
  case 1:
    op->getBlock()->getOperations().insert(op->getIterator(), op->clone());
    return;
  case 2: // swapped with the next
    if (Operation *next = op->getNextNode()) {
      op->moveAfter(next);
    }
    return;
  case 3: // moved to another block
  {
    Operation *other = random.of(parts.ops);
    if (!op->isAncestor(other)) {
      op->moveBefore(other);
    }
    return;
  }
  case 4: // a region without its blocks, or with one that has no ops
  {
    if (op->getNumRegions() == 0) {
      op = op->getParentOp();
    }
    Region &region = op->getRegion(random.below(op->getNumRegions()));
    if (usedOutside(region)) {
      return;
    }
    region.dropAllReferences();
    if (random.once(2) || region.empty()) {
      region.getBlocks().clear();
    } else {
      region.getBlocks().erase(std::next(region.begin()), region.end());
      region.front().clear();
    }
    return;
  }
  default: // a region twice: an empty block after the others
    if (op->getNumRegions() != 0) {
      op->getRegion(0).emplaceBlock();
    }
  }
}

} // namespace

void mutateModule(ModuleOp module, Random &random) {
  Parts parts(module);
  if (parts.ops.empty() || parts.values.empty()) {
    return;
  }
  Operation *op = random.of(parts.ops);
  for (int tries = 0; tries < 3; ++tries) {
    // Most ops of a lowered module are of other dialects.
    if (op->getName().getDialectNamespace().starts_with("cheems")) {
      break;
    }
    op = random.of(parts.ops);
  }
  switch (random.below(8)) {
  case 0:
  case 1:
    return changeOperand(parts, op, random);
  case 2:
  case 3:
  case 4:
    return changeType(module, parts, random);
  case 5:
  case 6:
    return changeAttribute(parts, op, random);
  default:
    return changeStructure(parts, op, random);
  }
}

} // namespace cheems::test
