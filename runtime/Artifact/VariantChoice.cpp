#include "runtime/Artifact/VariantChoice.h"
#include "runtime/Error.h"

using namespace cheems;

namespace {

/// Why a variant does not run here; empty where it does.
std::string obstacle(const Variant &variant, const CpuFeatures &cpu) {
  if (auto missing = cpu.firstMissing(variant.features)) {
    return "this machine has no '" + *missing + "'";
  }
  return cpu.permits(variant.features)
             ? ""
             : "the operating system does not let this process use 'amx-tile'";
}

const Variant &forcedVariant(const CpuImage &image, const CpuFeatures &cpu,
                             const std::string &name, const std::string &file) {
  std::string asked = file + ": CHEEMS_CPU asks for variant '" + name + "'",
              names;
  for (const Variant &variant : image.variants) {
    names += names.empty() ? "" : ", ";
    names += variant.name;
    if (variant.name != name) {
      continue;
    }
    std::string reason = obstacle(variant, cpu);
    if (reason.empty()) {
      return variant;
    }
    throw Error(Status::unsupported,
                asked.append(", but ") + reason + "; unset CHEEMS_CPU");
  }
  throw Error(Status::unsupported, asked + ", but the file has " + names);
}

} // namespace

const Variant &cheems::chooseVariant(const CpuImage &image,
                                     const CpuFeatures &cpu,
                                     const std::string &forced,
                                     const std::string &file) {
  auto refuse = [&](const std::string &reason) {
    return Error(Status::unsupported,
                 file + ": compiled for " + image.cpu + ", but " + reason +
                     "; compile the model again with a lower --cpu");
  };
  if (auto missing = cpu.firstMissing(image.features)) {
    throw refuse("this machine has no '" + *missing + "'");
  }
  if (!forced.empty()) {
    return forcedVariant(image, cpu, forced, file);
  }
  const Variant *second = nullptr; // runs, but lacks what it wants
  for (const Variant &variant : image.variants) {
    bool wanted = !cpu.firstMissing(variant.wants);
    if ((wanted || !second) && obstacle(variant, cpu).empty()) {
      if (wanted) {
        return variant;
      }
      second = &variant;
    }
  }
  if (!second) {
    throw refuse(obstacle(image.variants.back(), cpu));
  }
  return *second;
}
