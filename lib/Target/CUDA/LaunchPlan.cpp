// Follows a module's entries and writes down what they launch.
#include "cheems/Target/CUDA/LaunchPlan.h"
#include "PlanWriter.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "cheems/artifact.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace cheems::cuda {
namespace {

/// Memory of the card as the host sees it.
struct Array {
  Place place;
  SmallVector<size_t> shape; ///< numbers of the plan
};
using Known = std::variant<Array, size_t, float>;

/// The kernels of a module in order, by name.
struct Kernels {
  llvm::StringMap<size_t> numbers;
  llvm::json::Array described;

  void add(tile::KernelOp kernel) {
    numbers.try_emplace(kernel.getSymName(), numbers.size());
    llvm::json::Object one{{"name", kernel.getSymName()},
                           {"threads", kernel.getThreads()},
                           {"shared", int64_t(kernel.getShared().value_or(0))}};
    if (kernel.getOverlaps()) {
      one["overlaps"] = true;
    }
    described.push_back(std::move(one));
  }
};

std::optional<StringRef> operationOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<StringRef>>(op)
      .Case([](arith::AddIOp) { return "add"; })
      .Case([](arith::SubIOp) { return "subtract"; })
      .Case([](arith::MulIOp) { return "multiply"; })
      .Case([](arith::DivUIOp) { return "divide"; })
      .Case([](arith::CeilDivUIOp) { return "ceildiv"; })
      .Case([](arith::MinUIOp) { return "min"; })
      .Case([](arith::MaxUIOp) { return "max"; })
      .Default(std::nullopt);
}

/// What a comparison is of: `less` or `equal`, of the operands in one order or
/// the other, or its opposite.
struct Comparison {
  StringRef operation;
  bool turns, negates;
};

std::optional<Comparison> comparisonOf(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::eq:
    return Comparison{"equal", false, false};
  case Predicate::ne:
    return Comparison{"equal", false, true};
  case Predicate::ult:
    return Comparison{"less", false, false};
  case Predicate::uge:
    return Comparison{"less", false, true};
  case Predicate::ugt:
    return Comparison{"less", true, false};
  case Predicate::ule:
    return Comparison{"less", true, true};
  default:
    return std::nullopt; // a plan has no negative numbers
  }
}

/// What an argument of an entry is: its memory, and the number of its outermost
/// extent.
struct Field {
  Place place;
  StringRef outermost;
};

std::optional<Field> fieldOf(StepField field) {
  using Kind = Place::Kind;
  switch (field) {
  case StepField::Parameters:
    return Field{{Kind::Weights}, "weights"};
  case StepField::Pools:
    return Field{{Kind::Pool}, "slots"};
  case StepField::Tokens:
    return Field{{Kind::Tokens}, "tokens"};
  case StepField::Segments:
    return Field{{Kind::Segments}, "segments"};
  case StepField::Rows:
    return Field{{Kind::Rows}, "rows"};
  case StepField::Logits:
  case StepField::StepLogits:
    return Field{{Kind::Logits}, "rows"};
  case StepField::EmbeddingRows:
    return Field{{Kind::EmbeddingRows}, "embedding_rows"};
  case StepField::Embeddings:
    return Field{{Kind::Embeddings}, "embedding_rows"};
  case StepField::TopValues:
    return Field{{Kind::TopValues}, "rows"};
  case StepField::TopTokens:
    return Field{{Kind::TopTokens}, "rows"};
  case StepField::LogSums:
    return Field{{Kind::LogSums}, "rows"};
  case StepField::Workspace: // the plan gives each buffer its place
    return std::nullopt;
  }
  llvm_unreachable("every field has its place, or none");
}

class Follower {
public:
  Follower(const Kernels &kernels) : kernels(kernels) {}

  llvm::Expected<llvm::json::Object> run(func::FuncOp entry) {
    for (BlockArgument argument : entry.getArguments()) {
      if (llvm::Error failed = takeField(entry, argument)) {
        return std::move(failed);
      }
    }
    if (llvm::Error failed = follow(entry)) {
      return std::move(failed);
    }
    return plan.finish();
  }

private:
  static llvm::Error refuse(Operation *op, StringRef why) {
    return llvm::createStringError("'" + op->getName().getStringRef() + "' " +
                                   why + " in " + placeOf(op->getLoc()));
  }

