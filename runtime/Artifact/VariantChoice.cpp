#include "runtime/Artifact/VariantChoice.h"
#include "runtime/Error.h"
#include <cstdlib>

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
                             const ForcedVariant &forced,
                             const std::string &file) {
  std::string asked = file + ": " + forced.by + " asks for variant '" +
                      forced.name + "'",
              names;
  for (const Variant &variant : image.variants) {
    names += names.empty() ? "" : ", ";
    names += variant.name;
    if (variant.name != forced.name) {
      continue;
    }
    std::string reason = obstacle(variant, cpu);
    if (reason.empty()) {
      return variant;
    }
    throw Error(Status::unsupported,
                asked.append(", but ") + reason + "; " + forced.remedy);
  }
  throw Error(Status::unsupported, asked + ", but the file has " + names);
}

} // namespace

ForcedVariant ForcedVariant::of(const std::string &asked,
                                const char *variable) {
  if (!asked.empty()) {
    return {asked, "the program", "ask for another one"};
  }
  const char *value = std::getenv(variable);
  return {value ? value : "", variable, std::string("unset ") + variable};
}

const Variant &cheems::chooseVariant(const CpuImage &image,
                                     const CpuFeatures &cpu,
                                     const ForcedVariant &forced,
                                     const std::string &file) {
  auto refuse = [&](const std::string &reason) {
    return Error(Status::unsupported,
                 file + ": compiled for " + image.cpu + ", but " + reason +
                     "; compile the model again with a lower --cpu");
  };
  if (auto missing = cpu.firstMissing(image.features)) {
    throw refuse("this machine has no '" + *missing + "'");
  }
  if (forced) {
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
