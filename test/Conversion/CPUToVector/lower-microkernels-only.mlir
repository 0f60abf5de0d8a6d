// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{only=cheems.rms_norm}))' | FileCheck %s --check-prefix=NORM
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{only=cheems_cpu.linear}))' | FileCheck %s --check-prefix=LINEAR
// RUN: cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{only=cheems_cpu.linear,cheems.rms_norm}))' | FileCheck %s --check-prefix=BOTH
// RUN: not cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{only=cheems.rms_nrom}))' 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not cheems-opt %s --pass-pipeline='builtin.module(func.func(cheems-lower-microkernels{only=cheems.rms_norm,linalg.generic}))' 2>&1 | FileCheck %s --check-prefix=OTHER

// One kernel at a time can be read: ops of other names stay.
// NORM-LABEL: @both
// NORM-NOT: cheems.rms_norm
// NORM: math.sqrt
// NORM: cheems_cpu.linear
// LINEAR-LABEL: @both
// LINEAR: cheems.rms_norm
// LINEAR-NOT: cheems_cpu.linear
// LINEAR: vector.fma
// BOTH-LABEL: @both
// BOTH-NOT: cheems
// BOTH: return

// TYPO: error: 'func.func' op has no kernels of 'cheems.rms_nrom': the option only takes names of ops that have one
// OTHER: error: 'func.func' op has no kernels of 'linalg.generic': the option only takes names of ops that have one
func.func @both(%x: memref<1x8xf32>, %g: memref<8xf32>, %n: memref<1x8xf32>, %w: memref<1x8x16x1xf32>, %y: memref<1x16xf32>) {
  cheems.rms_norm epsilon 1.0e-06 ins(%x, %g : memref<1x8xf32>, memref<8xf32>) outs(%n : memref<1x8xf32>)
  cheems_cpu.linear ins(%n : memref<1x8xf32>) weights(%w : memref<1x8x16x1xf32>) outs(%y : memref<1x16xf32>)
  return
}
