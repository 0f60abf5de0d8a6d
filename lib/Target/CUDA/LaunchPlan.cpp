// Writes entries of the cheems_plan dialect as JSON, op by op.
#include "cheems/Target/CUDA/LaunchPlan.h"
#include "cheems/Dialect/Cheems/Utils/Locations.h"
#include "cheems/Dialect/CheemsPlan/IR/CheemsPlanDialect.h"
#include "cheems/artifact.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

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

/// What an op of two numbers is called.
std::optional<StringRef> operationOf(Operation *op) {
  using Predicate = arith::CmpIPredicate;
  bool ofConditions =
      op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1);
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
      .Case([&](arith::AndIOp) {
        return ofConditions ? std::optional("min") : std::nullopt;
      })
      .Case([&](arith::OrIOp) {
        return ofConditions ? std::optional("max") : std::nullopt;
      })
      .Default(std::nullopt);
}

StringRef nameOf(Type element) {
  return element.isF32() ? "f32" : element.isBF16() ? "bf16" : "f16";
}

class EntryWriter {
public:
  explicit EntryWriter(const Kernels &kernels) : kernels(kernels) {}

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
    if (auto name = operationOf(op)) {
      return number(op->getResult(0),
                    llvm::json::Array{*name, of(op->getOperand(0)),
                                      of(op->getOperand(1))});
    }
    return llvm::TypeSwitch<Operation *, llvm::Error>(op)
        .Case<arith::ConstantOp, arith::XOrIOp, plan::LaunchOp, plan::WhenOp>(
            [&](auto known) { return write(known); })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto cast) {
          return argument(cast, of(cast.getIn())); // the same number
        })
        .Case([&](plan::SizeOp size) {
          return number(size, stringifyStepSize(size.getSize()));
        })
        .Case([&](plan::FieldOp field) {
          return argument(
              field, llvm::json::Array{stringifyStepField(field.getField())});
        })
        .Case([&](plan::WeightsOp weights) {
          return argument(
              weights,
              llvm::json::Array{"weights", int64_t(weights.getOffset())});
        })
        .Case([&](plan::PoolOp pool) {
          return argument(pool,
                          llvm::json::Array{"pool", int64_t(pool.getIndex())});
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

  llvm::Error write(arith::ConstantOp constant) {
    if (auto real = dyn_cast<FloatAttr>(constant.getValue());
        real && real.getType().isF32()) {
      return argument(
          constant,
          llvm::json::Array{"f32", double(real.getValue().convertToFloat())});
    }
    auto whole = dyn_cast<IntegerAttr>(constant.getValue());
    if (!whole) {
      return refuse(constant, "is neither a whole number nor f32");
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

  // What was not written before is refused where it stands.
  const llvm::json::Value &of(Value value) { return forms.find(value)->second; }

  const Kernels &kernels;
  llvm::json::Array numbers, areas, parts, launches;
  llvm::DenseMap<Value, llvm::json::Value> forms;
};

} // namespace

llvm::Expected<std::string> writePlan(ModuleOp module, bool inLines) {
  Kernels kernels(module);
  llvm::json::Object entries;
  llvm::json::Array topLogits;
  for (auto entry : module.getOps<plan::EntryOp>()) {
    auto described = EntryWriter(kernels).run(entry);
    if (!described) {
      return described.takeError();
    }
    StringRef kind = stringifyEntryKind(entry.getKind());
    if (entry.getKind() == plan::EntryKind::TopLogits) {
      described->try_emplace("count", int64_t(*entry.getCount()));
      topLogits.push_back(std::move(*described));
    } else if (!entries.try_emplace(kind, std::move(*described)).second) {
      return EntryWriter::refuse(entry,
                                 "is the second one of the kind " + kind);
    }
  }
  entries["top_logits"] = std::move(topLogits);
  llvm::json::Object plan{{"version", CHEEMS_LAUNCH_PLAN_VERSION},
                          {"kernels", std::move(kernels.described)},
                          {"entries", std::move(entries)}};
  return llvm::formatv(inLines ? "{0:2}\n" : "{0}",
                       llvm::json::Value(std::move(plan)))
      .str();
}

} // namespace cheems::cuda
