// Follows a function that launches kernels, on the card.
#include "LaunchPlan.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>
#include <memory>

using namespace mlir;

namespace cheems::test {
namespace {

/// A dense array on the card.
struct Memory {
  std::shared_ptr<CardMemory> place;
  llvm::SmallVector<int64_t> shape;
};

int64_t bytesOf(const Memory &memory, Type type) {
  auto bytes = static_cast<int64_t>(
      sizeOf(numberOf(cast<MemRefType>(type).getElementType())));
  for (int64_t extent : memory.shape) {
    bytes *= extent;
  }
  return bytes;
}

template <typename Value> std::vector<std::byte> bits(Value value) {
  std::vector<std::byte> result(sizeof(value));
  std::memcpy(result.data(), &value, sizeof(value));
  return result;
}

[[noreturn]] void refuse(Operation *op, const std::string &why) {
  throw CardError("'" + op->getName().getStringRef().str() + "' " + why);
}

class Plan {
public:
  Plan(func::FuncOp function, const std::string &ptx)
      : function(function), ptx(ptx) {}

  std::vector<Array> run(llvm::ArrayRef<Argument> arguments) {
    if (arguments.size() != function.getNumArguments()) {
      refuse(function, "takes another number of arguments");
    }
    for (auto [value, argument] :
         llvm::zip(function.getArguments(), arguments)) {
      take(value, argument);
    }
    for (Operation &op : function.getBody().front()) {
      step(&op);
    }
    for (auto [value, argument] :
         llvm::zip(function.getArguments(), arguments)) {
      if (auto *const *array = std::get_if<Array *>(&argument)) {
        Card::get().read((*array)->bytes().data(),
                         memories.at(value).place->address(),
                         (*array)->bytes().size());
      }
    }
    return std::move(results);
  }

private:
  void take(Value value, const Argument &argument) {
    Type type = value.getType();
    if (auto *const *given = std::get_if<Array *>(&argument)) {
      Array &array = **given;
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref || numberOf(memref.getElementType()) != array.number() ||
          failed(verifyCompatibleShape(memref.getShape(), array.shape()))) {
        refuse(function, "is given an array of another type or shape");
      }
      Memory memory{std::make_shared<CardMemory>(array.bytes().size()),
                    llvm::SmallVector<int64_t>(array.shape())};
      Card::get().write(memory.place->address(), array.bytes().data(),
                        array.bytes().size());
      memories[value] = memory;
    } else if (const auto *whole = std::get_if<int64_t>(&argument)) {
      numbers[value] = IntegerAttr::get(type, *whole);
    } else {
      numbers[value] = FloatAttr::get(type, std::get<float>(argument));
    }
  }

  int64_t whole(Value value) {
    auto found = numbers.find(value);
    if (found == numbers.end()) {
      throw CardError("a plan has a number that it does not compute");
    }
    return cast<IntegerAttr>(found->second).getInt();
  }

