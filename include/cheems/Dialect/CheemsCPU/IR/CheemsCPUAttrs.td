// Attributes of the cheems_cpu dialect.
#ifndef CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUATTRS_TD
#define CHEEMS_DIALECT_CHEEMSCPU_IR_CHEEMSCPUATTRS_TD

include "cheems/Dialect/Cheems/IR/CheemsInterfaces.td"
include "cheems/Dialect/CheemsCPU/IR/CheemsCPUBase.td"
include "cheems/Dialect/CheemsCPU/IR/StrategyAttrs.td"

def CheemsCPU_PanelsAttr : AttrDef<CheemsCPU_Dialect, "Panels", [DeclareAttrInterfaceMethods<Cheems_LayoutAttrInterface>]> {
  let mnemonic = "panels";
  let summary = "Panel layout of a matrix of weights";
  let description = [{
    A matrix `[N, K]` is stored as `[ceil(N/rows), K/pair, rows, pair]`. Element (n, k) is at `[n / rows, k / pair, n % rows, k % pair]`.
    Rows past N are zero. `pair` divides K. A vector of `rows` outputs then reads one contiguous stream along K. With bf16 and `pair` = 2,
    this is also the layout of VNNI and AMX.

    A rounded matrix (`#cheems.quantized`) has panels `<16, 4>`, as `cheems_cpu.linear` says. `codes` of 8 bits are stored plus 128, as
    `[ceil(N/16), K/4, 16, 4]`. `codes` of 4 bits are stored plus 8 and two per byte, as `[ceil(N/16), K/8, 16, 4]`. `scales` are
    `[ceil(N/16), K/group, 16]`. Rows past N have the quantized values and the scales of zeros.

    Example: `#cheems_cpu.panels<16, 2>`, as in
    ```mlir
    %p = cheems.parameter ["a.weight", "b.weight"] layout(#cheems_cpu.panels<16, 2>) : tensor<96x384x16x2xbf16>
    %q = cheems.parameter ["mlp.keys"] layout(#cheems_cpu.panels<16, 2>) permute [2, 0, 1, 3] : tensor<2x4x8x16x16x2xbf16>
    %c = cheems.parameter ["a.weight"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = codes> : tensor<16x96x16x4xi8>
    %s = cheems.parameter ["a.weight"] layout(#cheems_cpu.panels<16, 4>) quantized <bits = 4, group = 64, part = scales> : tensor<16x12x16xbf16>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$pair);
  let assemblyFormat = "`<` $rows `,` $pair `>`";
  let genVerifyDecl = 1;
}

// Each has the instructions of those before it.
def CheemsCPU_MatmulUnit : I32EnumAttr<"MatmulUnit", "How a target computes matmuls with weights of few bits", [
    I32EnumAttrCase<"FMA", 0, "fma">,          // bf16 widened to f32, quantized values to 16 bits
    I32EnumAttrCase<"DotI8", 1, "dot_i8">,     // vpdpbusd: four quantized values summed in i32
    I32EnumAttrCase<"DotBF16", 2, "dot_bf16">, // vdpbf16ps: inputs rounded to bf16, pairs summed in f32
    I32EnumAttrCase<"AMX", 3, "amx">           // tdpbf16ps on tiles: the same in blocks of 32; tdpbsud
  ]> {
  let cppNamespace = "::cheems::cpu";
  let genSpecializedAttr = 0;
}

def CheemsCPU_TargetAttr : AttrDef<CheemsCPU_Dialect, "Target", [DeclareAttrInterfaceMethods<Cheems_TargetAttrInterface>]> {
  let mnemonic = "target";
  let summary = "What kernels and sizes of loops depend on";
  let description = [{
    A module has it as `cheems.target`. It says how many f32 lanes a vector register has (8 or 16, or 1 for plain loops without kernels),
    how many registers there are (16 or 32), and how matmuls with weights in bf16 and with quantized weights are computed (`fma`, `dot_i8`,
    `dot_bf16` or `amx`).

    Example: `#cheems_cpu.target<lanes = 16, registers = 32, products = amx>`
  }];
  let parameters = (ins "int64_t":$lanes, "int64_t":$registers, EnumParameter<CheemsCPU_MatmulUnit>:$products);
  let extraClassDeclaration = [{
    bool isScalar() const { return getLanes() == 1; }
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif
