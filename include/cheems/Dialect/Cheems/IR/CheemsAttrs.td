// Attributes of the cheems dialect.
#ifndef CHEEMS_DIALECT_CHEEMS_IR_CHEEMSATTRS_TD
#define CHEEMS_DIALECT_CHEEMS_IR_CHEEMSATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsBase.td"

def Cheems_QuantizedPart : I32EnumAttr<"QuantizedPart", "A part of a matrix that is rounded to few bits", [
    I32EnumAttrCase<"Matrix", 0, "matrix">, // all of it: cheems-quantize-parameters splits it
    I32EnumAttrCase<"Codes", 1, "codes">,
    I32EnumAttrCase<"Scales", 2, "scales">
  ]> {
  let cppNamespace = "::cheems";
  let genSpecializedAttr = 0;
}

def Cheems_QuantizedAttr : AttrDef<Cheems_Dialect, "Quantized"> {
  let mnemonic = "quantized";
  let summary = "Rounding of a matrix of weights to few bits";
  let description = [{
    A matrix `[N, K]` becomes 8- or 4-bit integers, and scales. Each row has one scale per `group` neighbouring columns; `group` 0
    means one scale for all K. W[n, k] is near scale[n, k / group] * code[n, k]. Codes are in [-127, 127] or [-8, 7].

    Without a layout, 8-bit integers are signed and have the shape `[N, K]`, and scales have the shape `[N, K/group]`. A layout says
    how they are stored otherwise.

    Example: `#cheems.quantized<bits = 4, group = 64, part = codes>`
  }];
  let parameters = (ins "int64_t":$bits, "int64_t":$group, EnumParameter<Cheems_QuantizedPart>:$part);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Cheems_StageAttr : AttrDef<Cheems_Dialect, "Stage"> {
  let mnemonic = "stage";
  let summary = "How far a module is on its way to code";
  let description = [{
    It stands on a module as `cheems.stage`. `imported` is the stage of the importer's module. Each target names the stages after it.
    Pipelines take a stage and leave the next (`cheems-enter-stage`).

    Example: `#cheems.stage<imported>`
  }];
  let parameters = (ins StringRefParameter<>:$name);
  let hasCustomAssemblyFormat = 1;
}

def Cheems_StepField : I32EnumAttr<"StepField", "A field of cheems_step, or of what entries for the best logits take", [
    I32EnumAttrCase<"Tokens", 0, "tokens">, I32EnumAttrCase<"Segments", 1, "segments">, I32EnumAttrCase<"Rows", 2, "rows">,
    I32EnumAttrCase<"Logits", 3, "logits">, I32EnumAttrCase<"Parameters", 4, "parameters">, I32EnumAttrCase<"Pools", 5, "pools">,
    I32EnumAttrCase<"Workspace", 6, "workspace">, I32EnumAttrCase<"EmbeddingRows", 7, "embedding_rows">,
    I32EnumAttrCase<"Embeddings", 8, "embeddings">,
    // Entries for the best logits read those of a step, and write the others.
    I32EnumAttrCase<"StepLogits", 9, "step_logits">, I32EnumAttrCase<"TopValues", 10, "top_values">,
    I32EnumAttrCase<"TopTokens", 11, "top_tokens">, I32EnumAttrCase<"LogSums", 12, "log_sums">
  ]> {
  let cppNamespace = "::cheems";
  let genSpecializedAttr = 0;
}

def Cheems_StepFieldAttr : EnumAttr<Cheems_Dialect, Cheems_StepField, "step_field"> {
  let summary = "What an argument of a step is";
  let description = [{
    It stands on an argument of a function as `cheems.field`. docs/abi.md says what each field holds. Of `pools`, `cheems.index` says which
    one. An argument or a result that is no field may have a `cheems.name`, which files of `cheems-interpret` call it.

    Example: `#cheems.step_field<tokens>`
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Cheems_StateRole : I32EnumAttr<"StateRole", "What the runtime tells pools by", [
    I32EnumAttrCase<"Keys", 0, "keys">, I32EnumAttrCase<"Values", 1, "values">, I32EnumAttrCase<"Masks", 2, "masks">,
    I32EnumAttrCase<"Scales", 3, "scales">,       // of keys or values that are quantized
    I32EnumAttrCase<"Positions", 4, "positions">, // of the entries of a window
    I32EnumAttrCase<"Counts", 5, "counts">,       // of entries, where not every row is stored
    I32EnumAttrCase<"Running", 6, "running">      // a state that each row changes
  ]> {
  let cppNamespace = "::cheems";
  let genSpecializedAttr = 0;
}

def Cheems_PoolAttr : AttrDef<Cheems_Dialect, "Pool"> {
  let mnemonic = "pool";
  let summary = "State that a sequence keeps between steps";
  let description = [{
    A module has a list of them as `cheems.state`, in the order of the pools. `shape` has numbers, `slots`, and `capacity` or `ring`: how many
    sequences there are, and how many entries each may have; with `ring`, those of the latest rows. docs/abi.md has the shapes of each `role`.

    Example: `#cheems.pool<name = "keys", role = keys, type = bf16, shape = [slots, 2, 4, capacity, 64]>`
  }];
  let parameters = (ins StringRefParameter<>:$name, EnumParameter<Cheems_StateRole>:$role, "::mlir::Type":$type,
                        ArrayRefParameter<"int64_t">:$shape);
  let assemblyFormat = [{
    `<` `name` `=` $name `,` `role` `=` $role `,` `type` `=` $type `,` `shape` `=` custom<PoolShape>($shape) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Extents that a session chooses.
    static constexpr int64_t kSlots = -1, kCapacity = -2, kRing = -3;
    /// "slots", "capacity" or "ring"; empty for a number.
    static ::llvm::StringRef nameOf(int64_t extent);
  }];
}

def Cheems_StoredParameterAttr : AttrDef<Cheems_Dialect, "StoredParameter"> {
  let mnemonic = "stored_parameter";
  let summary = "A weight and its offset in the weight section";
  let description = [{
    A module has a list of them as `cheems.parameters`: all weights that its code reads. `names`, `permute`, `by_columns`, `layout` and
    `quantized` are those of `cheems.parameter`, and `type` is that of its result: the whole as it is stored. `offset` is in bytes. Each
    ends within `cheems.parameter_bytes`, because parameters that are added start there.

    Constraints:
    - There is at least one name, and no name is empty.
    - The type has a static shape, numbers, and no more bits than an i64 can count.
    - The offset is at least 0 and a multiple of 64.
    - `permute` is a permutation of the dimensions of one name.

    Example: `#cheems.stored_parameter<names = ["mlp.up_proj.weight"], type = tensor<64x32xbf16>, offset = 128>`
  }];
  let parameters = (ins "::mlir::ArrayAttr":$names, "::mlir::RankedTensorType":$type, "int64_t":$offset,
                        OptionalParameter<"::cheems::LayoutAttrInterface">:$layout,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$permute, DefaultValuedParameter<"bool", "false">:$by_columns,
                        OptionalParameter<"::cheems::QuantizedAttr">:$quantized);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Offsets are multiples of so many bytes.
    static constexpr int64_t kAlignment = 64;
    int64_t getBytes() const;
    /// The same parameter elsewhere.
    StoredParameterAttr withOffset(int64_t offset) const;
  }];
}

def Cheems_MaskKind : I32EnumAttr<"MaskKind", "How a mask value acts on its key", [
    I32EnumAttrCase<"Bias", 0, "bias">, I32EnumAttrCase<"Threshold", 1, "threshold">, I32EnumAttrCase<"Scale", 2, "scale">,
    I32EnumAttrCase<"None", 3, "none"> // there are no masks
  ]> {
  let cppNamespace = "::cheems";
  let genSpecializedAttr = 0;
}
def Cheems_MaskKindAttr : EnumAttr<Cheems_Dialect, Cheems_MaskKind, "mask_kind"> {
  let assemblyFormat = "$value";
}

def Cheems_ScorePlacement : I32EnumAttr<"ScorePlacement", "Where an expert's score acts", [
    I32EnumAttrCase<"Softmax", 0, "softmax">, I32EnumAttrCase<"Inner", 1, "inner">]> {
  let cppNamespace = "::cheems";
  let genSpecializedAttr = 0;
}
def Cheems_ScorePlacementAttr : EnumAttr<Cheems_Dialect, Cheems_ScorePlacement, "score_placement"> {
  let assemblyFormat = "$value";
}

def Cheems_Activation : I32EnumAttr<"Activation", "An activation function; gelu is the erf form, relu2 the square of relu", [
    I32EnumAttrCase<"SiLU", 0, "silu">, I32EnumAttrCase<"GELU", 1, "gelu">, I32EnumAttrCase<"ReLU", 2, "relu">,
    I32EnumAttrCase<"GELUTanh", 3, "gelu_tanh">, I32EnumAttrCase<"ReLU2", 4, "relu2">]> {
  let cppNamespace = "::cheems";
  let genSpecializedAttr = 0;
}
def Cheems_ActivationAttr : EnumAttr<Cheems_Dialect, Cheems_Activation, "activation"> {
  let assemblyFormat = "$value";
}

#endif
