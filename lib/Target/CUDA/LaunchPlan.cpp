// Writes entries of the cheems_plan dialect as JSON, op by op.
#include "cheems/Target/CUDA/LaunchPlan.h"
#include "cheems/Dialect/Cheems/IR/AttributeNames.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "cheems/artifact.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace mlir;

namespace cheems::cuda {
namespace {

/// The kernels of a module in order, by name.
struct Kernels {
  llvm::StringMap<int64_t> numbers;
  llvm::json::Array described;

  explicit Kernels(ModuleOp module) {
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      numbers.try_emplace(kernel.getSymName(), int64_t(numbers.size()));
      llvm::json::Object one{
          {"name", kernel.getSymName()},
          {"threads", kernel.getThreads()},
          {"shared", int64_t(kernel.getShared().value_or(0))}};
      if (kernel.getOverlaps()) {
        one["overlaps"] = true;
      }
      described.push_back(std::move(one));
    }
  }
};

/// What plans may take. A module that is no model does not say how much it has.
struct Limits {
  int64_t weightBytes = INT64_MAX, pools = INT64_MAX;

  explicit Limits(ModuleOp module) {
    if (auto bytes = module->getAttrOfType<IntegerAttr>(kParameterBytes)) {
      weightBytes = bytes.getInt();
    }
    if (auto state = module->getAttrOfType<ArrayAttr>(kState)) {
      pools = int64_t(state.size());
    }
  }
};

/// What an op of two numbers is called.
std::optional<StringRef> operationOf(Operation *op) {
  using Predicate = arith::CmpIPredicate;
  return llvm::TypeSwitch<Operation *, std::optional<StringRef>>(op)
      .Case([](arith::AddIOp) { return "add"; })
      .Case([](arith::SubIOp) { return "subtract"; })
      .Case([](arith::MulIOp) { return "multiply"; })
      .Case([](arith::DivUIOp) { return "divide"; })
      .Case([](arith::CeilDivUIOp) { return "ceildiv"; })
      .Case([](arith::MinUIOp) { return "min"; })
      .Case([](arith::MaxUIOp) { return "max"; })
      .Case([](arith::CmpIOp compare) -> std::optional<StringRef> {
        Predicate predicate = compare.getPredicate();
        return predicate == Predicate::eq    ? std::optional("equal")
               : predicate == Predicate::ult ? std::optional("less")
                                             : std::nullopt;
      })
      // Conditions are 0 or 1.
      .Case([](arith::AndIOp) { return "min"; })
      .Case([](arith::OrIOp) { return "max"; })
      .Default(std::nullopt);
}

/// Whether a cast leaves each number of a plan as it is.
bool keepsNumbers(Operation *cast) {
  Type from = cast->getOperand(0).getType(), to = cast->getResult(0).getType();
  if (from.isInteger(1)) {
    return isa<arith::IndexCastUIOp>(cast); // with a sign, true is -1
  }
  Type other = from.isIndex() ? to : from;
  return other.isInteger(32) || other.isInteger(64);
}

StringRef nameOf(Type element) {
  return element.isF32() ? "f32" : element.isBF16() ? "bf16" : "f16";
}

class EntryWriter {
public:
  EntryWriter(const Kernels &kernels, const Limits &limits)
      : kernels(kernels), limits(limits) {}

  static llvm::Error refuse(Operation *op, const Twine &why) {
    return llvm::createStringError("'" + op->getName().getStringRef() + "' " +
                                   why + " in " + placeOf(op->getLoc()));
  }

