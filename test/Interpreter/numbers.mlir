// Numbers: floats, integers as wide as they are, comparisons, affine maps.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s

// CHECK: floats F32 [8] 5 -1 6 0.666667 3 2 nan 2
// CHECK: integers I32 [10] -2147483648 -4 1073741822 -2 -1 1 12 -1 28 1073741824
// CHECK: bytes I32 [3] -128 16 -1
// CHECK: indices I64 [3] 7 3 5
// CHECK: compared I32 [6] 1 0 1 0 1 1
// Ops on tensors work by elements.
// CHECK: narrowed F32 [2] 2048 1
// CHECK: chosen I32 [3] 5 -7 6
func.func @main() -> (tensor<8xf32> {cheems.name = "floats"}, tensor<10xi32> {cheems.name = "integers"}, tensor<3xi8> {cheems.name = "bytes"},
    tensor<3xindex> {cheems.name = "indices"}, tensor<6xi1> {cheems.name = "compared"}, tensor<2xf32> {cheems.name = "narrowed"},
    tensor<3xi32> {cheems.name = "chosen"}) {
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %f0 = arith.addf %two, %three : f32
  %f1 = arith.subf %two, %three : f32
  %f2 = arith.mulf %two, %three : f32
  %f3 = arith.divf %two, %three : f32
  %f4 = arith.maximumf %two, %three : f32
  %f5 = arith.minimumf %two, %three : f32
  %f6 = arith.maximumf %two, %nan : f32
  %f7 = arith.maxnumf %two, %nan : f32
  %floats = tensor.from_elements %f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7 : tensor<8xf32>

  %most = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant -7 : i32
  %minusOne = arith.constant -1 : i32
  %twelve = arith.constant 12 : i32
  %half = arith.constant 2 : i32
  %i0 = arith.addi %most, %one : i32
  %i1 = arith.floordivsi %seven, %half : i32
  %i2 = arith.shrui %seven, %half : i32
  %i3 = arith.shrsi %seven, %half : i32
  %i4 = arith.remsi %seven, %half : i32
  %i5 = arith.minui %one, %minusOne : i32
  %i6 = arith.andi %twelve, %minusOne : i32
  %true = arith.constant true
  %i7 = arith.extsi %true : i1 to i32
  %i8 = math.ctlz %twelve : i32
  %i9 = arith.bitcast %two : f32 to i32
  %integers = tensor.from_elements %i0, %i1, %i2, %i3, %i4, %i5, %i6, %i7, %i8, %i9 : tensor<10xi32>

  %b = arith.constant 127 : i8
  %c = arith.constant 1 : i8
  %b0 = arith.addi %b, %c : i8
  %wide = arith.constant 272 : i32
  %b1 = arith.trunci %wide : i32 to i8
  %minus = arith.constant -1.5 : f32
  %b2 = arith.fptosi %minus : f32 to i8
  %bytes = tensor.from_elements %b0, %b1, %b2 : tensor<3xi8>

  %d = arith.constant 9 : index
  %s = arith.constant 5 : index
  %p0 = affine.apply affine_map<(i)[j] -> (i floordiv 4 + j)>(%d)[%s]
  %p1 = affine.min affine_map<(i) -> (i ceildiv 4, 64)>(%d)
  %p2 = affine.max affine_map<(i, j) -> (i mod 4, j)>(%d, %s)
  %indices = tensor.from_elements %p0, %p1, %p2 : tensor<3xindex>

  %c0 = arith.cmpf olt, %two, %three : f32
  %c1 = arith.cmpf olt, %two, %nan : f32
  %c2 = arith.cmpf ult, %two, %nan : f32
  %c3 = arith.cmpi ult, %minusOne, %one : i32
  %c4 = arith.cmpi slt, %minusOne, %one : i32
  %c5 = arith.select %c4, %c0, %c3 : i1
  %compared = tensor.from_elements %c0, %c1, %c2, %c3, %c4, %c5 : tensor<6xi1>

  // 2049 and 1 + 2^-11 lie between two numbers of f16; those with even digits are nearest.
  %between = arith.constant dense<[2049.0, 1.00048828125]> : tensor<2xf32>
  %halves = arith.truncf %between : tensor<2xf32> to tensor<2xf16>
  %narrowed = arith.extf %halves : tensor<2xf16> to tensor<2xf32>
  %left = arith.constant dense<[5, -7, 3]> : tensor<3xi32>
  %right = arith.constant dense<[4, 2, 6]> : tensor<3xi32>
  %greater = arith.cmpi ugt, %left, %right : tensor<3xi32>
  %chosen = arith.select %greater, %left, %right : tensor<3xi1>, tensor<3xi32>
  return %floats, %integers, %bytes, %indices, %compared, %narrowed, %chosen : tensor<8xf32>, tensor<10xi32>, tensor<3xi8>, tensor<3xindex>, tensor<6xi1>, tensor<2xf32>, tensor<3xi32>
}
