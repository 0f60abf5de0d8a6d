// What a function's arguments and results are called in files.
#include "StepTensors.h"
#include "Elements.h"
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "cheems/Dialect/Cheems/IR/Segments.h"
#include "cheems/Dialect/Cheems/Utils/StepFields.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace cheems::interpreter {
using namespace mlir;
/// Errors have no text of the function after them.
static InFlightDiagnostic refuse(func::FuncOp function) {
  return emitError(function.getLoc());
}

/// A tensor that a step only writes.
static bool isOutput(std::optional<StepField> field) {
  return field == StepField::Logits || field == StepField::Embeddings;
}

/// Empty, with an error, where an argument has no name.
static std::string nameOf(func::FuncOp function, unsigned i) {
  if (auto own = function.getArgAttrOfType<StringAttr>(i, kTensorName)) {
    return own.str();
  }
  std::optional<StepField> field = stepFieldOf(function, i);
  if (field && field != StepField::Pools) {
    return stringifyStepField(*field).str();
  }
  if (PoolAttr pool = poolOf(function, i)) {
    return pool.getName().str();
  }
  refuse(function)
      << "@" << function.getName() << " has argument " << i
      << (field ? ", a pool that the module's cheems.state does not name"
                : " without a cheems.field or a cheems.name, which names its "
                  "tensor");
  return "";
}

namespace {
class Arguments {
public:
  Arguments(func::FuncOp function, ArrayRef<SafeTensorsFile> files)
      : function(function), files(files), names(function.getNumArguments()),
        values(function.getNumArguments()) {}

  LogicalResult read() {
    for (unsigned i = 0; i < names.size(); ++i) {
      names[i] = nameOf(function, i);
      if (names[i].empty() || failed(readGiven(i))) {
        return failure();
      }
    }
    if (failed(checkNames())) {
      return failure();
    }
    for (unsigned i = 0; i < names.size(); ++i) {
      if (!values[i].isTensor() && failed(makeAbsent(i))) {
        return failure();
      }
    }
    return success();
  }

  SmallVector<RuntimeValue> take() { return std::move(values); }

private:
  RankedTensorType typeOf(unsigned i) {
    return dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
  }

  LogicalResult readGiven(unsigned i) {
    RankedTensorType type = typeOf(i);
    if (!type) {
      return refuse(function)
             << "@" << function.getName() << " takes "
             << function.getArgumentTypes()[i]
             << ", and only functions on tensors can be interpreted: run them "
                "before cheems-enter-buffers";
    }
    const TensorView *view = nullptr;
    for (const SafeTensorsFile &file : files) {
      const TensorView *found = file.find(names[i]);
      if (found && view) {
        return refuse(function)
               << "inputs have two tensors '" << names[i] << "': leave one out";
      }
      view = found ? found : view;
    }
    if (!view || isOutput(stepFieldOf(function, i))) { // only written
      return success();
    }
    auto tensor = readTensor(*view, type.getElementType());
    if (!tensor) {
      return refuse(function)
             << "inputs: " << llvm::toString(tensor.takeError());
    }
    if (!llvm::equal(tensor->shape, type.getShape(), isExtent)) {
      return refuse(function)
             << "inputs: tensor '" << names[i] << "' has the shape "
             << shapeText(tensor->shape) << ", and is to be " << type;
    }
    values[i] = std::move(*tensor);
    return success();
  }

  static bool isExtent(int64_t is, int64_t says) {
    return ShapedType::isDynamic(says) || is == says;
  }

  /// A name that is mistyped would be taken for absent.
  LogicalResult checkNames() {
    for (const SafeTensorsFile &file : files) {
      for (const TensorView &view : file.tensors()) {
        if (!llvm::is_contained(names, view.name)) {
          return refuse(function)
                 << "inputs: tensor '" << view.name << "' is no argument of @"
                 << function.getName() << ", which takes "
                 << llvm::join(names, ", ");
        }
      }
    }
    return success();
  }

  const Tensor *given(StepField field) {
    for (auto [i, value] : llvm::enumerate(values)) {
      if (stepFieldOf(function, unsigned(i)) == field && value.isTensor()) {
        return &value.tensor();
      }
    }
    return nullptr;
  }

