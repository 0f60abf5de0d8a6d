// Says where the files are that tests use. The build writes these constants
// into one file of its own, so that all other objects of tests are the same in
// every folder, and a compiler's cache serves them there, too.
#ifndef CHEEMS_TEST_TEST_PATHS_H
#define CHEEMS_TEST_TEST_PATHS_H

namespace cheems::test_paths {
extern const char sourceFolder[]; ///< The root of the project.
// The build has these files; a name is empty if it has no such target:
extern const char cheemsLibrary[]; ///< libcheems.so
extern const char nameList[];      ///< nm
extern const char privateLoad[];   ///< The program ApiPrivateLoad.
extern const char softwareGPU[];   ///< The software GPU's driver.
extern const char faultyDriver[];  ///< A driver that fails when it is told to.
extern const char fakeModel[];     ///< Stand-ins for compiled code.
extern const char talkingModel[];
extern const char hybridModel[];
} // namespace cheems::test_paths

#endif // CHEEMS_TEST_TEST_PATHS_H
