//===- Paths.h - Where the files are that tests read ------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TEST_SUPPORT_PATHS_H
#define CHEEMS_EMULATOR_TEST_SUPPORT_PATHS_H

namespace cheems::emulator::test {
extern const char testFolder[]; ///< emulator/test
} // namespace cheems::emulator::test

#endif
