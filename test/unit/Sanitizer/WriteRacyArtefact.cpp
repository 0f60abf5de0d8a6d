// write-racy-artefact number|vector|masked OUT: a step all of whose workers
// write one place, for tests under ThreadSanitizer.
#include "PlantedStep.h"
#include <fstream>
#include <iostream>

using namespace cheems::test;

namespace {

std::string racyStep(const std::string &kind) {
  std::string store =
      kind == "number"
          ? "    memref.store %token, %scratch[%c0, %c0] : memref<?x16xi32>\n"
      : kind == "vector"
          ? "    %v = vector.broadcast %token : i32 to vector<16xi32>\n"
            "    vector.store %v, %scratch[%c0, %c0] : memref<?x16xi32>, "
            "vector<16xi32>\n"
          : "    %v = vector.broadcast %token : i32 to vector<8xi32>\n"
            "    %five = arith.constant 5 : index\n"
            "    %mask = vector.create_mask %five : vector<8xi1>\n"
            "    vector.maskedstore %scratch[%c0, %c0], %mask, %v : "
            "memref<?x16xi32>, vector<8xi1>, vector<8xi32>\n";
  return "  scf.forall (%worker) in (1024) {\n" + store + "  }\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: write-racy-artefact number|vector|masked OUT\n";
    return 2;
  }
  std::ofstream file(argv[2], std::ios::binary);
  file << plantedStep(racyStep(argv[1]), /*raceChecks=*/true).bytes();
  file.close();
  return file ? 0 : 1;
}
