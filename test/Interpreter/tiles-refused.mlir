// What a kernel of tiles may not do is an error at the op, with the block: what depends on the order of blocks, too.
// RUN: split-file %s %t
// RUN: not cheems-opt %t/unwritten_buffer.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=UNWRITTEN-BUFFER
// UNWRITTEN-BUFFER: error: 'cheems_tile.read' op reads element [0, 0, 0] of a buffer in block [0, 0, 0], which nothing has written, or a copy that is not waited for
// RUN: not cheems-opt %t/not_waited_for.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NOT-WAITED-FOR
// NOT-WAITED-FOR: error: 'cheems_tile.read' op reads element [0, 0, 0] of a buffer in block [0, 0, 0], which nothing has written, or a copy that is not waited for
// RUN: not cheems-opt %t/not_committed.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NOT-COMMITTED
// NOT-COMMITTED: error: 'cheems_tile.read' op reads element [0, 0, 0] of a buffer
// RUN: not cheems-opt %t/unwritten_stage.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=UNWRITTEN-STAGE
// UNWRITTEN-STAGE: error: 'cheems_tile.fma' op reads element [1, 0, 0] of a buffer, which nothing has written
// RUN: not cheems-opt %t/no_stage.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NO-STAGE
// NO-STAGE: error: 'cheems_tile.read' op takes stage 2 of 2 in block [0, 0, 0]
// RUN: not cheems-opt %t/after_the_buffer.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=AFTER-THE-BUFFER
// AFTER-THE-BUFFER: error: 'cheems_tile.read' op takes [1, 32] at [4, 0] of [4, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/no_multiple.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NO-MULTIPLE
// NO-MULTIPLE: error: 'cheems_tile.write' op takes [2, 32] at [1, 0] of [4, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/negative_offset.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NEGATIVE-OFFSET
// NEGATIVE-OFFSET: error: 'cheems_tile.load' op has the offsets [-1, 0] into [3, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/outside_another_dimension.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=OUTSIDE-ANOTHER-DIMENSION
// OUTSIDE-ANOTHER-DIMENSION: error: 'cheems_tile.load' op has the offsets [4, 0] into [3, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/extent_after_memory.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=EXTENT-AFTER-MEMORY
// EXTENT-AFTER-MEMORY: error: 'cheems_tile.load' op asks for element [3, 0] of [3, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/not_aligned.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NOT-ALIGNED
// NOT-ALIGNED: error: 'cheems_tile.load' op is aligned to 16 bytes, but of elements of 4 bytes its offset along the last dimension is 2, its extent 32, and that of the memory 32 in block [0, 0, 0]
// RUN: not cheems-opt %t/extent_not_aligned.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=EXTENT-NOT-ALIGNED
// EXTENT-NOT-ALIGNED: error: 'cheems_tile.async_copy' op is aligned to 8 bytes, but of elements of 4 bytes its offset along the last dimension is 0, its extent 1, and that of the memory 32
// RUN: not cheems-opt %t/unwritten_memory.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=UNWRITTEN-MEMORY
// UNWRITTEN-MEMORY: error: 'cheems_tile.load' op reads element [0, 0] in block [0, 0, 0], which nothing has written
// RUN: not cheems-opt %t/into_an_in.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=INTO-AN-IN
// INTO-AN-IN: error: 'cheems_tile.store' op writes into memory that the launch has among its ins
// RUN: not cheems-opt %t/two_write.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=TWO-WRITE
// TWO-WRITE: error: 'cheems_tile.store' op writes element [0, 0] in block [1, 0, 0], which another block reads or writes
// RUN: not cheems-opt %t/reads_what_another_wrote.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=READS-WHAT-ANOTHER-WROTE
// READS-WHAT-ANOTHER-WROTE: error: 'cheems_tile.load' op reads element [0, 0] in block [1, 0, 0], which another block has written
// RUN: not cheems-opt %t/negative_grid.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NEGATIVE-GRID
// NEGATIVE-GRID: error: 'cheems_tile.launch' op has a grid with the extent -1
// RUN: not cheems-opt %t/no_element.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NO-ELEMENT
// NO-ELEMENT: error: 'memref.load' op asks for element [3, 0] of [3, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/picked_outside.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=PICKED-OUTSIDE
// PICKED-OUTSIDE: error: 'cheems_tile.pick' op picks [3, 32] of [4, 32] in block [0, 0, 0]
// RUN: not cheems-opt %t/picked_unwritten.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=PICKED-UNWRITTEN
// PICKED-UNWRITTEN: error: 'cheems_tile.pick' op picks element [0, 3, 1] of a buffer in block [0, 0, 0], which nothing has written
// RUN: not cheems-opt %t/compiled.mlir --cheems-interpret='entry=main outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=COMPILED
// COMPILED: error: 'cheems_tile.launch' op launches @k, which is compiled: run the module while it has kernels of tiles
// RUN: not ls %t.safetensors

//--- unwritten_buffer.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x4x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- not_waited_for.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %b[%c0] aligned 16 : memref<?x32xf32>, !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.commit
  cheems_tile.wait pending 1
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x4x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- not_committed.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %b[%c0] aligned 16 : memref<?x32xf32>, !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.wait pending 0
  %t = cheems_tile.read %b[%c0, %c0, %c0] : !cheems_tile.buffer<2x4x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- unwritten_stage.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
