// Which of a file's images runs here, and on which GPU.
#ifndef CHEEMS_RUNTIME_ARTIFACT_IMAGECHOICE_H
#define CHEEMS_RUNTIME_ARTIFACT_IMAGECHOICE_H

#include "runtime/Artifact/Container.h"
#include "runtime/Artifact/CudaImage.h"
#include "runtime/Artifact/DeviceChoice.h"
#include "runtime/Artifact/Metadata.h"
#include "runtime/CUDA/Device.h"
#include <optional>
#include <string>

namespace cheems {

struct ImageChoice {
  const ImageEntry *image = nullptr;
  // These two are set if the image is one for cuda.
  CudaImage cuda;
  std::optional<cuda::DeviceInfo> gpu;
  /// Why it does not run here; empty: it does.
  std::string whyNot;
};

/// Chooses from the file `name`, with `metadata` and sections in `container`,
/// which stay. A driver is opened only for a file that has an image for cuda,
/// and not where `device` is the CPU. Throws DamagedFile; Error (unsupported)
/// saying what is missing, of the file or of the machine, and what to do. Where
/// `device` is none, that is `whyNot` of the file's first image.
ImageChoice chooseImage(const Metadata &metadata, const Container &container,
                        const DeviceChoice &device, const std::string &name);

} // namespace cheems

#endif