  /// An argument of an entry is a field of the step.
  llvm::Error takeField(func::FuncOp entry, BlockArgument argument) {
    std::optional<StepField> field =
        stepFieldOf(entry, argument.getArgNumber());
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!field || !type) {
      return refuse(entry, "has an argument that is no field of the step");
    }
    auto known = fieldOf(*field);
    if (!known) {
      return refuse(entry, "takes the unknown field '" +
                               stringifyStepField(*field).str() + "'");
    }
    Array array{known->place, {}};
    if (known->place.kind == Place::Kind::Pool) {
      array.place.index =
          entry.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kIndex)
              .getInt();
    }
    for (auto [dimension, extent] : llvm::enumerate(type.getShape())) {
      array.shape.push_back(!ShapedType::isDynamic(extent)
                                ? plan.constant(extent)
                            : dimension == 0 ? plan.field(known->outermost)
                                             : plan.field("capacity"));
    }
    values[argument] = std::move(array);
    return llvm::Error::success();
  }

  llvm::Error follow(func::FuncOp function) {
    for (Operation &op : function.getBody().front()) {
      if (llvm::Error failed = step(&op)) {
        return failed;
      }
    }
    return llvm::Error::success();
  }

  // What was not seen before is refused where it came from.
  const Array &array(Value value) { return std::get<Array>(values.at(value)); }
  size_t number(Value value) { return std::get<size_t>(values.at(value)); }

  llvm::Error step(Operation *op) {
    if (auto name = operationOf(op)) {
      values[op->getResult(0)] = plan.operation(
          *name, number(op->getOperand(0)), number(op->getOperand(1)));
      return llvm::Error::success();
    }
    return llvm::TypeSwitch<Operation *, llvm::Error>(op)
        .Case([&](arith::ConstantOp constant) { return take(constant); })
        .Case([&](arith::CmpIOp compare) { return take(compare); })
        .Case([&](arith::AndIOp both) { return take(both, "min"); })
        .Case([&](arith::OrIOp either) { return take(either, "max"); })
        .Case([&](arith::XOrIOp opposite) { return take(opposite); })
        .Case([&](arith::SelectOp select) { return take(select); })
        .Case([&](arith::IndexCastOp cast) {
          size_t same = number(cast.getIn());
          values[cast] = same;
          return llvm::Error::success();
        })
        .Case([&](memref::AllocOp alloc) { return take(alloc); })
        .Case([](memref::DeallocOp) { return llvm::Error::success(); })
        .Case([&](memref::DimOp dim) { return take(dim); })
        .Case([&](memref::ViewOp view) { return take(view); })
        .Case([&](memref::CastOp cast) {
          Array same = array(cast.getSource());
          values[cast] = std::move(same);
          return llvm::Error::success();
        })
        .Case([&](memref::CollapseShapeOp collapse) { return take(collapse); })
        .Case([&](memref::ExpandShapeOp expand) {
          Array reshaped{array(expand.getSrc()).place, {}};
          for (OpFoldResult extent : expand.getMixedOutputShape()) {
            auto fixed = getConstantIntValue(extent);
            reshaped.shape.push_back(fixed ? plan.constant(*fixed)
                                           : number(cast<Value>(extent)));
          }
          values[expand] = std::move(reshaped);
          return llvm::Error::success();
        })
        .Case([&](func::CallOp call) { return take(call); })
        .Case([&](MarkOp mark) {
          plan.beginPart(mark.getPart());
          return llvm::Error::success();
        })
        .Case([&](tile::LaunchOp launch) { return take(launch); })
        .Case([](func::ReturnOp) { return llvm::Error::success(); })
        .Default([](Operation *other) {
          return refuse(other, "is nothing that a plan of launches has");
        });
  }

  /// 1 for 0, and 0 for 1.
  size_t negated(size_t condition) {
    return plan.operation("subtract", plan.constant(1), condition);
  }

  /// Conditions are 0 or 1.
  llvm::Error take(arith::CmpIOp compare) {
    auto what = comparisonOf(compare.getPredicate());
    if (!what) {
      return refuse(compare, "compares numbers with a sign");
    }
    size_t a = number(compare.getLhs()), b = number(compare.getRhs());
    size_t made = plan.operation(what->operation, what->turns ? b : a,
                                 what->turns ? a : b);
    values[compare] = what->negates ? negated(made) : made;
    return llvm::Error::success();
  }

  llvm::Error take(Operation *op, StringRef ofConditions) {
    if (!op->getResult(0).getType().isInteger(1)) {
      return refuse(op, "is of other numbers than conditions");
    }
    values[op->getResult(0)] = plan.operation(
        ofConditions, number(op->getOperand(0)), number(op->getOperand(1)));
    return llvm::Error::success();
  }

  /// The opposite of a condition.
  llvm::Error take(arith::XOrIOp op) {
    size_t condition = number(op.getLhs());
    if (!op.getType().isInteger(1) || plan.valueOf(number(op.getRhs())) != 1) {
      return refuse(op, "is not the opposite of a condition");
    }
    values[op] = negated(condition);
    return llvm::Error::success();
  }

  /// Both numbers are computed, and none may be negative in any step.
  llvm::Error take(arith::SelectOp select) {
    if (!select.getType().isIndex()) {
      return refuse(select, "chooses other things than numbers");
    }
    size_t condition = number(select.getCondition());
    values[select] = plan.operation(
        "add",
        plan.operation("multiply", condition, number(select.getTrueValue())),
        plan.operation("multiply", negated(condition),
                       number(select.getFalseValue())));
    return llvm::Error::success();
  }

  llvm::Error take(arith::ConstantOp constant) {
    if (auto whole = dyn_cast<IntegerAttr>(constant.getValue())) {
      values[constant] =
          plan.constant(whole.getType().isInteger(1)
                            ? int64_t(whole.getValue().getZExtValue())
                            : whole.getInt());
    } else if (auto real = dyn_cast<FloatAttr>(constant.getValue());
               real && real.getType().isF32()) {
      values[constant] = real.getValue().convertToFloat();
    } else {
      return refuse(constant, "is neither a whole number nor f32");
    }
    return llvm::Error::success();
  }

  llvm::Error take(memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.getElementType().isIntOrFloat()) {
      return refuse(alloc, "has elements whose bits are not known");
    }
    Array made;
    size_t bytes = plan.constant(type.getElementTypeBitWidth() / 8);
    auto sizes = alloc.getDynamicSizes().begin();
    for (int64_t extent : type.getShape()) {
      size_t size = ShapedType::isDynamic(extent) ? number(*sizes++)
                                                  : plan.constant(extent);
      made.shape.push_back(size);
      bytes = plan.operation("multiply", bytes, size);
    }
    made.place = plan.area(bytes);
    values[alloc] = std::move(made);
    return llvm::Error::success();
  }

  llvm::Error take(memref::DimOp dim) {
    auto index = dim.getConstantIndex();
    if (!index) {
      return refuse(dim, "asks for an extent that is not known");
    }
    size_t extent = array(dim.getSource()).shape[size_t(*index)];
    values[dim] = extent;
    return llvm::Error::success();
  }

  /// A parameter: its offset is that in the weight section.
  llvm::Error take(memref::ViewOp view) {
    const Array &source = array(view.getSource());
    auto offset = plan.valueOf(number(view.getByteShift()));
    if (source.place.kind != Place::Kind::Weights || !offset ||
        !view.getType().hasStaticShape()) {
      return refuse(view, "is of something other than a parameter");
    }
    Array made{{Place::Kind::Weights, source.place.index + *offset}, {}};
    for (int64_t extent : view.getType().getShape()) {
      made.shape.push_back(plan.constant(extent));
    }
    values[view] = std::move(made);
    return llvm::Error::success();
  }

  llvm::Error take(memref::CollapseShapeOp collapse) {
    const Array &source = array(collapse.getSrc());
    Array made{source.place, {}};
    for (const auto &group : collapse.getReassociationIndices()) {
      size_t extent = plan.constant(1);
      for (int64_t dimension : group) {
        extent =
            plan.operation("multiply", extent, source.shape[size_t(dimension)]);
      }
      made.shape.push_back(extent);
    }
    values[collapse] = std::move(made);
    return llvm::Error::success();
  }

  /// A function may be called many times: its values are those of the call.
  llvm::Error take(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (call.getNumResults() != 0 || callee.isExternal()) {
      return refuse(call, "calls a function with results or without a body");
    }
    for (auto [argument, operand] :
         llvm::zip(callee.getArguments(), call.getOperands())) {
      Known same = values.at(operand);
      values[argument] = std::move(same);
    }
    return follow(callee);
  }

  static PlanMap mapOf(const Array &source, tile::TensorMapType type) {
    Type element = type.getElementType();
    return {source.place,
            source.shape[0],
            source.shape[1],
            element.isF32() ? "f32" : element.isBF16() ? "bf16" : "f16",
            type.getRows(),
            type.getColumns()};
  }

  llvm::Error take(tile::LaunchOp launch) {
    auto kernel = kernels.numbers.find(launch.getKernel());
    if (kernel == kernels.numbers.end()) {
      return refuse(launch, "names no kernel of the module");
    }
    SmallVector<Value> operands(launch.getInputs());
    llvm::append_range(operands, launch.getOutputs());
    // The kernel's own types say which extents are arguments.
    auto types = SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(
                     launch, launch.getKernelAttr())
                     .getArgumentTypes();
    std::vector<PlanArgument> arguments;
    using Kind = tile::KernelParameter::Kind;
    for (const tile::KernelParameter &each : tile::parametersOf(types)) {
      Value operand = operands[each.argument];
      switch (each.kind) {
      case Kind::Pointer:
        arguments.emplace_back(array(operand).place);
        break;
      case Kind::Extent:
        arguments.emplace_back(array(operand).shape[each.dimension]);
        break;
      case Kind::Index:
      case Kind::I32:
        arguments.emplace_back(number(operand));
        break;
      case Kind::TensorMap:
        arguments.emplace_back(mapOf(
            array(operand), cast<tile::TensorMapType>(types[each.argument])));
        break;
      case Kind::F32:
        arguments.emplace_back(std::get<float>(values.at(operand)));
        break;
      }
    }
    OperandRange grid = launch.getGrid();
    std::optional<size_t> when;
    if (Value condition = launch.getWhen()) {
      when = number(condition);
    }
    plan.launch(kernel->second, when,
                {number(grid[0]), number(grid[1]), number(grid[2])},
                std::move(arguments));
    return llvm::Error::success();
  }

  const Kernels &kernels;
  PlanWriter plan;
  llvm::DenseMap<Value, Known> values;
};

} // namespace