#four = #cheems_tile.blocked<rows = 8, columns = 4, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] to %b[%c0] aligned 16 : memref<?x32xf32>, !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.commit
  cheems_tile.wait pending 0
  %a = cheems_tile.alloc : !cheems_tile.buffer<1x8x32xf32>
  %ones = arith.constant dense<1.0> : tensor<8x32xf32, #row>
  cheems_tile.write %ones, %a[%c0, %c0, %c0] : tensor<8x32xf32, #row>, !cheems_tile.buffer<1x8x32xf32>
  %c = arith.constant dense<1.0> : tensor<8x4xf32, #four>
  %t = cheems_tile.fma %a[%c0], %b[%c0], %c : !cheems_tile.buffer<1x8x32xf32>, !cheems_tile.buffer<2x4x32xf32>, tensor<8x4xf32, #four>
  %u = cheems_tile.fma %a[%c0], %b[%c1], %t : !cheems_tile.buffer<1x8x32xf32>, !cheems_tile.buffer<2x4x32xf32>, tensor<8x4xf32, #four>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- no_stage.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  %t = cheems_tile.read %b[%c2, %c0, %c0] : !cheems_tile.buffer<2x4x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- after_the_buffer.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  %t = cheems_tile.read %b[%c0, %c4, %c0] : !cheems_tile.buffer<2x4x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- no_multiple.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  %two = arith.constant dense<1.0> : tensor<2x32xf32, #row>
  cheems_tile.write %two, %b[%c0, %c1, %c0] : tensor<2x32xf32, #row>, !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- negative_offset.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %m = arith.constant -1 : index
  %t = cheems_tile.load %x[%m, %c0] dims [0, 1] : memref<?x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- outside_another_dimension.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = cheems_tile.load %x[%c4, %c0] dims [1] : memref<?x32xf32> -> tensor<32xf32, #cheems_tile.slice<axis = 0, of = #row>>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- extent_after_memory.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  %t = cheems_tile.load %x[%c3, %c0] dims [0, 1] extents[%c4, %c32] : memref<?x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- not_aligned.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %t = cheems_tile.load %x[%c0, %c2] dims [0, 1] aligned 16 : memref<?x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- extent_not_aligned.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.async_copy %x[%c0, %c0] dims [0, 1] extents[%c1, %c1] to %b[%c0] aligned 8 : memref<?x32xf32>, !cheems_tile.buffer<2x4x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- unwritten_memory.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = cheems_tile.load %y[%c0, %c0] dims [0, 1] : memref<?x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- into_an_in.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<1x32xf32, #row>
  cheems_tile.store %t, %x[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- two_write.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c2, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- reads_what_another_wrote.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<1.0> : tensor<1x32xf32, #row>
  %bx = cheems_tile.block_id x
  cheems_tile.store %t, %y[%bx, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  %u = cheems_tile.load %y[%c0, %c0] dims [0, 1] : memref<?x32xf32> -> tensor<1x32xf32, #row>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c2, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- negative_grid.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %t = arith.constant dense<1.0> : tensor<1x32xf32, #row>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %m = arith.constant -1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %m, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- no_element.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %e = memref.load %x[%c3, %c0] : memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- picked_outside.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x4x32xf32>
  %r = arith.constant dense<3> : tensor<1x32xi32, #row>
  %c = arith.constant dense<32> : tensor<1x32xi32, #row>
  %t = cheems_tile.pick %b[%c0] rows %r columns %c : !cheems_tile.buffer<1x4x32xf32>, tensor<1x32xi32, #row> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- picked_unwritten.mlir
#row = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>
cheems_tile.kernel @k(%x: memref<?x32xf32>, %y: memref<?x32xf32>) warps(1) {
  %c0 = arith.constant 0 : index
  %b = cheems_tile.alloc : !cheems_tile.buffer<1x4x32xf32>
  %r = arith.constant dense<3> : tensor<1x32xi32, #row>
  %c = arith.constant dense<1> : tensor<1x32xi32, #row>
  %t = cheems_tile.pick %b[%c0] rows %r columns %c : !cheems_tile.buffer<1x4x32xf32>, tensor<1x32xi32, #row> -> tensor<1x32xf32, #row>
  cheems_tile.store %t, %y[%c0, %c0] dims [0, 1] : tensor<1x32xf32, #row>, memref<?x32xf32>
  cheems_tile.return
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : tensor<3x32xf32>
  %e = tensor.empty() : tensor<3x32xf32>
  %y = cheems_tile.launch @k grid[%c1, %c1, %c1] ins(%x : tensor<3x32xf32>) outs(%e : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y : tensor<3x32xf32>
}

//--- compiled.mlir
gpu.module @kernels {
  llvm.func @k() {
    llvm.return
  }
}
func.func @main() -> (tensor<3x32xf32> {cheems.name = "y"}) {
  %c1 = arith.constant 1 : index
  %y = arith.constant dense<1.0> : tensor<3x32xf32>
  cheems_tile.launch @k grid[%c1, %c1, %c1]
  return %y : tensor<3x32xf32>
}