  llvm::Expected<llvm::json::Object> run(plan::EntryOp entry) {
    for (Operation &op : entry.getBody().front()) {
      if (llvm::Error failed = write(&op)) {
        return std::move(failed);
      }
    }
    return llvm::json::Object{{"numbers", std::move(numbers)},
                              {"areas", std::move(areas)},
                              {"parts", std::move(parts)},
                              {"launches", std::move(launches)}};
  }

private:
  llvm::Error write(Operation *op) {
    if (llvm::Error failed = checkOperands(op)) {
      return failed;
    }
    if (auto name = operationOf(op)) {
      return write(op, *name);
    }
    return llvm::TypeSwitch<Operation *, llvm::Error>(op)
        .Case<arith::ConstantOp, arith::XOrIOp, plan::LaunchOp, plan::PoolOp,
              plan::WeightsOp, plan::WhenOp>(
            [&](auto known) { return write(known); })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto cast) {
          return keepsNumbers(cast)
                     ? argument(cast, of(cast.getIn()))
                     : refuse(cast, llvm::formatv(
                                        "from {0} to {1} may change the "
                                        "number, and a plan's JSON has no "
                                        "such cast",
                                        cast.getIn().getType(), cast.getType())
                                        .str());
        })
        .Case([&](plan::SizeOp size) {
          return number(size, stringifyStepSize(size.getSize()));
        })
        .Case([&](plan::FieldOp field) {
          return argument(
              field, llvm::json::Array{stringifyStepField(field.getField())});
        })
        .Case([&](plan::AreaOp area) {
          areas.push_back(of(area.getBytes()));
          return argument(area,
                          llvm::json::Array{"area", int64_t(areas.size()) - 1});
        })
        .Case([&](plan::TensorMapOp map) {
          tile::TensorMapType type = map.getType();
          return argument(
              map, llvm::json::Array{"map", of(map.getAddress()),
                                     of(map.getRows()), of(map.getColumns()),
                                     nameOf(type.getElementType()),
                                     type.getRows(), type.getColumns()});
        })
        .Case([&](plan::PartOp part) {
          parts.push_back(part.getPart());
          return llvm::Error::success();
        })
        .Default([](Operation *other) {
          return refuse(other, "has no form in a plan's JSON; "
                               "cheems-plan-expand-numbers gives it to "
                               "numbers without a sign");
        });
  }

  /// Each operand has a form, because what has none was refused where it
  /// stands; the verifier refuses arguments of blocks.
  llvm::Error checkOperands(Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!forms.contains(operand)) {
        return refuse(op, "takes what no op of its entry makes");
      }
    }
    return llvm::Error::success();
  }

  /// An op of two numbers. They have no end in a plan, so narrow ones, which
  /// wrap around, have no form.
  llvm::Error write(Operation *op, StringRef name) {
    Type type = op->getOperand(0).getType();
    bool ofConditions = isa<arith::AndIOp, arith::OrIOp>(op);
    if (ofConditions ? !type.isInteger(1) : !type.isIndex()) {
      return refuse(op, llvm::formatv("is of {0}, and a plan's JSON has it of "
                                      "{1} alone",
                                      type, ofConditions ? "i1" : "index")
                            .str());
    }
    APInt divisor;
    if (isa<arith::DivUIOp, arith::CeilDivUIOp>(op) &&
        !(matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
          divisor.isStrictlyPositive())) {
      return refuse(op, "divides by what is no positive constant");
    }
    return number(
        op->getResult(0),
        llvm::json::Array{name, of(op->getOperand(0)), of(op->getOperand(1))});
  }

  llvm::Error write(plan::WeightsOp weights) {
    int64_t offset = int64_t(weights.getOffset());
    if (offset >= limits.weightBytes) {
      return refuse(weights, "begins at byte " + Twine(offset) +
                                 ", but the module's weights have " +
                                 Twine(limits.weightBytes) + " bytes");
    }
    return argument(weights, llvm::json::Array{"weights", offset});
  }

  llvm::Error write(plan::PoolOp pool) {
    int64_t index = int64_t(pool.getIndex());
    if (index >= limits.pools) {
      return refuse(pool, "is pool " + Twine(index) + ", but the module has " +
                              Twine(limits.pools) + " pools");
    }
    return argument(pool, llvm::json::Array{"pool", index});
  }

  llvm::Error write(arith::ConstantOp constant) {
    if (auto real = dyn_cast<FloatAttr>(constant.getValue());
        real && real.getType().isF32()) {
      if (!real.getValue().isFinite()) {
        return refuse(constant, "is not finite, and JSON has no form for it");
      }
      return argument(
          constant,
          llvm::json::Array{"f32", double(real.getValue().convertToFloat())});
    }
    auto whole = dyn_cast<IntegerAttr>(constant.getValue());
    if (!whole) {
      return refuse(constant, "is neither a whole number nor f32");
    }
    if (whole.getValue().getBitWidth() > 64) {
      return refuse(constant, "has more than 64 bits");
    }
    int64_t value = whole.getType().isInteger(1)
                        ? int64_t(whole.getValue().getZExtValue())
                        : whole.getValue().getSExtValue();
    return value < 0 ? refuse(constant, "is negative, and numbers of a plan "
                                        "are not")
                     : number(constant, value);
  }

  /// The opposite of a condition.
  llvm::Error write(arith::XOrIOp op) {
    if (!op.getType().isInteger(1) || !matchPattern(op.getRhs(), m_One())) {
      return refuse(op, "is not the opposite of a condition");
    }
    return number(
        op, llvm::json::Array{"subtract", of(op.getRhs()), of(op.getLhs())});
  }

  llvm::Error write(plan::WhenOp when) {
    for (auto launch : when.getBody().getOps<plan::LaunchOp>()) {
      if (llvm::Error failed = checkOperands(launch)) {
        return failed;
      }
      if (llvm::Error failed = write(launch, when.getCondition())) {
        return failed;
      }
    }
    return llvm::Error::success();
  }

  llvm::Error write(plan::LaunchOp launch, Value condition = {}) {
    auto kernel = kernels.numbers.find(launch.getKernel());
    if (kernel == kernels.numbers.end()) {
      return refuse(launch, "names no kernel of tiles of the module");
    }
    llvm::json::Array arguments;
    for (Value each : launch.getArguments()) {
      arguments.push_back(of(each));
    }
    llvm::json::Object made{
        {"kernel", kernel->second},
        {"grid", llvm::json::Array{of(launch.getGridX()), of(launch.getGridY()),
                                   of(launch.getGridZ())}},
        {"arguments", std::move(arguments)}};
    if (condition) {
      made["when"] = of(condition);
    }
    if (!parts.empty()) {
      made["part"] = int64_t(parts.size()) - 1;
    }
    launches.push_back(std::move(made));
    return llvm::Error::success();
  }

  /// The next number of the plan.
  llvm::Error number(Value value, llvm::json::Value described) {
    numbers.push_back(std::move(described));
    return argument(value, int64_t(numbers.size()) - 1);
  }

  /// What stands where `value` is used.
  llvm::Error argument(Value value, llvm::json::Value described) {
    forms.try_emplace(value, std::move(described));
    return llvm::Error::success();
  }

  /// Returns the form of an operand of an op that is checked.
  const llvm::json::Value &of(Value value) { return forms.find(value)->second; }

  const Kernels &kernels;
  const Limits &limits;
  llvm::json::Array numbers, areas, parts, launches;
  llvm::DenseMap<Value, llvm::json::Value> forms;
};

} // namespace

