//===- FormsTest.cpp - What of shfl and its kin is taken ------------------===//
// PTX ISA, the sections that stand above each test
#include "Support/Forms.h"

using namespace cheems::emulator::test;

namespace {

// "shfl.sync"
TEST(ExchangeForms, Shuffles) {
  expectTaken({
      "shfl.sync.bfly.b32 %r1,%r2,1,31,-1;",
      "shfl.sync.bfly.b32 %r1|%p1,%r2,1,31,-1;",
      "shfl.sync.bfly.b32 %r1|%p1,%r2,%r3,%r4,%r5;",
      "shfl.sync.bfly.b32 %r1|_,%r2,%r3,%r4,%r5;",
      "shfl.sync.bfly.b32 %f1,%f2,1,31,-1;",
      "shfl.sync.idx.b32 %r1,5,1,31,-1;",
      "shfl.sync.idx.b32 %r1,%r2,33,31,-1;",
      "shfl.sync.idx.b32 %r1,%r2,1,0x1c1f,-1;",
  });
  expectRefused({
      {"shfl.sync.bfly.b32 _|%p1,%r2,%r3,%r4,%r5;", "nothing takes its value"},
      {"shfl.sync.bfly.b32 _,%r2,%r3,%r4,%r5;", "nothing takes its value"},
      {"shfl.sync.bfly.b64 %l1,%l2,1,31,-1;",
       "the type '.b64' is not allowed here"},
      {"shfl.sync.bfly.u32 %r1,%r2,1,31,-1;",
       "the type '.u32' is not allowed here"},
      {"shfl.bfly.b32 %r1,%r2,1,31;",
       "without .sync it is not for sm_70 and later"},
      {"shfl.sync.idx.b32 %r1,%r2,1,31;", "it has 4 operands instead of 5"},
  });
}

// "vote.sync"
TEST(ExchangeForms, Votes) {
  expectTaken({
      "vote.sync.all.pred %p1,%p2,-1;",
      "vote.sync.any.pred %p1,!%p2,%r1;",
      "vote.sync.uni.pred %p1,%p2,-1;",
      "vote.sync.ballot.b32 %r1,%p2,-1;",
      "vote.sync.ballot.b32 %r1,!%p2,-1;",
      "vote.sync.ballot.b32 %r1,1,-1;",
  });
  expectRefused({
      {"vote.sync.ballot.b32 _,%p2,-1;", "nothing takes its result"},
      {"vote.ballot.b32 %r1,%p2;",
       "without .sync it is not for sm_70 and later"},
      {"vote.sync.all.pred %p1,%p2;", "it has 2 operands instead of 3"},
  });
}

// "match.sync"
TEST(ExchangeForms, Matches) {
  expectTaken({
      "match.any.sync.b32 %r1,%r2,-1;",
      "match.any.sync.b64 %r1,%l2,-1;",
      "match.all.sync.b32 %r1|%p1,%r2,-1;",
      "match.all.sync.b32 %r1,%r2,-1;",
      "match.all.sync.b64 _|%p1,%l2,-1;",
      "match.all.sync.b64 %r1|_,%l2,-1;",
      "match.sync.any.b32 %r1,%r2,-1;",
  });
  expectRefused({
      {"match.any.sync.b32 %r1|%p1,%r2,-1;", "match.any has no predicate"},
      {"match.any.sync.u32 %r1,%r2,-1;", "the type '.u32' is not allowed here"},
  });
}

// "redux.sync"
TEST(ExchangeForms, WarpReductions) {
  expectTaken({
      "redux.sync.add.u32 %r1,%r2,-1;",
      "redux.sync.add.s32 %r1,%r2,-1;",
      "redux.sync.and.b32 %r1,%r2,-1;",
      "redux.sync.min.s32 %r1,%r2,%r3;",
      "redux.sync.add.s32 %r1,5,-1;",
  });
  expectRefused({
      {"redux.sync.add.b32 %r1,%r2,-1;", "the type '.b32' is not allowed here"},
      {"redux.sync.and.u32 %r1,%r2,-1;", "the type '.u32' is not allowed here"},
      {"redux.sync.min.f32 %f1,%f2,%r3;",
       "the type '.f32' is not allowed here"},
      {"redux.sync.add.u64 %l1,%l2,%r3;",
       "the type '.u64' is not allowed here"},
      {"redux.add.s32 %r1,5,-1;", "it needs .sync"},
  });
}

} // namespace
