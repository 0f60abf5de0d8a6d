// Registration of the cheems_cpu dialect and its attributes.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Dialect/Cheems/IR/OpUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.cpp.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUEnums.cpp.inc"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.cpp.inc"

/// One block that yields its only argument.
static bool isIdentity(Region &epilogue) {
  if (!epilogue.hasOneBlock()) {
    return false;
  }
  Block &block = epilogue.front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.front());
  return yield && block.getNumArguments() == 1 &&
         yield.getValue() == block.getArgument(0);
}

/// Builds `epilogue`, by default the identity.
static void buildEpilogue(OpBuilder &b, Location loc, Region *epilogue,
                          size_t arguments, EpilogueBuilder body) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(arguments, b.getF32Type());
  Block *block =
      b.createBlock(epilogue, {}, types, SmallVector<Location>(arguments, loc));
  YieldOp::create(b, loc,
                  body ? body(b, block->getArguments())
                       : Value(block->getArgument(0)));
}

/// `operands : types` without brackets, where the operand at `optional` may be
/// missing.
static ParseResult
parseInputs(OpAsmParser &parser,
            ArrayRef<OpAsmParser::UnresolvedOperand *> operands,
            std::optional<OpAsmParser::UnresolvedOperand> &given,
            ArrayRef<Type *> types, Type &givenType, size_t optional) {
  SmallVector<OpAsmParser::UnresolvedOperand> read;
  SmallVector<Type> readTypes;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(read) || parser.parseColonTypeList(readTypes)) {
    return failure();
  }
  bool all = read.size() == operands.size() + 1;
  if (!all && read.size() != operands.size()) {
    return parser.emitError(place) << "expected " << operands.size() << " or "
                                   << operands.size() + 1 << " operands";
  }
  if (read.size() != readTypes.size()) {
    return parser.emitError(place)
           << read.size() << " operands have " << readTypes.size() << " types";
  }
  if (all) {
    given = read[optional];
    givenType = readTypes[optional];
    read.erase(read.begin() + optional);
    readTypes.erase(readTypes.begin() + optional);
  }
  for (size_t i = 0; i < read.size(); ++i) {
    *operands[i] = read[i];
    *types[i] = readTypes[i];
  }
  return success();
}

static void printInputs(OpAsmPrinter &printer, ArrayRef<Value> operands) {
  SmallVector<Value> given(operands);
  llvm::erase(given, Value());
  printer << given << " : " << TypeRange(ValueRange(given));
}

/// What attention reads beside numbers that may be missing; the mask may, too.
static ParseResult
parseAttentionInputs(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &query,
                     OpAsmParser::UnresolvedOperand &keys,
                     OpAsmParser::UnresolvedOperand &values,
                     std::optional<OpAsmParser::UnresolvedOperand> &mask,
                     OpAsmParser::UnresolvedOperand &first, Type &queryType,
                     Type &keysType, Type &valuesType, Type &maskType,
                     Type &firstType) {
  return parseInputs(parser, {&query, &keys, &values, &first}, mask,
                     {&queryType, &keysType, &valuesType, &firstType}, maskType,
                     /*optional=*/3);
}

static void printAttentionInputs(OpAsmPrinter &printer, Operation *,
                                 Value query, Value keys, Value values,
                                 Value mask, Value first, Type, Type, Type,
                                 Type, Type) {
  printInputs(printer, {query, keys, values, mask, first});
}

/// The same of a block of entries.
static ParseResult
parseBlockInputs(OpAsmParser &parser, OpAsmParser::UnresolvedOperand &query,
                 OpAsmParser::UnresolvedOperand &keys,
                 OpAsmParser::UnresolvedOperand &values,
                 std::optional<OpAsmParser::UnresolvedOperand> &mask,
                 OpAsmParser::UnresolvedOperand &first,
                 OpAsmParser::UnresolvedOperand &from, Type &queryType,
                 Type &keysType, Type &valuesType, Type &maskType,
                 Type &firstType, Type &fromType) {
  return parseInputs(
      parser, {&query, &keys, &values, &first, &from}, mask,
      {&queryType, &keysType, &valuesType, &firstType, &fromType}, maskType,
      /*optional=*/3);
}

static void printBlockInputs(OpAsmPrinter &printer, Operation *, Value query,
                             Value keys, Value values, Value mask, Value first,
                             Value from, Type, Type, Type, Type, Type, Type) {
  printInputs(printer, {query, keys, values, mask, first, from});
}

