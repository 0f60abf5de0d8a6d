// The first launch that has an area begins its use, and the last one ends it.
// RUN: cheems-opt %s --pass-pipeline='builtin.module(cheems_plan.entry(cheems-plan-share-areas))' | FileCheck %s

// The third area takes the memory of the first, which nobody uses any more; the second is still in use.
// CHECK-LABEL: cheems_plan.entry @step
// CHECK: %[[A:area.*]] = cheems_plan.area %[[BYTES:.*]]
// CHECK-NEXT: %[[B:area.*]] = cheems_plan.area %[[BYTES]]
// CHECK-NOT: cheems_plan.area
// CHECK: launch @copy {{.*}} (%weights, %[[A]])
// CHECK-NEXT: launch @copy {{.*}} (%[[A]], %[[B]])
// CHECK-NEXT: launch @copy {{.*}} (%[[B]], %[[A]])

// doc: cheems_plan.entry(cheems-plan-share-areas)
cheems_tile.kernel @copy(%x: memref<64xf32>, %y: memref<64xf32>) warps(1) {
  cheems_tile.return
}
cheems_plan.entry @step general {
  %one = arith.constant 1 : index
  %bytes = arith.constant 256 : index
  %x = cheems_plan.weights 0
  %a = cheems_plan.area %bytes
  %b = cheems_plan.area %bytes
  %c = cheems_plan.area %bytes
  cheems_plan.launch @copy grid(%one, %one, %one) (%x, %a) : !cheems_plan.address, !cheems_plan.address
  cheems_plan.launch @copy grid(%one, %one, %one) (%a, %b) : !cheems_plan.address, !cheems_plan.address
  cheems_plan.launch @copy grid(%one, %one, %one) (%b, %c) : !cheems_plan.address, !cheems_plan.address
}
// doc-end

cheems_tile.kernel @boxes(%x: !cheems_tile.tensor_map<8x64xbf16>, %y: memref<64xf32>) warps(1) {
  cheems_tile.return
}

// A tensor map uses its area. One of another size has memory of its own. A launch under a condition counts. One without launches is gone.
// CHECK-LABEL: cheems_plan.entry @maps
// CHECK: %[[LARGE:area.*]] = cheems_plan.area %c512
// CHECK-NEXT: %[[SMALL:area.*]] = cheems_plan.area %c256
// CHECK-NEXT: %[[OTHER:area.*]] = cheems_plan.area %c256
// CHECK-NOT: cheems_plan.area
// CHECK: %[[MAP:.*]] = cheems_plan.tensor_map %[[SMALL]]
// CHECK: launch @copy {{.*}} (%[[LARGE]], %[[SMALL]])
// CHECK: launch @boxes {{.*}} (%[[MAP]], %[[OTHER]])
// CHECK: launch @copy {{.*}} (%[[OTHER]], %[[SMALL]])
cheems_plan.entry @maps decode(1) {
  %one = arith.constant 1 : index
  %rows = cheems_plan.size rows
  %few = arith.cmpi ult, %rows, %one : index
  %bytes = arith.constant 256 : index
  %more = arith.constant 512 : index
  %large = cheems_plan.area %more
  %small = cheems_plan.area %bytes
  %other = cheems_plan.area %bytes
  %last = cheems_plan.area %bytes
  %unused = cheems_plan.area %bytes
  %map = cheems_plan.tensor_map %small[%rows, %one] : !cheems_tile.tensor_map<8x64xbf16>
  cheems_plan.launch @copy grid(%one, %one, %one) (%large, %small) : !cheems_plan.address, !cheems_plan.address
  cheems_plan.when %few {
    cheems_plan.launch @boxes grid(%one, %one, %one) (%map, %other) : !cheems_tile.tensor_map<8x64xbf16>, !cheems_plan.address
    cheems_plan.launch @copy grid(%one, %one, %one) (%other, %last) : !cheems_plan.address, !cheems_plan.address
  }
}

// Who stands first is not who is used first.
// CHECK-LABEL: cheems_plan.entry @turned
// CHECK: %[[AREA:area.*]] = cheems_plan.area
// CHECK-NOT: cheems_plan.area
// CHECK: %[[MAP:.*]] = cheems_plan.tensor_map %[[AREA]]
// CHECK: launch @copy {{.*}} (%weights, %[[AREA]])
// CHECK: launch @boxes {{.*}} (%[[MAP]], %weights)
cheems_plan.entry @turned top_logits(1) {
  %one = arith.constant 1 : index
  %bytes = arith.constant 256 : index
  %x = cheems_plan.weights 0
  %second = cheems_plan.area %bytes
  %map = cheems_plan.tensor_map %second[%one, %one] : !cheems_tile.tensor_map<8x64xbf16>
  %first = cheems_plan.area %bytes
  cheems_plan.launch @copy grid(%one, %one, %one) (%x, %first) : !cheems_plan.address, !cheems_plan.address
  cheems_plan.launch @boxes grid(%one, %one, %one) (%map, %x) : !cheems_tile.tensor_map<8x64xbf16>, !cheems_plan.address
}
