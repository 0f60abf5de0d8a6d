// write-racy-artefact number|vector|masked OUT: a step all of whose workers
// write one place, for tests under ThreadSanitizer.
#include "PlantedStep.h"
#include <fstream>
#include <iostream>

using namespace cheems::test;

namespace {

/// Long enough for other threads to come, at places that no optimiser keeps in
/// registers.
std::string racyStep(const std::string &kind) {
  std::string places = kind == "number" ? "16" : kind == "vector" ? "4" : "8";
  std::string store =
      kind == "number"
          ? "    memref.store %x, %logits[%c0, %at] : memref<?x64xf32>\n"
      : kind == "vector"
          ? "    %v = vector.broadcast %x : f32 to vector<12xf32>\n"
            "    vector.store %v, %logits[%c0, %at] : memref<?x64xf32>, "
            "vector<12xf32>\n"
          : "    %v = vector.broadcast %x : f32 to vector<8xf32>\n"
            "    %five = arith.constant 5 : index\n"
            "    %mask = vector.create_mask %five : vector<8xi1>\n"
            "    vector.maskedstore %logits[%c0, %at], %mask, %v : "
            "memref<?x64xf32>, vector<8xi1>, vector<8xf32>\n";
  return "  %places = arith.constant " + places +
         " : index\n"
         "  %x = arith.sitofp %token : i32 to f32\n"
         "  scf.forall (%iteration) in (1000000) {\n"
         "    %at = arith.remui %iteration, %places : index\n" +
         store + "  }\n";
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
