// RUN: cheems-opt %s --cheems-set-gpu=arch=sm_80 | FileCheck %s --check-prefix=A100
// RUN: cheems-opt %s --cheems-set-gpu=arch=sm_80 --cheems-set-gpu | FileCheck %s --check-prefix=H100
// RUN: cheems-opt %s --cheems-set-gpu=unit=mma | FileCheck %s --check-prefix=OLDER
// RUN: cheems-opt %s --cheems-set-gpu=copy=threads | FileCheck %s --check-prefix=THREADS
// RUN: cheems-opt %s --cheems-set-gpu=multiprocessors=114 | FileCheck %s --check-prefix=SMALLER
// RUN: not cheems-opt %s --cheems-set-gpu=multiprocessors=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// A100: module attributes {cheems.target = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555>}
// H100: module attributes {cheems.target = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, unit = wgmma, copy = bulk>}
// THREADS: arch = sm_90a, {{.*}}bandwidth = 3350, unit = wgmma>}
// OLDER: arch = sm_90a, {{.*}}bandwidth = 3350>}
// NEGATIVE: error: cheems-set-gpu: multiprocessors is -1, and must be 0 or more
// SMALLER: arch = sm_90a, multiprocessors = 114, shared = 232448,
// doc: cheems-set-gpu{arch=sm_90a}
module {
}
// doc-end
