# Binaries, libcheems, cheems.h and a CMake package.
