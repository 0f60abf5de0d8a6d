// What cannot be run is refused in one line, and no file is written.
// RUN: rm -f %t.safetensors
// RUN: not cheems-opt %s --cheems-interpret='entry=unset outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=UNSET
// UNSET: error: 'cheems.rms_norm' op reads element [0, 1] of operand 0, which nothing has written [pass cheems-interpret]
// RUN: not cheems-opt %s --cheems-interpret='entry=unset_element outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: 'linalg.generic' op reads element [1] of operand 0, which nothing has written
// RUN: not cheems-opt %s --cheems-interpret='entry=unset_sum outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: 'linalg.matmul' op reads element [0, 0] of operand 2, which nothing has written
// RUN: not cheems-opt %s --cheems-interpret='entry=unset_result outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: @unset_result gives 'y' with element [1], which nothing has written
// RUN: not cheems-opt %s --cheems-interpret='entry=unset_state outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=STATE
// STATE: error: 'cheems.segmented_ssd' op reads element [1, 0, 0, 0, 0] of operand 8, which nothing has written
// RUN: not cheems-opt %s --cheems-interpret='entry=unknown outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: 'vector.broadcast' op cannot be interpreted
// RUN: not cheems-opt %s --cheems-interpret='entry=row_outside outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: error: 'cheems.gather_rows' op asks for row 3 of a table of 3
// RUN: not cheems-opt %s --cheems-interpret='entry=slice_outside outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=SLICE
// SLICE: error: 'tensor.extract_slice' op takes [2] at [2] with strides [1], which is not inside [3]
// RUN: not cheems-opt %s --cheems-interpret='entry=extents outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: error: 'cheems.rms_norm' op takes an operand of shape [3, 2] as [TD], but T is 2
// RUN: not cheems-opt %s --cheems-interpret='entry=no_segment outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NOSEGMENT
// NOSEGMENT: error: 'cheems.positions' op is given row 1, which is in no segment
// RUN: not cheems-opt %s --cheems-interpret='entry=two_segments outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=TWOSEGMENTS
// TWOSEGMENTS: error: 'cheems.positions' op is given segment 1, which has row 0, as another has
// RUN: not cheems-opt %s --cheems-interpret='entry=no_room outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM: error: 'cheems.segmented_attention' op stores 2 entries of slot 0, and pools have room for 1
// RUN: not cheems-opt %s --cheems-interpret='entry=for_ever outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=FOREVER
// FOREVER: error: @for_ever is called 200 calls deep
// RUN: not cheems-opt %s --cheems-interpret='entry=weight outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=WEIGHT
// WEIGHT: error: 'cheems.parameter' op takes the weight 'a', which is not there: give the model's folder as weights=DIR
// RUN: not cheems-opt %s --cheems-interpret='entry=buffers outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=BUFFERS
// BUFFERS: error: @buffers takes 'memref<2xf32>', and only functions on tensors can be interpreted: run them before cheems-enter-buffers
// RUN: not cheems-opt %s --cheems-interpret='entry=wide outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: 'tensor.from_elements' op cannot be interpreted: it puts 9007199254740993 into a tensor, of which only 53 bits are kept
// RUN: not cheems-opt %s --cheems-interpret='entry=nameless outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NAMELESS
// NAMELESS: error: @nameless has argument 0 without a cheems.field or a cheems.name, which names its tensor
// RUN: not cheems-opt %s --cheems-interpret='entry=nameless_result outputs=%t.safetensors' 2>&1 | FileCheck %s --check-prefix=NAMELESSRESULT
// NAMELESSRESULT: error: @nameless_result has result 0 without a cheems.name, which names its tensor
// RUN: not ls %t.safetensors

