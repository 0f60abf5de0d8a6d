//===- Npy.h - Arrays in files ----------------------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_NPY_H
#define CHEEMS_EMULATOR_TOOLS_CHEEMS_PTX_RUN_NPY_H

#include "Buffer.h"

namespace cheems::ptxrun {

/// The file's array, which must have the buffer's type and number of elements.
/// A name that ends in .npy is numpy's format, any other the raw bytes. Types
/// that numpy does not have (bf16, e4m3, e5m2) are there as unsigned integers
/// of their width. Throws Error.
std::vector<std::byte> readFile(const std::string &path, const Buffer &buffer);
void writeFile(const std::string &path, const Buffer &buffer,
               const std::byte *data);

} // namespace cheems::ptxrun

#endif
