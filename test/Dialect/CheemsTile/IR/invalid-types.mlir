// What buffers, layouts, tiles and targets may be.
// RUN: cheems-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{a buffer has stages, rows and columns}}
func.func private @f(!cheems_tile.buffer<2x4xf32>)

// -----

// expected-error@below {{a buffer has stages, rows and columns}}
func.func private @f(!cheems_tile.buffer<1x2x4x8xf32>)

// -----

// expected-error@below {{a buffer has stages, rows and columns}}
func.func private @f(!cheems_tile.buffer<0x4x8xf32>)

// -----

// expected-error@below {{a buffer has elements of f32, f16, bf16, i32 or i8, not 'f64'}}
func.func private @f(!cheems_tile.buffer<1x4x8xf64>)

// -----

// expected-error@below {{a swizzled row has a power of two of pieces of 16 bytes, and this one has 8 bytes}}
func.func private @f(!cheems_tile.buffer<1x4x4xbf16, swizzled>)

// -----

// expected-error@below {{a swizzled row has a power of two of pieces of 16 bytes, and this one has 96 bytes}}
func.func private @f(!cheems_tile.buffer<1x4x48xbf16, swizzled>)

// -----

// expected-error@below {{expected 'swizzled'}}
func.func private @f(!cheems_tile.buffer<1x4x48xbf16, other>)

// -----

