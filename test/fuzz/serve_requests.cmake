if(CHEEMS_BUILD_FUZZERS)
  find_package(GTest REQUIRED) # of the stand-ins that it shares with the unit tests
  cheems_fuzz_target(fuzz_serve_requests serve_requests.cpp ${CMAKE_SOURCE_DIR}/test/unit/ServeApi/ServeApiKit.cpp
    LINK CheemsServeApi CheemsTalkingArtifact GTest::gtest cheems_test_options)
endif()