func.func @unset() -> (tensor<1x2xf32> {cheems.name = "y"}) {
  %one = arith.constant dense<1.0> : tensor<1x1xf32>
  %empty = tensor.empty() : tensor<1x2xf32>
  %half = tensor.insert_slice %one into %empty[0, 0] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x2xf32>
  %weight = arith.constant dense<1.0> : tensor<2xf32>
  %y = cheems.rms_norm epsilon 0.0 ins(%half, %weight : tensor<1x2xf32>, tensor<2xf32>) outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

func.func @unset_element() -> (tensor<2xf32> {cheems.name = "y"}) {
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %half = tensor.insert_slice %one into %empty[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%half : tensor<2xf32>) outs(%empty : tensor<2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @unset_sum() -> (tensor<2x2xf32> {cheems.name = "y"}) {
  %x = arith.constant dense<1.0> : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<2x2xf32>
  %y = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

func.func @unset_result() -> (tensor<2xf32> {cheems.name = "y"}) {
  %one = arith.constant dense<1.0> : tensor<1xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %y = tensor.insert_slice %one into %empty[0] [1] [1] : tensor<1xf32> into tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @unset_state() -> (tensor<1x1x1xf32> {cheems.name = "y"}) {
  %x = arith.constant dense<1.0> : tensor<1x1x1xf32>
  %step = arith.constant dense<1.0> : tensor<1x1xf32>
  %a = arith.constant dense<0.0> : tensor<1xf32>
  %segments = arith.constant dense<[[1, 0, 1, 1, 8, 0, 0, 0]]> : tensor<1x8xi32>
  %pool = tensor.empty() : tensor<2x1x1x1x1xf32>
  %layer = arith.constant 0 : index
  %y:2 = cheems.segmented_ssd ins(%x, %step, %a, %x, %x : tensor<1x1x1xf32>, tensor<1x1xf32>, tensor<1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
      segments(%segments : tensor<1x8xi32>) layer(%layer) outs(%x, %pool : tensor<1x1x1xf32>, tensor<2x1x1x1x1xf32>)
      -> tensor<1x1x1xf32>, tensor<2x1x1x1x1xf32>
  return %y#0 : tensor<1x1x1xf32>
}

func.func @unknown() -> (tensor<2xf32> {cheems.name = "y"}) {
  %one = arith.constant 1.0 : f32
  %vector = vector.broadcast %one : f32 to vector<2xf32>
  %y = tensor.empty() : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @row_outside() -> (tensor<1x2xf32> {cheems.name = "y"}) {
  %table = arith.constant dense<1.0> : tensor<3x2xf32>
  %ids = arith.constant dense<[3]> : tensor<1xi32>
  %empty = tensor.empty() : tensor<1x2xf32>
  %y = cheems.gather_rows ins(%table, %ids : tensor<3x2xf32>, tensor<1xi32>) outs(%empty : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}

func.func @slice_outside() -> (tensor<?xf32> {cheems.name = "y"}) {
  %x = arith.constant dense<1.0> : tensor<3xf32>
  %two = arith.constant 2 : index
  %y = tensor.extract_slice %x[%two] [%two] [1] : tensor<3xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @extents() -> (tensor<?x2xf32> {cheems.name = "y"}) {
  %x = arith.constant dense<1.0> : tensor<2x2xf32>
  %any = tensor.cast %x : tensor<2x2xf32> to tensor<?x2xf32>
  %weight = arith.constant dense<1.0> : tensor<2xf32>
  %three = arith.constant 3 : index
  %empty = tensor.empty(%three) : tensor<?x2xf32>
  %y = cheems.rms_norm epsilon 0.0 ins(%any, %weight : tensor<?x2xf32>, tensor<2xf32>) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

func.func @no_segment() -> (tensor<2xi32> {cheems.name = "y"}) {
  %segments = arith.constant dense<[[0, 0, 1, 0, 8, 0, 0, 0]]> : tensor<1x8xi32>
  %empty = tensor.empty() : tensor<2xi32>
  %y:2 = cheems.positions ins(%segments : tensor<1x8xi32>) outs(%empty, %empty : tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>, tensor<2xi32>
  return %y#0 : tensor<2xi32>
}

func.func @two_segments() -> (tensor<2xi32> {cheems.name = "y"}) {
  %segments = arith.constant dense<[[0, 0, 1, 0, 8, 0, 0, 0], [1, 0, 2, 0, 8, 0, 0, 0]]> : tensor<2x8xi32>
  %empty = tensor.empty() : tensor<2xi32>
  %y:2 = cheems.positions ins(%segments : tensor<2x8xi32>) outs(%empty, %empty : tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>, tensor<2xi32>
  return %y#0 : tensor<2xi32>
}

func.func @no_room() -> (tensor<2x1x1xf32> {cheems.name = "y"}) {
  %zero = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<2x1x1xf32>
  %mask = arith.constant dense<1.0> : tensor<2x1xf32>
  %segments = arith.constant dense<[[0, 0, 2, 0, 8, 0, 0, 0]]> : tensor<1x8xi32>
  %pool = tensor.empty() : tensor<1x1x1x1x1xf32>
  %masks = tensor.empty() : tensor<1x1x1x1xf32>
  %y:4 = cheems.segmented_attention bias scale 1.0 block 2 ins(%x, %x, %x : tensor<2x1x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
      mask(%mask : tensor<2x1xf32>) segments(%segments : tensor<1x8xi32>) layer(%zero)
      outs(%x, %pool, %pool, %masks : tensor<2x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1xf32>)
      -> tensor<2x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1xf32>
  return %y#0 : tensor<2x1x1xf32>
}

func.func @for_ever() -> (tensor<1xf32> {cheems.name = "y"}) {
  %y = call @for_ever() : () -> tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @weight() -> (tensor<1xf32> {cheems.name = "y"}) {
  %y = cheems.parameter ["a"] : tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @wide() -> (tensor<1xi64> {cheems.name = "y"}) {
  %wide = arith.constant 9007199254740993 : i64
  %y = tensor.from_elements %wide : tensor<1xi64>
  return %y : tensor<1xi64>
}

func.func @nameless(%x: tensor<2xf32>) -> (tensor<2xf32> {cheems.name = "y"}) {
  return %x : tensor<2xf32>
}

func.func @nameless_result() -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %y = tensor.from_elements %zero : tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @buffers(%y: memref<2xf32> {cheems.name = "y"}) {
  return
}
