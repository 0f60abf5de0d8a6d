// Kernels and launches: their text, their verifiers, and what launches touch.
#include "cheems/Dialect/CheemsTile/IR/CheemsTileDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems::tile;

void KernelOp::build(OpBuilder &b, OperationState &state, StringRef name,
                     TypeRange arguments, int64_t warps) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = b.getStringAttr(name);
  properties.function_type = TypeAttr::get(b.getFunctionType(arguments, {}));
  properties.warps = b.getI64IntegerAttr(warps);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(state.addRegion(), {}, arguments,
                SmallVector<Location>(arguments.size(), state.location));
}

/// keyword(number)
static ParseResult parseCount(OpAsmParser &parser, IntegerAttr &count) {
  int64_t value = 0;
  if (parser.parseLParen() || parser.parseInteger(value) ||
      parser.parseRParen()) {
    return failure();
  }
  count = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

/// private @name(%argument: type, ...) warps(n) fillers(n) shared(bytes)
/// overlaps attributes {} { body }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> results;
  SmallVector<DictionaryAttr> resultAttributes;
  bool variadic = false;
  (void)impl::parseOptionalVisibilityKeyword(parser, state.attributes);
  if (parser.parseSymbolName(properties.sym_name) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, variadic, results,
          resultAttributes) ||
      parser.parseKeyword("warps") || parseCount(parser, properties.warps)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("fillers")) &&
      parseCount(parser, properties.fillers)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("shared")) &&
      parseCount(parser, properties.shared)) {
    return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("overlaps"))) {
    properties.overlaps = parser.getBuilder().getUnitAttr();
  }
  SmallVector<Type> types;
  for (const OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
  }
  properties.function_type =
      TypeAttr::get(parser.getBuilder().getFunctionType(types, results));
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes)) {
    return failure();
  }
  call_interface_impl::addArgAndResultAttrs(
      parser.getBuilder(), state, arguments, resultAttributes,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
  return parser.parseRegion(*state.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (std::optional<StringRef> visibility = getSymVisibility()) {
    printer << *visibility << ' ';
  }
  printer.printSymbolName(getSymName());
  function_interface_impl::printFunctionSignature(
      printer, *this, getArgumentTypes(), /*isVariadic=*/false,
      getResultTypes());
  printer << " warps(" << getWarps() << ')';
  if (getFillers()) {
    printer << " fillers(" << *getFillers() << ')';
  }
  if (getShared()) {
    printer << " shared(" << *getShared() << ')';
  }
  if (getOverlaps()) {
    printer << " overlaps";
  }
  function_interface_impl::printFunctionAttributes(
      printer, *this,
      {getWarpsAttrName(), getFillersAttrName(), getSharedAttrName(),
       getOverlapsAttrName(), getSymVisibilityAttrName(),
       getFunctionTypeAttrName(), getArgAttrsAttrName(),
       getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

static bool mayBeArgument(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    Type element = memref.getElementType();
    return memref.getLayout().isIdentity() && !memref.getMemorySpace() &&
           (element.isF32() || element.isF16() || element.isBF16() ||
            element.isInteger(32) || element.isInteger(8));
  }
  return type.isIndex() || type.isInteger(32) || type.isF32() ||
         isa<TensorMapType>(type);
}

LogicalResult KernelOp::verify() {
  if (getWarps() < 1 || getWarps() > 32 ||
      !llvm::isPowerOf2_64(uint64_t(getWarps()))) {
    return emitOpError("C1: warps are 1, 2, 4, 8, 16 or 32, not ")
           << getWarps();
  }
  if (!getResultTypes().empty()) {
    return emitOpError("C2: a kernel has no results");
  }
  for (Type type : getArgumentTypes()) {
    if (!mayBeArgument(type)) {
      return emitOpError("C2: an argument is index, i32, f32, a tensor map, or "
                         "a memref of f32, f16, bf16, i32 or i8 in row-major "
                         "order, not ")
             << type;
    }
  }
  if (!getBody().hasOneBlock()) {
    return emitOpError("C3: the body is one block");
  }
  if (auto bytes = int64_t(getShared().value_or(0)); bytes < 0) {
    return emitOpError("C4: shared memory is 0 bytes or more, not ") << bytes;
  }
  bool hasRings =
      getBody()
          .walk([](FilledRingOpInterface) { return WalkResult::interrupt(); })
          .wasInterrupted();
  int64_t fillers = int64_t(getFillers().value_or(0));
  bool fits = fillers == 1 ? getWarps() <= 16 : fillers == 4 && getWarps() == 8;
  if (hasRings ? !fits : getFillers().has_value()) {
    return emitOpError("C5: a kernel with rings, and no other, has fillers: 1 "
                       "beside up to 16 warps, or 4 beside 8");
  }
  WalkResult result = getBody().walk([&](Operation *op) -> WalkResult {
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Type type : types) {
      auto tile = dyn_cast<RankedTensorType>(type);
      auto layout =
          tile ? dyn_cast_or_null<TileLayoutAttrInterface>(tile.getEncoding())
               : nullptr;
      if (layout && layout.getWarpCount() != int64_t(getWarps())) {
        return op->emitOpError("C0: the layout ")
               << layout << " spans " << layout.getWarpCount()
               << " warps, and the kernel has " << getWarps();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult LaunchOp::verify() {
  if (getGrid().size() != 3) {
    return emitOpError("C4: a grid has three extents, not ")
           << getGrid().size();
  }
  bool tensors = false, memrefs = false;
  SmallVector<Type> types(getInputs().getTypes());
  llvm::append_range(types, getOutputs().getTypes());
  for (Type type : types) {
    tensors |= isa<RankedTensorType>(type);
    memrefs |= isa<MemRefType>(type);
  }
  if ((tensors && memrefs) || (memrefs && getNumResults() != 0)) {
    return emitOpError("C3: operands with a shape are all tensors, or all "
                       "memrefs and then there is no result");
  }
  return success();
}

/// Whether the hardware can copy boxes of the operand.
static bool fits(ShapedType operand, TensorMapType map) {
  constexpr int64_t together = 16; // bytes
  Type element = map.getElementType();
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (!operand || !operand.hasRank() || operand.getRank() != 2 ||
      operand.getElementType() != element) {
    return false;
  }
  return operand.isDynamicDim(1) || operand.getDimSize(0) == 1 ||
         operand.getDimSize(1) * bytes % together == 0;
}

/// Whether the operand may be handed over as the argument.
static bool fits(Type operand, Type argument) {
  auto shaped = dyn_cast<ShapedType>(operand);
  if (auto map = dyn_cast<TensorMapType>(argument)) {
    return fits(shaped, map);
  }
  auto wanted = dyn_cast<MemRefType>(argument);
  if (!shaped || !wanted) {
    return operand == argument;
  }
  // A kernel computes addresses of rows that lie one after the other.
  auto memory = dyn_cast<MemRefType>(operand);
  return shaped.hasRank() &&
         (!memory || memory.getLayout() == wanted.getLayout()) &&
         shaped.getElementType() == wanted.getElementType() &&
         succeeded(verifyCompatibleShape(shaped.getShape(), wanted.getShape()));
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) {
    // A compiled one is a function, in a module of all kernels.
    auto compiled =
        SymbolRefAttr::get(getContext(), kKernels, {getKernelAttr()});
    if (symbols.lookupNearestSymbolFrom(*this, compiled)) {
      return success();
    }
    return emitOpError("C1: there is no kernel ") << getKernelAttr();
  }
  size_t operands = getInputs().size() + getOutputs().size();
  if (kernel.getArgumentTypes().size() != operands) {
    return emitOpError("C1: the kernel ")
           << getKernelAttr() << " has " << kernel.getArgumentTypes().size()
           << " arguments, and ins and outs are " << operands;
  }
  SmallVector<Value> all(getInputs());
  llvm::append_range(all, getOutputs());
  for (auto [number, operand] : llvm::enumerate(all)) {
    Type argument = kernel.getArgumentTypes()[number];
    bool isOut = number >= getInputs().size();
    if (!fits(operand.getType(), argument) ||
        (isOut && isa<TensorMapType>(argument))) {
      return emitOpError("C2: ")
             << operand.getType() << " can't be the kernel's " << argument;
    }
  }
  return success();
}

void LaunchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      continue;
    }
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isDpsInit(&operand)) {
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
  }
}

void BlockIdOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getResult(), ("block_" + stringifyGridDimension(getDimension())).str());
}

void AllocOp::getAsmResultNames(OpAsmSetValueNameFn name) {
  name(getBuffer(), "buffer");
}

LogicalResult AllocOp::verify() {
  int64_t alignment = getBuffer().getType().getAlignment();
  auto offset = int64_t(getOffset().value_or(0));
  if (offset < 0 || offset % alignment != 0) {
    return emitOpError("C1: the offset of this buffer is 0 or a multiple of ")
           << alignment << " above, not " << offset;
  }
  return success();
}

LogicalResult WaitForLaunchesOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  return kernel && kernel.getOverlaps()
             ? success()
             : emitOpError("C1: its kernel overlaps no other");
}
