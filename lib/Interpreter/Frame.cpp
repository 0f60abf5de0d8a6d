// Runs blocks, op by op.
#include "Frame.h"
#include "Elements.h"
#include "Handlers.h"
#include "Memory.h"
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "cheems/Reference/Linear.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace cheems::interpreter {
using namespace mlir;

/// Whether an op does with each element what it does with a number.
static bool worksByElements(Operation &op) {
  return OpTrait::hasElementwiseMappableTraits(&op) &&
         llvm::any_of(op.getOperandTypes(), llvm::IsaPred<RankedTensorType>) &&
         isa<RankedTensorType>(op.getResult(0).getType());
}

SmallVector<RuntimeValue> Frame::run(Block &block) {
  Operation *outer = current;
  SmallVector<RuntimeValue> handedOn;
  for (Operation &op : block) {
    current = &op;
    const Handlers::Handler *handler = interpreter.handlers->find(&op);
    if (!handler) {
      fail() << "cannot be interpreted";
    } else if (handler->ends) {
      for (Value operand : op.getOperands()) {
        handedOn.push_back(value(operand));
      }
    } else if (worksByElements(op)) {
      runByElements(op);
    } else {
      handler->run(&op, *this);
    }
    if (failure) {
      break;
    }
  }
  current = outer;
  return handedOn;
}

SmallVector<RuntimeValue> Frame::run(Block &block,
                                     ArrayRef<RuntimeValue> arguments) {
  for (auto [argument, given] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    set(argument, given);
  }
  return failure ? SmallVector<RuntimeValue>() : run(block);
}

Choices *Frame::choices() const { return interpreter.choices; }

const Tensor *Frame::given(const std::string &name, ArrayRef<int64_t> shape) {
  const Tensor *found = choices() ? choices()->find(name) : nullptr;
  if (found && ArrayRef<int64_t>(found->shape) != shape) {
    fail() << "is to choose '" << name << "' of shape "
           << shapeText(found->shape) << ", and chooses " << shapeText(shape);
    return nullptr;
  }
  return found;
}

InFlightDiagnostic Frame::fail() {
  failure = true;
  return current->emitOpError();
}

const RuntimeValue &Frame::value(Value of) const {
  auto found = values.find(of);
  assert(found != values.end() && "values are set before they are used");
  return found->second;
}

/// Which operand of an op a value is.
static unsigned numberOfOperand(Operation *op, Value value) {
  return llvm::find(op->getOperands(), value) - op->operand_begin();
}

const Tensor &Frame::read(Value of) {
  const Tensor &whole = tensor(of);
  auto at = llvm::find_if(whole.data, isUninitialised);
  if (at != whole.data.end() && !failure) {
    fail() << "reads element "
           << indexText(whole.shape, at - whole.data.begin()) << " of operand "
           << numberOfOperand(current, of) << ", which nothing has written";
  }
  return whole;
}

std::vector<int64_t> Frame::readIntegers(Value of) {
  const Tensor &whole = read(of);
  if (failure) {
    return std::vector<int64_t>(whole.data.size());
  }
  return {whole.data.begin(), whole.data.end()};
}

RuntimeValue Frame::element(Value of, int64_t place) {
  const Tensor &whole = tensor(of);
  double element = whole.data[place];
  if (isUninitialised(element)) {
    if (!failure) {
      fail() << "reads element " << indexText(whole.shape, place)
             << " of operand " << numberOfOperand(current, of)
             << ", which nothing has written";
    }
    element = 0;
  }
  return numberOf(element, getElementTypeOrSelf(of.getType()));
}

int64_t Frame::extent(OpFoldResult of) const {
  if (auto attribute = dyn_cast<Attribute>(of)) {
    return cast<IntegerAttr>(attribute).getInt();
  }
  return integer(cast<Value>(of));
}

SmallVector<int64_t> Frame::extents(ArrayRef<OpFoldResult> of) const {
  return llvm::map_to_vector(of,
                             [&](OpFoldResult each) { return extent(each); });
}

bool Frame::mayBe(Type type, const RuntimeValue &value) {
  if (isa<tile::BufferType, tile::TensorMapType>(type)) {
    return value.isMemory();
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped) {
    return !value.isTensor() && !value.isMemory();
  }
  if (isa<MemRefType>(type) ? !value.isMemory() : !value.isTensor()) {
    return false;
  }
  ArrayRef<int64_t> shape = value.isMemory() ? value.memory()->contents().shape
                                             : value.tensor().shape;
  return llvm::equal(shape, shaped.getShape(), [](int64_t is, int64_t says) {
    return ShapedType::isDynamic(says) || is == says;
  });
}