  void step(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tile::LaunchOp launch) { run(launch); })
        .Case([&](memref::AllocOp alloc) {
          Memory memory;
          auto sizes = alloc.getDynamicSizes().begin();
          for (int64_t extent : alloc.getType().getShape()) {
            memory.shape.push_back(
                ShapedType::isDynamic(extent) ? whole(*sizes++) : extent);
          }
          memory.place = std::make_shared<CardMemory>(
              static_cast<size_t>(bytesOf(memory, alloc.getType())));
          memories[alloc] = memory;
        })
        .Case([](memref::DeallocOp) {}) // memory goes with the plan
        .Case([&](memref::CastOp cast) {
          memories[cast] = memories.at(cast.getSource());
        })
        .Case([&](memref::DimOp dim) {
          const Memory &memory = memories.at(dim.getSource());
          int64_t extent =
              memory.shape[static_cast<size_t>(whole(dim.getIndex()))];
          numbers[dim] = IntegerAttr::get(dim.getType(), extent);
        })
        .Case([&](memref::CollapseShapeOp collapse) {
          Memory memory = memories.at(collapse.getSrc());
          llvm::SmallVector<int64_t> shape;
          for (const auto &group : collapse.getReassociationIndices()) {
            shape.push_back(1);
            for (int64_t dimension : group) {
              shape.back() *= memory.shape[static_cast<size_t>(dimension)];
            }
          }
          memory.shape = shape;
          memories[collapse] = memory;
        })
        .Case([&](memref::ExpandShapeOp expand) {
          Memory memory = memories.at(expand.getSrc());
          memory.shape.clear();
          for (OpFoldResult extent : expand.getMixedOutputShape()) {
            memory.shape.push_back(
                isa<Attribute>(extent)
                    ? cast<IntegerAttr>(cast<Attribute>(extent)).getInt()
                    : whole(cast<Value>(extent)));
          }
          memories[expand] = memory;
        })
        .Case([&](memref::CopyOp copy) {
          const Memory &from = memories.at(copy.getSource());
          std::vector<char> bytes(
              static_cast<size_t>(bytesOf(from, copy.getSource().getType())));
          Card::get().read(bytes.data(), from.place->address(), bytes.size());
          Card::get().write(memories.at(copy.getTarget()).place->address(),
                            bytes.data(), bytes.size());
        })
        .Case([&](func::ReturnOp end) {
          for (Value value : end.getOperands()) {
            const Memory &memory = memories.at(value);
            auto type = cast<MemRefType>(value.getType());
            Array array(numberOf(type.getElementType()), memory.shape);
            Card::get().read(array.bytes().data(), memory.place->address(),
                             array.bytes().size());
            results.push_back(std::move(array));
          }
        })
        .Default([&](Operation *op) { fold(op); });
  }

  /// Numbers that a grid is computed from.
  void fold(Operation *op) {
    llvm::SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(numbers.lookup(operand));
    }
    llvm::SmallVector<OpFoldResult> values;
    if (failed(op->fold(operands, values)) ||
        values.size() != op->getNumResults()) {
      refuse(op, "is no op of a plan");
    }
    for (auto [result, value] : llvm::zip(op->getResults(), values)) {
      numbers[result] = isa<Attribute>(value) ? cast<Attribute>(value)
                                              : numbers.at(cast<Value>(value));
    }
  }

  void run(tile::LaunchOp op) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(
        op, op.getKernelAttr());
    llvm::SmallVector<Value> operands(op.getInputs());
    llvm::append_range(operands, op.getOutputs());
    Card::Launch launch;
    launch.kernel = op.getKernel().str();
    launch.threads = static_cast<uint32_t>(kernel.getThreads());
    launch.shared = static_cast<uint32_t>(kernel.getShared().value_or(0));
    for (auto [extent, value] : llvm::zip(launch.grid, op.getGrid())) {
      extent = static_cast<uint32_t>(whole(value));
    }
    Value condition = op.getWhen();
    if (llvm::is_contained(launch.grid, 0U) ||
        (condition && whole(condition) == 0)) {
      return;
    }
    using Kind = tile::KernelParameter::Kind;
    for (const auto &parameter :
         tile::parametersOf(kernel.getArgumentTypes())) {
      Value operand = operands[parameter.argument];
      switch (parameter.kind) {
      case Kind::Pointer:
        launch.parameters.push_back(
            bits(memories.at(operand).place->address()));
        break;
      case Kind::Extent:
        launch.parameters.push_back(bits(static_cast<uint32_t>(
            memories.at(operand).shape[parameter.dimension])));
        break;
      case Kind::Index:
      case Kind::I32:
        launch.parameters.push_back(bits(static_cast<int32_t>(whole(operand))));
        break;
      case Kind::TensorMap: {
        auto type = cast<tile::TensorMapType>(
            kernel.getArgumentTypes()[parameter.argument]);
        const Memory &memory = memories.at(operand);
        using Element = Card::Matrix::Element;
        Type number = type.getElementType();
        launch.parameters.push_back(Card::get().tensorMap(
            {memory.place->address(), static_cast<uint64_t>(memory.shape[0]),
             static_cast<uint64_t>(memory.shape[1]),
             number.isF32()    ? Element::f32
             : number.isBF16() ? Element::bf16
                               : Element::f16,
             static_cast<uint32_t>(type.getRows()),
             static_cast<uint32_t>(type.getColumns())}));
        break;
      }
      case Kind::F32:
        launch.parameters.push_back(bits(
            cast<FloatAttr>(numbers.at(operand)).getValue().convertToFloat()));
        break;
      }
    }
    Card::get().launch(ptx, launch);
  }

  func::FuncOp function;
  const std::string &ptx;
  std::vector<Array> results;
  llvm::DenseMap<Value, Memory> memories;
  llvm::DenseMap<Value, Attribute> numbers;
};

} // namespace

std::vector<Array> runPlan(func::FuncOp function, const std::string &ptx,
                           llvm::ArrayRef<Argument> arguments) {
  return Plan(function, ptx).run(arguments);
}

} // namespace cheems::test
