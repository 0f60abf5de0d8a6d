// Attributes of the cheems_cpu dialect.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUATTRS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"
include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"

def CheemsCPU_PanelsAttr : AttrDef<CheemsCPU_Dialect, "Panels", [DeclareAttrInterfaceMethods<Cheems_LayoutAttrInterface>]> {
  let mnemonic = "panels";
  let summary = "Panel layout of a matrix of weights";
  let description = [{
    A matrix `[N, K]` is stored as `[ceil(N/rows), K/pair, rows, pair]`: element (n, k) lies at
    `[n / rows, k / pair, n % rows, k % pair]`, rows past N are zero. `pair` divides K. A vector of `rows` outputs then
    reads one contiguous stream along K; with bf16 and `pair` = 2 it is the layout of VNNI and AMX, too.

    Example: `#cheems_cpu.panels<16, 2>`
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$pair);
  let assemblyFormat = "`<` $rows `,` $pair `>`";
  let genVerifyDecl = 1;
}

// Each has the instructions of those before it.
def CheemsCPU_Products : I32EnumAttr<"Products", "How a target computes products with weights of few bits", [
    I32EnumAttrCase<"FMA", 0, "fma">,          // bf16 widened to f32, codes to 16 bits
    I32EnumAttrCase<"DotI8", 1, "dot_i8">,     // vpdpbusd: four codes summed in i32
    I32EnumAttrCase<"DotBF16", 2, "dot_bf16">, // vdpbf16ps: inputs rounded to bf16, pairs summed in f32
    I32EnumAttrCase<"AMX", 3, "amx">           // tdpbf16ps on tiles: the same in blocks of 32; tdpbsud
  ]> {
  let cppNamespace = "::mlir::cheems";
  let genSpecializedAttr = 0;
}

def CheemsCPU_TargetAttr : AttrDef<CheemsCPU_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "What kernels and sizes of loops follow from";
  let description = [{
    As `cheems.target` on a module: f32 lanes of a vector register (8 or 16), how many registers there are (16 or 32), and how
    products with weights of bf16 and of codes are computed (`fma`, `dot_i8`, `dot_bf16` or `amx`).

    Example: `#cheems_cpu.target<lanes = 16, registers = 32, products = amx>`
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$registers, EnumParameter<CheemsCPU_Products>:$products);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
