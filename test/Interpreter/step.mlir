// Arguments and results in files, by their names: what a step leaves goes into the next.
// RUN: python3 %S/Inputs/tensors.py write %t.first.safetensors 'tokens=I64[3]:1,2,0' 'segments=I32[1,8]:0,0,3,0,8,0,0,0' 'rows=I32[2]:0,2'
// RUN: cheems-opt %s --cheems-interpret='inputs=%t.first.safetensors outputs=%t.one.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.one.safetensors | FileCheck %s --check-prefix=ONE
// Without decay the state is the sum of the tokens' numbers so far. The slot and no more is made.
// ONE: logits F32 [2, 1, 1] 20 60
// ONE: ssd F32 [1, 1, 1, 1, 1] 60
// RUN: python3 %S/Inputs/tensors.py write %t.second.safetensors 'tokens=I32[1]:1' 'segments=I32[1,8]:0,0,1,3,8,0,0,0' 'rows=I32[1]:0'
// RUN: cheems-opt %s --cheems-interpret='entry=step inputs=%t.second.safetensors,%t.one.safetensors outputs=%t.two.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.two.safetensors | FileCheck %s --check-prefix=TWO
// TWO: logits F32 [1, 1, 1] 80
// TWO: ssd F32 [1, 1, 1, 1, 1] 80

// What is missing, or is not as wanted, is refused.
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.second.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=POOL
// POOL: error: inputs have no pool 'ssd', and segment 0 goes on at a position: give the outputs of the step before
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'tokens=I32[1]:1' 'segments=I32[1,8]:2147483647,0,1,0,8,0,0,0' 'rows=I32[1]:0'
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.odd.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=SLOTS
// SLOTS: error: inputs have no pool 'ssd', and segments need [2147483648, 1, 1, 1, 1], which is too large: check their slots
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.one.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=TOKENS
// TOKENS: error: inputs have no tensor 'tokens', which @step takes as 'tensor<?xi32>': add it to a file of inputs
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.first.safetensors,%t.second.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: inputs have two tensors 'tokens': leave one out
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'token=I32[1]:1'
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.second.safetensors,%t.odd.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: inputs: tensor 'token' is no argument of @step, which takes tokens, segments, rows, logits, ssd
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'tokens=F32[1]:1'
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.odd.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: inputs: tensor 'tokens' is of F32, and elements of i32 are wanted: write it as I32
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'tokens=I64[1]:2147483648'
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.odd.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: inputs: tensor 'tokens' has the element [0], 2147483648.000000, which is no i32
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'segments=I32[1,5]:0'
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.odd.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: inputs: tensor 'segments' has the shape [1, 5], and is to be 'tensor<?x8xi32>'
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.none.safetensors outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: {{.*}}.none.safetensors: No such file or directory
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.first.safetensors' 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// OUTPUTS: error: no file to write: name one as outputs=FILE.safetensors
// RUN: not cheems-opt %s --cheems-interpret='entry=other outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: the module has no function 'other': name one as entry=NAME
// RUN: not cheems-opt %s --cheems-interpret='weights=%t.none outputs=%t.no' 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: error: {{.*}}.none: no such model folder
// RUN: not cheems-opt %s --cheems-interpret='inputs=%t.first.safetensors outputs=%t.none/out' 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: error: cannot write {{.*}}.none/out': No such file or directory
// RUN: not ls %t.no

module attributes {cheems.state = [#cheems.pool<name = "ssd", role = running, type = f32, shape = [slots, 1, 1, 1, 1]>]} {
  func.func @step(%tokens: tensor<?xi32> {cheems.field = #cheems.step_field<tokens>}, %segments: tensor<?x8xi32> {cheems.field = #cheems.step_field<segments>},
      %rows: tensor<?xi32> {cheems.field = #cheems.step_field<rows>}, %logits: tensor<?x1x1xf32> {cheems.field = #cheems.step_field<logits>},
      %pool: tensor<?x1x1x1x1xf32> {cheems.field = #cheems.step_field<pools>, cheems.index = 0 : i64}) -> (tensor<?x1x1xf32>, tensor<?x1x1x1x1xf32>) {
    %zero = arith.constant 0 : index
    %table = arith.constant dense<[[10.0], [20.0], [30.0]]> : tensor<3x1xf32>
    %count = tensor.dim %tokens, %zero : tensor<?xi32>
    %empty = tensor.empty(%count) : tensor<?x1xf32>
    %x = cheems.gather_rows ins(%table, %tokens : tensor<3x1xf32>, tensor<?xi32>) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
    %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%count, 1, 1] : tensor<?x1xf32> into tensor<?x1x1xf32>
    %one = arith.constant 1.0 : f32
    %steps = linalg.fill ins(%one : f32) outs(%empty : tensor<?x1xf32>) -> tensor<?x1xf32>
    %ones = tensor.expand_shape %steps [[0], [1, 2]] output_shape [%count, 1, 1] : tensor<?x1xf32> into tensor<?x1x1xf32>
    %a = arith.constant dense<0.0> : tensor<1xf32>
    %room = tensor.empty(%count) : tensor<?x1x1xf32>
    %y:2 = cheems.segmented_ssd
        ins(%heads, %steps, %a, %ones, %ones : tensor<?x1x1xf32>, tensor<?x1xf32>, tensor<1xf32>, tensor<?x1x1xf32>, tensor<?x1x1xf32>)
        segments(%segments : tensor<?x8xi32>) layer(%zero)
        outs(%room, %pool : tensor<?x1x1xf32>, tensor<?x1x1x1x1xf32>) -> tensor<?x1x1xf32>, tensor<?x1x1x1x1xf32>
    %all = tensor.collapse_shape %y#0 [[0], [1, 2]] : tensor<?x1x1xf32> into tensor<?x1xf32>
    %wanted = tensor.dim %rows, %zero : tensor<?xi32>
    %flat = tensor.collapse_shape %logits [[0], [1, 2]] : tensor<?x1x1xf32> into tensor<?x1xf32>
    %chosen = cheems.gather_rows ins(%all, %rows : tensor<?x1xf32>, tensor<?xi32>) outs(%flat : tensor<?x1xf32>) -> tensor<?x1xf32>
    %result = tensor.expand_shape %chosen [[0], [1, 2]] output_shape [%wanted, 1, 1] : tensor<?x1xf32> into tensor<?x1x1xf32>
    return %result, %y#1 : tensor<?x1x1xf32>, tensor<?x1x1x1x1xf32>
  }
}
