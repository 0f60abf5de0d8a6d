if(CHEEMS_BUILD_FUZZERS AND TARGET CheemsArtifact)
  cheems_fuzz_target(fuzz_artifact artifact.cpp LINK CheemsArtifact)
endif()