void Frame::set(Value of, RuntimeValue to) {
  if (!mayBe(of.getType(), to) && !failure) {
    auto error = fail();
    error << "gives ";
    if (to.isTensor() || to.isMemory()) {
      error << "the shape "
            << shapeText(to.isTensor() ? to.tensor().shape
                                       : to.memory()->contents().shape);
    } else {
      error << "a number";
    }
    error << " for the type " << of.getType();
  }
  values[of] = std::move(to);
}

static double f16(double x) {
  llvm::APFloat rounded(x);
  bool isInexact = false;
  rounded.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
                  &isInexact);
  return rounded.convertToDouble();
}

void Frame::setReal(Value of, double to) {
  set(of, of.getType().isBF16()  ? reference::bf16(to)
          : of.getType().isF16() ? f16(to)
                                 : to);
}

void Frame::runByElements(Operation &op) {
  Type element = getElementTypeOrSelf(op.getResult(0).getType());
  // The same op on numbers, of which its handler knows.
  Block numbers;
  IRMapping asNumber;
  const Tensor *shape = nullptr;
  for (Value operand : op.getOperands()) {
    asNumber.map(operand,
                 numbers.addArgument(getElementTypeOrSelf(operand.getType()),
                                     op.getLoc()));
    if (!value(operand).isTensor()) {
      continue;
    }
    const Tensor &whole = read(operand);
    if (shape && shape->shape != whole.shape && !failure) {
      fail() << "is given the shapes " << shapeText(shape->shape) << " and "
             << shapeText(whole.shape);
    }
    shape = &whole;
  }
  if (failure) {
    return;
  }
  Operation *ofNumbers = op.clone(asNumber);
  numbers.push_back(ofNumbers);
  ofNumbers->getResult(0).setType(element);
  const Handlers::Handler *handler = interpreter.handlers->find(&op);
  Frame inner(interpreter, &op);
  Tensor result(shape->shape);
  for (size_t place = 0; place < result.data.size(); ++place) {
    for (Value operand : op.getOperands()) {
      Value number = asNumber.lookup(operand);
      inner.values[number] =
          value(operand).isTensor()
              ? numberOf(tensor(operand).data[place], number.getType())
              : value(operand);
    }
    handler->run(ofNumbers, inner);
    if (inner.failed()) {
      return stop();
    }
    result.data[place] =
        elementOf(inner.value(ofNumbers->getResult(0)), element);
  }
  set(op.getResult(0), std::move(result));
}

void Frame::runIsolated(Operation *op, ArrayRef<RuntimeValue> arguments,
                        TileBlock &inGrid) {
  Frame inner(interpreter, op);
  inner.tileBlock = &inGrid;
  inner.run(op->getRegion(0).front(), arguments);
  if (inner.failed()) {
    stop();
  }
}

Operation *Frame::symbol(SymbolRefAttr name) {
  return interpreter.symbols.lookupNearestSymbolFrom(current, name);
}

SmallVector<RuntimeValue> Frame::call(func::FuncOp function,
                                      ArrayRef<RuntimeValue> arguments) {
  auto results = interpreter.call(function, arguments);
  if (llvm::failed(results)) {
    stop();
    return {};
  }
  return std::move(*results);
}

func::FuncOp Frame::function(SymbolRefAttr name) {
  auto found = dyn_cast_or_null<func::FuncOp>(symbol(name));
  if (!found) {
    fail() << "calls " << name << ", which is no function of the module";
  }
  return found;
}

const TensorView *Frame::weight(StringRef name) {
  const TensorView *found = interpreter.weights(name);
  if (!found) {
    fail() << "takes the weight '" << name
           << "', which is not there: give the model's folder as weights=DIR";
  }
  return found;
}

double Frame::elementOf(const RuntimeValue &number, Type type) {
  if (isa<FloatType>(type)) {
    return number.asReal();
  }
  constexpr int64_t kExact = int64_t(1) << 53;
  int64_t whole = number.asInteger();
  if (!failure && (whole > kExact || whole < -kExact)) {
    fail() << "cannot be interpreted: it puts " << whole
           << " into a tensor, of which only 53 bits are kept";
  }
  return static_cast<double>(whole);
}

RuntimeValue numberOf(double element, Type type) {
  if (isa<FloatType>(type)) {
    return element;
  }
  return static_cast<int64_t>(element);
}

} // namespace cheems::interpreter
