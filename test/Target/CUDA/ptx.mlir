// A kernel of llvm and nvvm ops becomes PTX that runs: pointers into shared memory have 32 bits, accesses stay as wide as
// written, arithmetic on vectors is on numbers, and the version is the lowest that the GPU has.
// REQUIRES: cheems-translate, cheems-ptx-run
// RUN: cheems-translate %s --to-ptx --cuda-arch sm_80 -o %t.80.ptx
// RUN: cheems-translate --to-ptx < %s > %t.90.ptx
// RUN: FileCheck %s --check-prefixes=PTX,OLD < %t.80.ptx
// RUN: FileCheck %s --check-prefixes=PTX,NEW < %t.90.ptx
// RUN: cheems-translate %s --to-ptx -o %t.again.ptx
// RUN: cmp %t.90.ptx %t.again.ptx
// RUN: cheems-ptx-run %t.80.ptx --arch 80 --grid 1 --block 32 --shared 512 --buffer x:f32[12]=iota --arg s32:3 \
// RUN:   --buffer y:f32[12]=none --print y | FileCheck %s --check-prefix=RAN
// RUN: cheems-translate %s --to-ptx | cheems-ptx-run - --grid 1 --block 32 --shared 512 --buffer x:f32[12]=iota --arg s32:3 \
// RUN:   --buffer y:f32[12]=none --print y | FileCheck %s --check-prefix=RAN
// RUN: cheems-translate %s --to-llvm | FileCheck %s --check-prefix=LLVM

// OLD: .version 7.1
// OLD: .target sm_80
// NEW: .version 8.0
// NEW: .target sm_90a
// PTX: .extern .shared .align 1024 .b8 cheems_shared[];
// PTX: .visible .entry double(
// PTX-NEXT: .param .u64 .ptr .global .align 16 double_param_0,
// PTX-NEXT: .param .u32 double_param_1,
// PTX: .reqntid 32, 1, 1
// PTX: mov.b32 %r{{[0-9]+}}, cheems_shared;
// PTX: ld.global.nc.v4.b32
// PTX-COUNT-4: add.rn.f32
// PTX: st.shared.v4.b32 [%r
// PTX: bar.sync 0;

// RAN: 0 2 4 6 8 10 12 14 16 18 20 22

// LLVM: target datalayout = "{{.*}}p3:32:32
// LLVM: define ptx_kernel void @double
// LLVM-NOT: fadd <4 x float>
gpu.module @kernels {
  llvm.mlir.global external @cheems_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @double(%x: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64, llvm.readonly}, %n: i32,
                    %y: !llvm.ptr<1> {llvm.noalias, llvm.align = 16 : i64})
      attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %other = llvm.sub %c31, %t : i32
    %shared = llvm.mlir.addressof @cheems_shared : !llvm.ptr<3>
    %read = llvm.icmp "slt" %t, %n : i32
    llvm.cond_br %read, ^read, ^wait
  ^read:
    %from = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %v = llvm.load %from {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %d = llvm.fadd %v, %v : vector<4xf32>
    %put = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
    llvm.store %d, %put {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
    llvm.br ^wait
  ^wait:
    nvvm.barrier0
    %write = llvm.icmp "slt" %other, %n : i32
    llvm.cond_br %write, ^write, ^end
  ^write:
    %get = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xf32>
    %w = llvm.load %get {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    %to = llvm.getelementptr %y[%other] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    llvm.store %w, %to {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
