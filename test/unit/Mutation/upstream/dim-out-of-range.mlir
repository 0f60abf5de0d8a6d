// stage: cheems-to-buffers
// frame: ValueBoundsConstraintSet
// tensor.dim of a constant index past the rank verifies (its value is
// undefined); the analysis of slices takes the index for one of the shape's.
func.func @computed_then_inserted(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %at: index) {
  %c = arith.constant -1 : index
  %0 = bufferization.to_tensor %x restrict : memref<?x64xf32> to tensor<?x64xf32>
  %1 = bufferization.to_tensor %y restrict writable : memref<?x64xf32> to tensor<?x64xf32>
  %n = tensor.dim %0, %c : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %s = linalg.add ins(%0, %0 : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %r = tensor.insert_slice %s into %1[%at, 0] [%n, 64] [1, 1] : tensor<?x64xf32> into tensor<?x64xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x64xf32>, memref<?x64xf32>) -> ()
  return
}
