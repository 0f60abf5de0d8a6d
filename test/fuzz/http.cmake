cheems_fuzz_target(fuzz_http http.cpp LINK CheemsServeHttp)
