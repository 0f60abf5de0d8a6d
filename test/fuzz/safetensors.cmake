if(CHEEMS_BUILD_FUZZERS AND TARGET CheemsCheckpoint)
  cheems_fuzz_target(fuzz_safetensors safetensors.cpp LINK CheemsCheckpoint)
endif()