/// How many logits of a row an entry finds; nothing for steps.
static std::optional<int64_t> topLogitsOf(func::FuncOp function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (stepFieldOf(function, i) == StepField::TopValues) {
      return cast<ShapedType>(function.getArgumentTypes()[i]).getDimSize(1);
    }
  }
  return std::nullopt;
}

llvm::Expected<llvm::json::Object> describeLaunches(ModuleOp module) {
  Kernels kernels;
  for (auto kernel : module.getOps<tile::KernelOp>()) {
    kernels.add(kernel);
  }
  llvm::json::Object entries;
  llvm::json::Array topLogits;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(kEntry)) {
      continue;
    }
    auto described = Follower(kernels).run(function);
    if (!described) {
      return described.takeError();
    }
    if (auto count = topLogitsOf(function)) {
      described->try_emplace("count", *count);
      topLogits.push_back(std::move(*described));
    } else {
      entries[function->hasAttr(kMostRows) ? "decode" : "general"] =
          std::move(*described);
    }
  }
  entries["top_logits"] = std::move(topLogits);
  return llvm::json::Object{{"version", CHEEMS_LAUNCH_PLAN_VERSION},
                            {"kernels", std::move(kernels.described)},
                            {"entries", std::move(entries)}};
}

} // namespace cheems::cuda
