// What a run chooses is noted, and may be that of another computation.
// Two rows with a head of four experts. In the first one expert 0 has the score 1, and expert 2 has 0.9.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors chosen=%t.chosen.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s --check-prefix=OWN
// RUN: python3 %S/Inputs/tensors.py show %t.chosen.safetensors | FileCheck %s --check-prefix=OWN-CHOICE
// OWN: logits F32 [2, 2] 1 0 4 4
// OWN-CHOICE: experts.0 I32 [2, 1, 1] 0 3
// OWN-CHOICE: experts.0.loss F64 [2, 1] 0 0

// A choice is followed, and what it loses is 0.1 of the scores' deviation of 2.218. The second row chooses by itself.
// RUN: python3 %S/Inputs/tensors.py write %t.choices.safetensors 'experts.0=I32[2,1,1]:2,-1'
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.safetensors choices=%t.choices.safetensors chosen=%t.chosen.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s --check-prefix=GIVEN
// RUN: python3 %S/Inputs/tensors.py show %t.chosen.safetensors | FileCheck %s --check-prefix=GIVEN-CHOICE
// GIVEN: logits F32 [2, 2] 0 3 4 4
// GIVEN-CHOICE: experts.0 I32 [2, 1, 1] 2 3
// GIVEN-CHOICE: experts.0.loss F64 [2, 1] 0.0450{{.*}} 0

// Logits show that it was chosen.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.found.safetensors follow=%t.safetensors within=0.01 reach=0.05 chosen=%t.chosen.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.found.safetensors | FileCheck %s --check-prefix=GIVEN
// RUN: python3 %S/Inputs/tensors.py show %t.chosen.safetensors | FileCheck %s --check-prefix=GIVEN-CHOICE
// What loses more is not tried.
// RUN: cheems-opt %s --cheems-interpret='entry=main outputs=%t.found.safetensors follow=%t.safetensors within=0.01 reach=0.04' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.found.safetensors | FileCheck %s --check-prefix=OWN

// A window of one entry: masks are 1, 2 and 0.5, of values 10, 20 and 30. They are ranked by others, and the best mask that is left out is 2.
// RUN: cheems-opt %s --cheems-interpret='entry=window outputs=%t.safetensors chosen=%t.chosen.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s --check-prefix=WINDOW
// RUN: python3 %S/Inputs/tensors.py show %t.chosen.safetensors | FileCheck %s --check-prefix=WINDOW-CHOICE
// WINDOW: logits F32 [3, 1, 1] 10 20 20
// WINDOW-CHOICE: masks.0 F64 [3, 1] 1 2 0.5
// WINDOW-CHOICE: masks.0.loss F64 [3, 1] 0 0 0
// RUN: python3 %S/Inputs/tensors.py write %t.choices.safetensors 'masks.0=F32[3,1]:nan,0.75,nan'
// RUN: cheems-opt %s --cheems-interpret='entry=window outputs=%t.safetensors choices=%t.choices.safetensors chosen=%t.chosen.safetensors' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.safetensors | FileCheck %s --check-prefix=RANKED
// RUN: python3 %S/Inputs/tensors.py show %t.chosen.safetensors | FileCheck %s --check-prefix=RANKED-CHOICE
// RANKED: logits F32 [3, 1, 1] 10 10 10
// RANKED-CHOICE: masks.0 F64 [3, 1] 1 0.75 0.5
// RANKED-CHOICE: masks.0.loss F64 [3, 1] 0 1.6035{{.*}} 1.6035
// RUN: cheems-opt %s --cheems-interpret='entry=window outputs=%t.found.safetensors follow=%t.safetensors within=0.01 reach=1.7' -o /dev/null
// RUN: python3 %S/Inputs/tensors.py show %t.found.safetensors | FileCheck %s --check-prefix=RANKED

// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'experts.0=I32[2,1,1]:4,0'
// RUN: not cheems-opt %s --cheems-interpret='entry=main outputs=%t.no choices=%t.odd.safetensors' 2>&1 | FileCheck %s --check-prefix=EXPERT
// EXPERT: error: 'cheems.retrieve_experts' op is to choose 'experts.0' with an expert twice, or with one that is not in 0 to 3
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'experts.0=I32[2]:0'
// RUN: not cheems-opt %s --cheems-interpret='entry=main outputs=%t.no choices=%t.odd.safetensors' 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: 'cheems.retrieve_experts' op is to choose 'experts.0' of shape [2], and chooses [2, 1, 1]
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'experts.1=I32[2,1,1]:0'
// RUN: not cheems-opt %s --cheems-interpret='entry=main outputs=%t.no choices=%t.odd.safetensors' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: choices: tensor 'experts.1' is nothing that @main chooses
// RUN: not cheems-opt %s --cheems-interpret='entry=main outputs=%t.no follow=%t.odd.safetensors' 2>&1 | FileCheck %s --check-prefix=LOGITS
// LOGITS: error: {{.*}}.odd.safetensors has no tensor 'logits' to follow
// RUN: python3 %S/Inputs/tensors.py write %t.odd.safetensors 'logits=F32[1,2]:0'
// RUN: not cheems-opt %s --cheems-interpret='entry=main outputs=%t.no follow=%t.odd.safetensors' 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: {{.*}}.odd.safetensors has other logits than those of @main: [1, 2], not [2, 2]
func.func @main() -> (tensor<2x2xf32> {cheems.name = "logits"}) {
  %halves = arith.constant dense<[[[[1.0, 0.9]], [[0.0, -5.0]]], [[[0.0, 2.0]], [[0.0, 3.0]]]]> : tensor<2x2x1x2xf32>
  %e0 = tensor.empty() : tensor<2x1x1xf32>
  %e1 = tensor.empty() : tensor<2x1x1xi32>
  %best:2 = cheems.retrieve_experts ins(%halves : tensor<2x2x1x2xf32>) outs(%e0, %e1 : tensor<2x1x1xf32>, tensor<2x1x1xi32>)
      -> tensor<2x1x1xf32>, tensor<2x1x1xi32>
  %x = arith.constant dense<[[1.0, 0.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %y = arith.constant dense<0.0> : tensor<2x2xf32>
  %down = arith.constant dense<1.0> : tensor<4x2xf32>
  %up = arith.constant dense<[[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [4.0, 4.0]]> : tensor<4x2xf32>
  %mixed = cheems.mix_experts softmax relu
      ins(%x, %best#0, %best#1, %down, %up : tensor<2x2xf32>, tensor<2x1x1xf32>, tensor<2x1x1xi32>, tensor<4x2xf32>, tensor<4x2xf32>)
      outs(%y : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %mixed : tensor<2x2xf32>
}

func.func @window() -> (tensor<3x1x1xf32> {cheems.name = "logits"}) {
  %zero = arith.constant 0 : index
  %queries = arith.constant dense<0.0> : tensor<3x1x1xf32>
  %values = arith.constant dense<[[[10.0]], [[20.0]], [[30.0]]]> : tensor<3x1x1xf32>
  %masks = arith.constant dense<[[1.0], [2.0], [0.5]]> : tensor<3x1xf32>
  %segments = arith.constant dense<[[0, 0, 3, 0, 8, 0, 0, 0]]> : tensor<1x8xi32>
  %pool = tensor.empty() : tensor<1x1x1x1x1xf32>
  %maskPool = tensor.empty() : tensor<1x1x1x1xf32>
  %positionPool = tensor.empty() : tensor<1x1x1x1xi32>
  %rows = tensor.empty() : tensor<3x1x1xf32>
  %s:5 = cheems.segmented_attention bias scale 1.0 keep 1 block 2
      ins(%queries, %queries, %values : tensor<3x1x1xf32>, tensor<3x1x1xf32>, tensor<3x1x1xf32>) mask(%masks : tensor<3x1xf32>)
      segments(%segments : tensor<1x8xi32>) layer(%zero)
      outs(%rows, %pool, %pool, %maskPool : tensor<3x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1xf32>)
      positions(%positionPool : tensor<1x1x1x1xi32>)
      -> tensor<3x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xf32>, tensor<1x1x1x1xf32>, tensor<1x1x1x1xi32>
  return %s#0 : tensor<3x1x1xf32>
}
