// How an op is cut into loops on a CPU: one attribute per op, which cheems-select-strategy chooses.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_STRATEGYATTRS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_STRATEGYATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"
include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

class CheemsCPU_StrategyAttr<string name, string text>
    : AttrDef<CheemsCPU_Dialect, name # "Strategy", [DeclareAttrInterfaceMethods<Cheems_StrategyAttrInterface>]> {
  let mnemonic = text # "_strategy";
  let assemblyFormat = "`<` struct(params) `>`";
}

def CheemsCPU_MatmulStrategyAttr : CheemsCPU_StrategyAttr<"Matmul", "matmul"> {
  let summary = "How a matmul and its column epilogue are cut";
  let description = [{
    It is an attribute of `cheems_cpu.linear` and `cheems_cpu.column_epilogue`. `panels`: panels of 16 columns per parallel iteration; 0 leaves the
    matmul whole. For a `column_epilogue`, this is a multiple of the number of panels that hold whole heads. `few_rows`: the function never has
    many rows, so the kernel has only loops for few rows.

    Example: `#cheems_cpu.matmul_strategy<panels = 4>`
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$panels, DefaultValuedParameter<"bool", "false">:$few_rows);
  let genVerifyDecl = 1;
}

def CheemsCPU_RowsStrategyAttr : CheemsCPU_StrategyAttr<"Rows", "rows"> {
  let summary = "How row-wise work is cut";
  let description = [{
    It is an attribute of ops whose first loop is parallel. `rows`: rows per parallel iteration, at least 1.

    Example: `#cheems_cpu.rows_strategy<rows = 32>`
  }];
  let parameters = (ins "int64_t":$rows);
  let genVerifyDecl = 1;
}

def CheemsCPU_AttentionStrategyAttr : CheemsCPU_StrategyAttr<"Attention", "attention"> {
  let summary = "How attention over one sequence is cut";
  let description = [{
    It is an attribute of `cheems_cpu.dynamic_mask_attention`. `rows`: rows per block. `keys`: entries per step of the running softmax. Both are at least 1.

    Example: `#cheems_cpu.attention_strategy<rows = 64, keys = 384>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys);
  let genVerifyDecl = 1;
}

def CheemsCPU_SSDStrategyAttr : CheemsCPU_StrategyAttr<"SSD", "ssd"> {
  let summary = "How SSD over one sequence is cut";
  let description = [{
    It is an attribute of `cheems_cpu.ssd`. `chunk`: rows per chunk, at least 1.

    Example: `#cheems_cpu.ssd_strategy<chunk = 32>`
  }];
  let parameters = (ins "int64_t":$chunk);
  let genVerifyDecl = 1;
}

def CheemsCPU_ExpertOrder : I32EnumAttr<"ExpertOrder", "The order in which the experts of rows are read", [
    I32EnumAttrCase<"ByRow", 0, "by_row">,     // all of a row's, then the next row's
    I32EnumAttrCase<"ByGroup", 1, "by_group">, // those of a group of rows, sorted by their ids
    I32EnumAttrCase<"ByPiece", 2, "by_piece">  // pieces of a row's experts are shared out to threads
  ]> {
  let cppNamespace = "::cheems::cpu";
  let genSpecializedAttr = 0;
}

def CheemsCPU_ExpertsStrategyAttr : CheemsCPU_StrategyAttr<"Experts", "experts"> {
  let summary = "How experts are read and added";
  let description = [{
    It is an attribute of `cheems.mix_experts`. `order`: `by_row` reads all experts of a row, then those of the next row; `by_group` reads
    the experts of a group of rows in the order of their ids; `by_piece` shares the pieces of a row's experts among threads. `rows`: rows
    per parallel iteration, or per group for `by_group`, at least 1. `fetch`: the tables are larger than a cache, so their rows are
    prefetched.

    Example: `#cheems_cpu.experts_strategy<order = by_group, rows = 64, fetch = true>`
  }];
  let parameters = (ins EnumParameter<CheemsCPU_ExpertOrder>:$order, "int64_t":$rows,
                        DefaultValuedParameter<"bool", "false">:$fetch);
  let genVerifyDecl = 1;
}

def CheemsCPU_StepStrategyAttr : CheemsCPU_StrategyAttr<"Step", "step"> {
  let summary = "How a session feeds a step";
  let description = [{
    It is an attribute of a module. `prefill`: rows of a long prompt per step. `chunk`: rows per chunk of SSD, or 0 without SSD. A prompt
    that is fed in multiples of it gets the same bits.

    Example: `#cheems_cpu.step_strategy<prefill = 512, chunk = 32>`
  }];
  let parameters = (ins "int64_t":$prefill, DefaultValuedParameter<"int64_t", "0">:$chunk);
  let genVerifyDecl = 1;
}

#endif
