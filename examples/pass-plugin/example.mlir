// Input of count-products. README.md beside this file shows how to run it.
func.func @two(%x: tensor<4x8xf32>, %plain: tensor<8x16xf32>, %panels: tensor<1x16x16x1xf32>,
               %h: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = linalg.matmul ins(%x, %plain : tensor<4x8xf32>, tensor<8x16xf32>) outs(%h : tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = cheems_cpu.linear ins(%0 : tensor<4x16xf32>) weights(%panels : tensor<1x16x16x1xf32>)
      outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

func.func @none(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = cheems.rms_norm epsilon 1.0e-06 ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>)
                                       outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
