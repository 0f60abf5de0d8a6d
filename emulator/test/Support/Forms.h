//===- Forms.h - Lists of statements that are taken or not -*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_SUPPORT_FORMS_H
#define CHEEMS_EMULATOR_TEST_SUPPORT_FORMS_H

#include "OneKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>

/// NVIDIA's assembler (CUDA 13.0) takes and refuses the same statements, except
/// where a comment says why not.
namespace cheems::emulator::test {

inline void expectTaken(std::initializer_list<const char *> statements) {
  for (const char *statement : statements) {
    EXPECT_EQ(refusal(statement), "") << statement;
  }
}

struct Wrong {
  const char *statement;
  const char *reason;
};

inline void expectRefused(std::initializer_list<Wrong> list,
                          int architecture = 90) {
  for (const Wrong &wrong : list) {
    EXPECT_THAT(refusal(wrong.statement, architecture),
                testing::HasSubstr(wrong.reason))
        << wrong.statement;
  }
}

} // namespace cheems::emulator::test

#endif
