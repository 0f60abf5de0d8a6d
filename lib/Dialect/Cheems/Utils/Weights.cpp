// How parameters reach their uses through the arguments of layer functions.
#include "cheems/Dialect/Cheems/Utils/Weights.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cheems;

bool cheems::isTransposedWeight(OpOperand &use) {
  auto op = dyn_cast<linalg::MatmulOp>(use.getOwner());
  if (!op || use.getOperandNumber() != 1) {
    return false;
  }
  Builder b(op.getContext());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[0] == AffineMap::get(3, 0, {m, k}, op.getContext()) &&
         maps[1] == AffineMap::get(3, 0, {n, k}, op.getContext());
}

bool WeightUses::Group::permuted() const {
  return llvm::any_of(parameters, [](ParameterOp parameter) {
    return parameter.getPermute().has_value();
  });
}

void WeightUses::Group::setType(Type type) {
  for (Value value : values) {
    value.setType(type);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
      function.setType(FunctionType::get(
          function.getContext(), function.front().getArgumentTypes(),
          function.getFunctionType().getResults()));
    }
  }
}

void WeightUses::Group::takeLocations(const Group &other) {
  for (auto [mine, others] : llvm::zip_equal(values, other.values)) {
    mine.setLoc(
        FusedLoc::get(mine.getContext(), {mine.getLoc(), others.getLoc()}));
  }
}

QuantizedAttr WeightUses::Group::quantized() const {
  for (ParameterOp parameter : parameters) {
    QuantizedAttr format = parameter.getQuantizedAttr();
    if (format && format.getPart() == QuantizedPart::Matrix) {
      return format;
    }
  }
  return {};
}

llvm::DenseMap<Value, Value>
WeightUses::Group::split(RankedTensorType codes, RankedTensorType scales,
                         LayoutAttrInterface layout) {
  llvm::DenseMap<Value, Value> others;
  setType(codes);
  for (ParameterOp parameter : parameters) {
    QuantizedAttr format = parameter.getQuantizedAttr();
    auto part = [&](QuantizedPart which) {
      return QuantizedAttr::get(format.getContext(), format.getBits(),
                                format.getGroup(), which);
    };
    parameter.setQuantizedAttr(part(QuantizedPart::Codes));
    if (layout) {
      parameter.setLayoutAttr(layout);
    }
    OpBuilder b(parameter->getContext());
    b.setInsertionPointAfter(parameter);
    auto other = cast<ParameterOp>(b.clone(*parameter));
    other.setQuantizedAttr(part(QuantizedPart::Scales));
    other.getResult().setType(scales);
    others[parameter.getResult()] = other.getResult();
  }
  // All arguments first: calls pass on what others received.
  SmallVector<BlockArgument> arguments;
  for (Value value : values) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
      unsigned last = function.getNumArguments();
      (void)function.insertArgument(last, scales, {}, argument.getLoc());
      others[argument] = function.getArgument(last);
      arguments.push_back(argument);
    }
  }
  for (BlockArgument argument : arguments) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    std::optional<SymbolTable::UseRange> calls = SymbolTable::getSymbolUses(
        function, function->getParentOfType<ModuleOp>());
    for (const SymbolTable::SymbolUse &use : *calls) {
      // An attribute may name the function, too.
      if (auto call = dyn_cast<func::CallOp>(use.getUser())) {
        Value passed = call.getOperand(argument.getArgNumber());
        if (Value other = others.lookup(passed)) {
          call->insertOperands(call->getNumOperands(), other);
        }
      }
    }
  }
  return others;
}

/// The argument that a use passes its value on to; none where the use is no
/// call, or the function has no body to look into.
static Value passedTo(OpOperand &use, SymbolTable &symbols) {
  auto call = dyn_cast<func::CallOp>(use.getOwner());
  auto callee =
      call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
  return callee && !callee.isExternal()
             ? callee.getArgument(use.getOperandNumber())
             : Value();
}

WeightUses::WeightUses(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::EquivalenceClasses<void *> same;
  SetVector<Value> values;
  SmallVector<Value> work;
  module.walk([&](ParameterOp op) { work.push_back(op.getResult()); });
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!values.insert(value)) {
      continue;
    }
    same.insert(value.getAsOpaquePointer());
    for (OpOperand &use : value.getUses()) {
      if (Value argument = passedTo(use, symbols)) {
        same.unionSets(value.getAsOpaquePointer(),
                       argument.getAsOpaquePointer());
        work.push_back(argument);
      }
    }
  }
  llvm::MapVector<void *, Group> groups;
  for (Value value : values) {
    Group &group = groups[same.getLeaderValue(value.getAsOpaquePointer())];
    group.values.push_back(value);
    if (auto parameter = value.getDefiningOp<ParameterOp>()) {
      group.parameters.push_back(parameter);
    }
    for (OpOperand &use : value.getUses()) {
      if (!passedTo(use, symbols)) {
        group.leaves.push_back(&use);
      }
    }
  }
  for (auto &[leader, group] : groups) {
    all.push_back(std::move(group));
  }
}

void cheems::eraseUnusedWeights(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPrivate() || function.isExternal()) {
      continue;
    }
    BitVector unused(function.getNumArguments());
    for (BlockArgument argument : function.getArguments()) {
      unused[argument.getArgNumber()] = argument.use_empty();
    }
    if (unused.none() || failed(function.eraseArguments(unused))) {
      continue;
    }
    std::optional<SymbolTable::UseRange> calls =
        SymbolTable::getSymbolUses(function, module);
    for (const SymbolTable::SymbolUse &use : *calls) {
      if (auto call = dyn_cast<func::CallOp>(use.getUser())) {
        call->eraseOperands(unused);
      }
    }
  }
  module.walk([](ParameterOp op) {
    if (op.use_empty()) {
      op.erase();
    }
  });
}
