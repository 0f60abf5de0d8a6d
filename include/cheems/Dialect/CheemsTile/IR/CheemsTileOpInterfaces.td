// What ops of the dialect have in common.
#ifndef CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEOPINTERFACES_TD
#define CHEEMS_DIALECT_CHEEMSTILE_IR_CHEEMSTILEOPINTERFACES_TD

include "mlir/IR/OpBase.td"

def CheemsTile_ScratchOpInterface : OpInterface<"ScratchOpInterface"> {
  let cppNamespace = "::cheems::tile";
  let description = [{
    An op whose threads exchange numbers through shared memory if they are in different warps. `cheems-tile-plan-shared` gives it an offset.
    Its threads wait for each other before they write there and before they read.
  }];
  let methods = [
    InterfaceMethod<"How many bytes it needs, 0 if none.", "int64_t", "getScratchBytes">,
    InterfaceMethod<"Where they begin in the block's shared memory.", "::std::optional<int64_t>", "getScratchOffset">,
    InterfaceMethod<"Sets the offset.", "void", "setScratchOffset", (ins "int64_t":$offset)>
  ];
}

def CheemsTile_FilledRingOpInterface : OpInterface<"FilledRingOpInterface"> {
  let description = "An op with stages that fillers fill in each step, and barriers for them in shared memory.";
  let cppNamespace = "::cheems::tile";
  let methods = [
    InterfaceMethod<"How many steps there are.", "::mlir::Value", "getSteps">,
    InterfaceMethod<"How many stages it has.", "int64_t", "getStages">,
    InterfaceMethod<"What begins the copies of a step.", "::mlir::Region &", "getFill">,
    InterfaceMethod<"Where its barriers are in shared memory, in bytes.", "std::optional<uint64_t>", "getAt">,
    InterfaceMethod<"Chooses where they are.", "void", "setAt", (ins "std::optional<uint64_t>":$at)>
  ];
  let extraClassDeclaration = [{
    /// Two barriers a stage: whether it is full, and whether it is empty.
    static constexpr int64_t kBarrierBytes = 8, kStageBytes = 2 * kBarrierBytes;
    int64_t getBytes() { return getStages() * kStageBytes; }
  }];
}

#endif
