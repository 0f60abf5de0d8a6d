# Sourced by the tests of this folder, with $work set: CMake's arguments that compile through ccache where it is. What is compiled is named below
# $work, whatever folder that is, and headers that were installed a moment ago are taken by their contents.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=include_file_mtime,include_file_ctime
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
export CMAKE_BUILD_PARALLEL_LEVEL=1 # CTest has other tests for other cores
