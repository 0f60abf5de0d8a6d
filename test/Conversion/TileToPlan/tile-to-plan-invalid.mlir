// What no plan has is refused with the reason.
// RUN: cheems-opt %s --cheems-tile-to-plan --split-input-file --verify-diagnostics

// expected-error@below {{has an argument that is no field of the step}}
func.func @number(%n: index {cheems.field = #cheems.step_field<tokens>}) attributes {cheems.entry = "number"} {
  return
}

// -----

// expected-error@below {{has an argument that is no field of the step}}
func.func @unnamed(%x: memref<4xf32>) attributes {cheems.entry = "unnamed"} {
  return
}

// -----

// expected-error@below {{takes the field 'workspace', which no plan has}}
func.func @workspace(%x: memref<4xf32> {cheems.field = #cheems.step_field<workspace>}) attributes {cheems.entry = "workspace"} {
  return
}

// -----

// expected-error@below {{is no entry: it has results, or branches}}
func.func @result(%x: memref<4xf32> {cheems.field = #cheems.step_field<tokens>}) -> memref<4xf32> attributes {cheems.entry = "result"} {
  return %x : memref<4xf32>
}

// -----

func.func @load(%x: memref<4xf32> {cheems.field = #cheems.step_field<tokens>}) attributes {cheems.entry = "load"} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{is nothing that a plan of launches has}}
  %v = memref.load %x[%c0] : memref<4xf32>
  return
}

// -----

func.func private @callee()
func.func @call() attributes {cheems.entry = "call"} {
  // expected-error@below {{is still there: inline calls before}}
  call @callee() : () -> ()
  return
}

// -----

func.func @elements() attributes {cheems.entry = "elements"} {
  // expected-error@below {{has elements whose bits are not known}}
  %x = memref.alloc() : memref<4xindex>
  return
}

// -----

func.func @extent(%x: memref<?x?xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) attributes {cheems.entry = "extent"} {
  %c0 = arith.constant 0 : index
  %t = memref.dim %x, %c0 : memref<?x?xf32>
  // expected-error@below {{asks for an extent that is not known}}
  %n = memref.dim %x, %t : memref<?x?xf32>
  return
}

// -----

func.func @part(%x: memref<64xi8> {cheems.field = #cheems.step_field<tokens>}) attributes {cheems.entry = "part"} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{is of something other than a parameter}}
  %n = memref.view %x[%c0][] : memref<64xi8> to memref<4xf32>
  return
}

// -----

gpu.module @kernels {
  llvm.func @compiled() {
    llvm.return
  }
}
func.func @late() attributes {cheems.entry = "late"} {
  %c1 = arith.constant 1 : index
  // expected-error@below {{has a kernel that is compiled already}}
  cheems_tile.launch @compiled grid[%c1, %c1, %c1]
  return
}

// -----

// expected-error@below {{has a pool without cheems.index, which says the pool}}
func.func @pool_without_index(%x: memref<?x?x64xf32> {cheems.field = #cheems.step_field<pools>}) attributes {cheems.entry = "pool_without_index"} {
  return
}

// -----

// expected-error@below {{takes the field 'logits' with a dynamic extent after the first one, which no step has}}
func.func @dynamic_second_extent(%x: memref<4x?xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "dynamic_second_extent"} {
  return
}

// -----

// expected-error@below {{takes the field 'top_values', which has the extents [rows, count], as 'memref<?xf32>'}}
func.func @best_without_count(%x: memref<?xf32> {cheems.field = #cheems.step_field<top_values>}) attributes {cheems.entry = "best_without_count"} {
  return
}

// -----

// expected-error@below {{takes the field 'top_values', which has the extents [rows, count], as 'memref<?x0xf32>'}}
func.func @best_of_none(%x: memref<?x0xf32> {cheems.field = #cheems.step_field<top_values>}) attributes {cheems.entry = "best_of_none"} {
  return
}

// -----

func.func @extent_after_the_last(%x: memref<?x64xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "extent_after_the_last"} {
  %c5 = arith.constant 5 : index
  // expected-error@below {{asks for extent 5 of an array that has 2}}
  %n = memref.dim %x, %c5 : memref<?x64xf32>
  return
}

// -----

func.func @extent_before_the_first(%x: memref<?x64xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "extent_before_the_first"} {
  %before = arith.constant -1 : index
  // expected-error@below {{asks for extent -1 of an array that has 2}}
  %n = memref.dim %x, %before : memref<?x64xf32>
  return
}

// -----

func.func @cast_to_no_rank(%x: memref<?x64xf32> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "cast_to_no_rank"} {
  // expected-error@below {{forgets how many extents the array has}}
  %y = memref.cast %x : memref<?x64xf32> to memref<*xf32>
  return
}

// -----

func.func @elements_of_one_bit() attributes {cheems.entry = "elements_of_one_bit"} {
  // expected-error@below {{has elements that are no whole bytes}}
  %x = memref.alloc() : memref<64xi1>
  return
}

// -----

func.func @elements_with_gaps() attributes {cheems.entry = "elements_with_gaps"} {
  // expected-error@below {{has gaps between its elements}}
  %x = memref.alloc() : memref<4x64xf32, strided<[128, 1]>>
  return
}

// -----

// expected-error@below {{takes the field 'logits' with gaps between its elements, which no step has}}
func.func @field_with_gaps(%x: memref<?x16xf32, strided<[64, 1], offset: ?>> {cheems.field = #cheems.step_field<logits>}) attributes {cheems.entry = "field_with_gaps"} {
  return
}
