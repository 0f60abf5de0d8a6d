if(CHEEMS_BUILD_FUZZERS AND TARGET CheemsCheckpoint)
  cheems_fuzz_target(fuzz_config config.cpp LINK CheemsCheckpoint)
endif()
