//===- Families.h - The families of arithmetic ------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_ARITHMETIC_FAMILIES_H
#define CHEEMS_EMULATOR_ARITHMETIC_FAMILIES_H

#include "Lanes/Declare.h"

CHEEMS_LANES_FAMILY(integerAddition)
CHEEMS_LANES_FAMILY(integerMultiplication)
CHEEMS_LANES_FAMILY(integerDivision)
CHEEMS_LANES_FAMILY(extendedPrecision)
CHEEMS_LANES_FAMILY(bitFields)
CHEEMS_LANES_FAMILY(dotProducts)
CHEEMS_LANES_FAMILY(logic)
CHEEMS_LANES_FAMILY(lop3)
CHEEMS_LANES_FAMILY(shifts)
CHEEMS_LANES_FAMILY(permutation)
CHEEMS_LANES_FAMILY(selection)
CHEEMS_LANES_FAMILY(movement)
CHEEMS_LANES_FAMILY(addresses)
CHEEMS_LANES_FAMILY(floatArithmetic)
CHEEMS_LANES_FAMILY(floatDivision)
CHEEMS_LANES_FAMILY(approximations)
CHEEMS_LANES_FAMILY(halfArithmetic)
CHEEMS_LANES_FAMILY(floatMinimum)
CHEEMS_LANES_FAMILY(signs)
CHEEMS_LANES_FAMILY(comparison)
CHEEMS_LANES_FAMILY(conversion)
CHEEMS_LANES_FAMILY(packedConversion)
CHEEMS_LANES_FAMILY(video)

#endif