// expected-error@below {{rows, columns and width are powers of two up to 1024, not 3, 32 and 1}}
module attributes {test.it = #cheems_tile.blocked<rows = 3, columns = 32, width = 1>} {}

// -----

// expected-error@below {{rows, columns and width are powers of two up to 1024, not 1, 32 and 3}}
module attributes {test.it = #cheems_tile.blocked<rows = 1, columns = 32, width = 3>} {}

// -----

// expected-error@below {{rows, columns and width are powers of two up to 1024, not 1, 96 and 1}}
module attributes {test.it = #cheems_tile.blocked<rows = 1, columns = 96, width = 1>} {}

// -----

// expected-error@below {{rows, columns and width are powers of two up to 1024, not 0, 32 and 1}}
module attributes {test.it = #cheems_tile.blocked<rows = 0, columns = 32, width = 1>} {}

// -----

// expected-error@below {{rows, columns and width are powers of two up to 1024, not 1, 32 and -1}}
module attributes {test.it = #cheems_tile.blocked<rows = 1, columns = 32, width = -1>} {}

// -----

// Their product would be 0 in 64 bits.
// expected-error@below {{rows, columns and width are powers of two up to 1024, not 1, 4611686018427387904 and 4}}
module attributes {test.it = #cheems_tile.blocked<rows = 1, columns = 4611686018427387904, width = 4>} {}

// -----

// expected-error@below {{rows * columns is a multiple of 32, not 16}}
module attributes {test.it = #cheems_tile.blocked<rows = 2, columns = 8, width = 4>} {}

// -----

// expected-error@below {{counts of warps are powers of two up to 1024, not 3, 1 and 1}}
module attributes {test.it = #cheems_tile.fragment<role = a, warps_m = 3, warps_n = 1, warps_k = 1>} {}

// -----

// expected-error@below {{counts of warps are powers of two up to 1024, not 1, 0 and 1}}
module attributes {test.it = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 0, warps_k = 1>} {}

// -----

// expected-error@below {{counts of warps are powers of two up to 1024, not 1, 1 and 6}}
module attributes {test.it = #cheems_tile.fragment<role = a, warps_m = 1, warps_n = 1, warps_k = 6>} {}

// -----

// expected-error@below {{k_width is 2, or 4, 8 or 16 for the roles a and b, not 32}}
module attributes {test.it = #cheems_tile.fragment<role = b, warps_m = 1, warps_n = 1, k_width = 32>} {}

// -----

// expected-error@below {{k_width is 2, or 4, 8 or 16 for the roles a and b, not 8}}
module attributes {test.it = #cheems_tile.fragment<role = c, warps_m = 1, warps_n = 1, k_width = 8>} {}

// -----

// expected-error@below {{a slice is along axis 0 or 1 of a layout of two dimensions}}
module attributes {test.it = #cheems_tile.slice<axis = 2, of = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>>} {}

// -----

// expected-error@below {{a slice is along axis 0 or 1 of a layout of two dimensions}}
module attributes {test.it = #cheems_tile.slice<axis = 0, of = #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 1, columns = 32, width = 1>>>} {}

// -----

// expected-error@below {{a GPU's numbers are positive}}
module attributes {test.it = #cheems_tile.target<arch = sm_80, multiprocessors = 0, shared = 232448, l2 = 52428800, bandwidth = 3350>} {}

// -----

// expected-error@below {{a GPU's numbers are positive}}
module attributes {test.it = #cheems_tile.target<arch = sm_80, multiprocessors = 132, shared = 0, l2 = 52428800, bandwidth = 3350>} {}

// -----

// expected-error@below {{a GPU's numbers are positive}}
module attributes {test.it = #cheems_tile.target<arch = sm_80, multiprocessors = 132, shared = 232448, l2 = 0, bandwidth = 3350>} {}

// -----

// expected-error@below {{a GPU's numbers are positive}}
module attributes {test.it = #cheems_tile.target<arch = sm_80, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 0>} {}

// -----

// expected-error@below {{a tile with the layout #cheems_tile.blocked<rows = 4, columns = 32, width = 2> has 2 dimensions, not 1}}
func.func private @f(tensor<64xf32, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.blocked<rows = 4, columns = 32, width = 2> has extents that are multiples of [4, 64], not [6, 64]}}
func.func private @f(tensor<6x64xf32, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.blocked<rows = 4, columns = 32, width = 2> has extents that are multiples of [4, 64], not [4, 96]}}
func.func private @f(tensor<4x96xf32, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.blocked<rows = 4, columns = 32, width = 2> has extents that are multiples of [4, 64], not [-9223372036854775808, 64]}}
func.func private @f(tensor<?x64xf32, #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 1, warps_k = 2> has extents that are multiples of [32, 32], not [32, 16]}}
func.func private @f(tensor<32x16xbf16, #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 1, warps_k = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 1, warps_k = 2, k_width = 8> has extents that are multiples of [32, 64], not [32, 32]}}
func.func private @f(tensor<32x32xbf16, #cheems_tile.fragment<role = a, warps_m = 2, warps_n = 1, warps_k = 2, k_width = 8>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 1, warps_k = 2> has extents that are multiples of [8, 32], not [4, 32]}}
func.func private @f(tensor<4x32xbf16, #cheems_tile.fragment<role = b, warps_m = 2, warps_n = 1, warps_k = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 1, warps_k = 2> has extents that are multiples of [32, 8], not [16, 8]}}
func.func private @f(tensor<16x8xbf16, #cheems_tile.fragment<role = c, warps_m = 2, warps_n = 1, warps_k = 2>>)

// -----

// expected-error@below {{a tile with the layout #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>> has extents that are multiples of [4], not [6]}}
func.func private @f(tensor<6xf32, #cheems_tile.slice<axis = 1, of = #cheems_tile.blocked<rows = 4, columns = 32, width = 2>>>)

// -----

// expected-error@below {{the unit wgmma is for sm_90a, not for sm_80}}
module attributes {test.it = #cheems_tile.target<arch = sm_80, multiprocessors = 108, shared = 166912, l2 = 41943040, bandwidth = 1555, unit = wgmma>} {}

// -----

// expected-error@below {{bulk copies are for the unit wgmma, not for mma}}
module attributes {test.it = #cheems_tile.target<arch = sm_90a, multiprocessors = 132, shared = 232448, l2 = 52428800, bandwidth = 3350, copy = bulk>} {}

// -----

// expected-error@below {{a box has rows and columns}}
func.func private @f(!cheems_tile.tensor_map<64xbf16>)

// -----

// expected-error@below {{boxes have f16, bf16 or f32, not 'i32'}}
func.func private @f(!cheems_tile.tensor_map<64x64xi32>)

// -----

// expected-error@below {{boxes have 1 to 256 rows, not 257}}
func.func private @f(!cheems_tile.tensor_map<257x64xbf16>)

// -----

// expected-error@below {{boxes have 1 to 256 rows, not 0}}
func.func private @f(!cheems_tile.tensor_map<0x64xbf16>)

// -----

// expected-error@below {{rows of boxes have 32, 64 or 128 bytes, not 96}}
func.func private @f(!cheems_tile.tensor_map<64x48xbf16>)

// -----

// expected-error@below {{rows of boxes of f32 have 4 to 256 elements, a multiple of 4, not 62}}
func.func private @f(!cheems_tile.tensor_map<1x62xf32>)

// -----

// expected-error@below {{rows of boxes of f32 have 4 to 256 elements, a multiple of 4, not 260}}
func.func private @f(!cheems_tile.tensor_map<1x260xf32>)

// -----

// expected-error@below {{rows of boxes of f32 have 4 to 256 elements, a multiple of 4, not 0}}
func.func private @f(!cheems_tile.tensor_map<1x0xf32>)

// -----

// expected-error@below {{a ring has 2 stages or more, not 1}}
func.func private @f(!cheems_tile.ring<1>)