  LogicalResult makeAbsent(unsigned i) {
    SmallVector<int64_t> shape(typeOf(i).getShape());
    std::optional<StepField> field = stepFieldOf(function, i);
    const Tensor *rows = given(StepField::Rows);
    if (field == StepField::Logits && rows && !shape.empty()) {
      shape[0] = ShapedType::isDynamic(shape[0]) ? rows->shape[0] : shape[0];
      values[i] = emptyTensor(shape);
      return success();
    }
    if (field == StepField::EmbeddingRows) { // no file need ask for any
      values[i] = Tensor({0});
      return success();
    }
    rows = given(StepField::EmbeddingRows);
    if (field == StepField::Embeddings && rows && !shape.empty()) {
      shape[0] = ShapedType::isDynamic(shape[0]) ? rows->shape[0] : shape[0];
      values[i] = emptyTensor(shape);
      return success();
    }
    const Tensor *segments = given(StepField::Segments);
    PoolAttr pool = poolOf(function, i);
    if (!pool || !segments) {
      return refuse(function)
             << "inputs have no tensor '" << names[i] << "', which @"
             << function.getName() << " takes as " << typeOf(i)
             << ": add it to a file of inputs";
    }
    ArrayRef<int64_t> extents = pool.getShape();
    for (auto [d, extent] : llvm::enumerate(shape)) {
      if (ShapedType::isDynamic(extent)) {
        extent = d < extents.size() && extents[d] < 0
                     ? extentOf(extents[d], *segments)
                     : 0;
      }
    }
    for (int64_t s = 0; s < segments->shape[0]; ++s) {
      if ((*segments)(s, kPosition) > 0) {
        return refuse(function)
               << "inputs have no pool '" << names[i] << "', and segment " << s
               << " goes on at a position: give the outputs of the step before";
      }
    }
    constexpr int64_t kMost = int64_t(1) << 28; // two gigabytes
    int64_t elements = 1;
    for (int64_t extent : shape) {
      if (llvm::MulOverflow(elements, extent, elements) || elements > kMost) {
        return refuse(function)
               << "inputs have no pool '" << names[i] << "', and segments need "
               << shapeText(shape) << ", which is too large: check their slots";
      }
    }
    values[i] = Tensor(shape);
    return success();
  }

  /// Slots, capacity and ring: of a pool that is given, else what segments
  /// need.
  int64_t extentOf(int64_t which, const Tensor &segments) {
    for (unsigned i = 0; i < names.size(); ++i) {
      PoolAttr pool = poolOf(function, i);
      if (!pool || !values[i].isTensor()) {
        continue;
      }
      for (auto [extent, says] :
           llvm::zip(values[i].tensor().shape, pool.getShape())) {
        if (says == which) {
          return extent;
        }
      }
    }
    const Tensor *tokens = given(StepField::Tokens);
    double rows = tokens ? static_cast<double>(tokens->shape[0]) : 0;
    int64_t slots = 0, longest = 0;
    for (int64_t s = 0; s < segments.shape[0]; ++s) {
      slots = std::max<int64_t>(slots, 1 + segments(s, kSlot));
      longest =
          std::max<int64_t>(longest, segments(s, kPosition) +
                                         std::min(segments(s, kLength), rows));
    }
    return which == PoolAttr::kSlots ? slots : longest + blockRows();
  }

  /// What is stored before it attends has to have room, too.
  int64_t blockRows() {
    int64_t most = 0;
    function->getParentOfType<ModuleOp>().walk([&](SegmentedAttentionOp op) {
      most = std::max<int64_t>(most, op.getBlock());
    });
    constexpr int64_t kBlock = 64; // the importer's, where loops have it
    return most > 0 ? most : kBlock;
  }

  func::FuncOp function;
  ArrayRef<SafeTensorsFile> files;
  std::vector<std::string> names;
  SmallVector<RuntimeValue> values;
};
} // namespace

FailureOr<SmallVector<RuntimeValue>>
readArguments(func::FuncOp function, ArrayRef<SafeTensorsFile> files) {
  Arguments arguments(function, files);
  if (failed(arguments.read())) {
    return failure();
  }
  return arguments.take();
}

/// What is written of a step is returned in order.
static SmallVector<std::string> writtenNames(func::FuncOp function) {
  SmallVector<std::string> written;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::optional<StepField> field = stepFieldOf(function, i);
    if (isOutput(field) || field == StepField::Pools) {
      written.push_back(nameOf(function, i));
    }
  }
  return written;
}

FailureOr<std::vector<NamedTensor>>
nameResults(func::FuncOp function, ArrayRef<RuntimeValue> results) {
  SmallVector<std::string> written = writtenNames(function);
  std::vector<NamedTensor> named;
  for (auto [i, result] : llvm::enumerate(results)) {
    auto own = function.getResultAttrOfType<StringAttr>(i, kTensorName);
    if (!own && i >= written.size()) {
      return refuse(function)
             << "@" << function.getName() << " has result " << i
             << " without a cheems.name, which names its tensor";
    }
    std::string name = own ? own.str() : written[i];
    Type type = function.getResultTypes()[i];
    std::optional<DType> stored = storedType(getElementTypeOrSelf(type));
    if (!result.isTensor() || !stored) {
      return refuse(function) << "@" << function.getName() << " gives " << type
                              << " as '" << name << "', which no file can hold";
    }
    const Tensor &tensor = result.tensor();
    auto unset = llvm::find_if(tensor.data, isUninitialised);
    if (unset != tensor.data.end()) {
      return refuse(function)
             << "@" << function.getName() << " gives '" << name
             << "' with element "
             << indexText(tensor.shape, unset - tensor.data.begin())
             << ", which nothing has written";
    }
    named.push_back({name, *stored, tensor});
  }
  return named;
}

} // namespace cheems::interpreter