/// outs(%y : type), and the epilogue unless it is the identity.
static ParseResult parseDestination(OpAsmParser &parser,
                                    OpAsmParser::UnresolvedOperand &y,
                                    Type &type, Region &epilogue) {
  if (parser.parseKeyword("outs") || parser.parseLParen() ||
      parser.parseOperand(y) || parser.parseColonType(type) ||
      parser.parseRParen()) {
    return failure();
  }
  OptionalParseResult given = parser.parseOptionalRegion(epilogue);
  if (given.has_value()) {
    return *given;
  }
  OpBuilder b(parser.getContext());
  buildEpilogue(b, parser.getEncodedSourceLoc(parser.getNameLoc()), &epilogue,
                /*arguments=*/1, nullptr);
  return success();
}

static void printDestination(OpAsmPrinter &printer, Operation *, Value y,
                             Type type, Region &epilogue) {
  printer << "outs(" << y << " : " << type << ")";
  if (!isIdentity(epilogue)) {
    printer << ' ';
    printer.printRegion(epilogue);
  }
}

#define GET_OP_CLASSES
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.cpp.inc"

bool LinearOp::hasIdentityEpilogue() { return isIdentity(getEpilogue()); }
bool ColumnEpilogueOp::hasIdentityEpilogue() {
  return isIdentity(getEpilogue());
}

void LinearOp::build(OpBuilder &b, OperationState &state, TypeRange results,
                     Value x, ValueRange weights, IntegerAttr bits,
                     ValueRange scales, ValueRange with, Value y,
                     EpilogueBuilder epilogue) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.bits = bits;
  auto &segments = properties.operandSegmentSizes;
  size_t at = 0;
  for (ValueRange part :
       {ValueRange(x), weights, scales, with, ValueRange(y)}) {
    state.addOperands(part);
    segments[at++] = static_cast<int32_t>(part.size());
  }
  state.addTypes(results);
  buildEpilogue(b, state.location, state.addRegion(),
                weights.size() + with.size(), epilogue);
}

void ColumnEpilogueOp::build(OpBuilder &b, OperationState &state,
                             TypeRange results, IntegerAttr rotated,
                             DenseI64ArrayAttr mapped, Value at, Value cosine,
                             Value sine, ValueRange with, Value y,
                             EpilogueBuilder epilogue) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.rotated = rotated;
  properties.mapped = mapped;
  size_t segment = 0;
  auto add = [&](ValueRange part) {
    state.addOperands(part);
    properties.operandSegmentSizes[segment++] =
        static_cast<int32_t>(part.size());
  };
  for (Value optional : {at, cosine, sine}) {
    add(optional ? ValueRange(optional) : ValueRange());
  }
  add(with);
  add(y);
  state.addTypes(results);
  buildEpilogue(b, state.location, state.addRegion(), 1 + with.size(),
                epilogue);
}

Value cheems::cpu::cloneEpilogue(OpBuilder &b, Region &epilogue,
                                 ValueRange arguments) {
  Block &block = epilogue.front();
  IRMapping map;
  map.map(block.getArguments(), arguments);
  for (Operation &inner : block.without_terminator()) {
    b.clone(inner, map);
  }
  return map.lookupOrDefault(cast<YieldOp>(block.back()).getValue());
}

void CheemsCPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUOps.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t lanes, int64_t registers,
                                 MatmulUnit products) {
  if (lanes != 1 && lanes != 8 && lanes != 16) {
    return emitError() << "registers have 8 or 16 lanes, or 1 for plain loops, "
                          "not "
                       << lanes;
  }
  if (registers != 16 && registers != 32) {
    return emitError() << "there are 16 or 32 registers, not " << registers;
  }
  return success();
}

StringRef TargetAttr::getBackend() const { return "cpu"; }

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows, int64_t pair) {
  if (rows < 1 || pair < 1) {
    return emitError() << "panels need at least one row and one element, got <"
                       << rows << ", " << pair << ">";
  }
  return success();
}

/// Integers and scales are as `#cheems.quantized` says.
bool PanelsAttr::mayHave(ArrayRef<int64_t> shape, bool stacked,
                         Attribute quantized) const {
  if (auto format = dyn_cast_or_null<QuantizedAttr>(quantized)) {
    size_t rank = format.getPart() == QuantizedPart::Codes ? 4 : 3;
    return format.getPart() != QuantizedPart::Matrix && shape.size() == rank &&
           shape[2] == getRows();
  }
  return (stacked ? shape.size() >= 4 : shape.size() == 4) &&
         shape.take_back(2) == ArrayRef<int64_t>{getRows(), getPair()};
}

int64_t PanelsAttr::getFurtherDimensions() const { return 2; }
