if(CHEEMS_BUILD_FUZZERS AND TARGET CheemsEmulatorPTX)
  cheems_fuzz_target(fuzz_ptx ptx.cpp LINK CheemsEmulatorPTX)
  target_compile_features(fuzz_ptx PRIVATE cxx_std_20)
endif()