llvm::Expected<std::string> writePlan(ModuleOp module, bool inLines) {
  Kernels kernels(module);
  Limits limits(module);
  llvm::json::Object entries;
  std::map<int64_t, llvm::json::Object> topLogits; // by count, ascending
  for (auto entry : module.getOps<plan::EntryOp>()) {
    auto described = EntryWriter(kernels, limits).run(entry);
    if (!described) {
      return described.takeError();
    }
    StringRef kind = stringifyEntryKind(entry.getKind());
    if (entry.getKind() == plan::EntryKind::TopLogits) {
      int64_t count = int64_t(*entry.getCount());
      described->try_emplace("count", count);
      if (!topLogits.try_emplace(count, std::move(*described)).second) {
        return EntryWriter::refuse(entry, "is the second one of the kind " +
                                              kind + "(" + Twine(count) + ")");
      }
    } else if (!entries.try_emplace(kind, std::move(*described)).second) {
      return EntryWriter::refuse(entry,
                                 "is the second one of the kind " + kind);
    }
  }
  for (StringRef needed : {"general", "decode"}) {
    if (!entries.get(needed)) {
      return EntryWriter::refuse(
          module, "has no entry of the kind " + needed +
                      ", and the runtime reads no plan without one,");
    }
  }
  llvm::json::Array best;
  for (auto &[count, described] : topLogits) {
    best.push_back(std::move(described));
  }
  entries["top_logits"] = std::move(best);
  llvm::json::Object plan{{"version", CHEEMS_LAUNCH_PLAN_VERSION},
                          {"kernels", std::move(kernels.described)},
                          {"entries", std::move(entries)}};
  return llvm::formatv(inLines ? "{0:2}\n" : "{0}",
                       llvm::json::Value(std::move(plan)))
      .str();
}

} // namespace cheems::cuda
