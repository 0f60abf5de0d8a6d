# What tests of all parts share.
#
#   cheems_long(TEST...)            of `scripts/test.sh --long` alone: they take long, are many of one kind, or need what few machines have
#   cheems_strict(TEST...)          they run our own kernels: what the software GPU only warns of elsewhere is an error there
#   cheems_test_with_packages(NAME 'PACKAGE==VERSION...' COMMAND...)   with packages of PyPI; skipped where they cannot be had outside CI
#   cheems_fuzz_target(NAME sources... [LINK libraries...])            for libFuzzer; its seeds are in corpus/NAME beside it

function(cheems_long)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS long)
endfunction()

# ENVIRONMENT is set in some places as a whole, so this is apart from it.
function(cheems_strict)
  set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT_MODIFICATION CHEEMS_EMULATOR_STRICT=set:1)
endfunction()

cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH _cheems_clone)
set(CHEEMS_WITH_PACKAGES ${_cheems_clone}/scripts/testing/with_packages.sh)
function(cheems_test_with_packages name packages)
  add_test(NAME ${name} COMMAND ${CHEEMS_WITH_PACKAGES} ${CMAKE_BINARY_DIR}/packages/${name} ${packages} ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

set(_cheems_fuzz_runner ${_cheems_clone}/test/fuzz/run.sh)
function(cheems_fuzz_target name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  if(NOT CHEEMS_BUILD_FUZZERS)
    return()
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} cheems_options cheems_coverage)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  # a short run; a long one is CHEEMS_FUZZ_SECONDS=3600 with the same command
  add_test(NAME ${name} COMMAND ${_cheems_fuzz_runner} $<TARGET_FILE:${name}>
           ${CMAKE_CURRENT_SOURCE_DIR}/corpus/${name} ${CMAKE_CURRENT_BINARY_DIR}/found/${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 100000) # its own limit is the seconds asked for
endfunction()
