#include "runtime/Artifact/ImageChoice.h"
#include "runtime/Artifact/CpuImage.h"
#include "runtime/Artifact/DeviceCost.h"
#include "runtime/Artifact/ExecutorPlugins.h"
#include "runtime/Error.h"
#include "runtime/ThreadPool/Cores.h"
#include <vector>

using namespace cheems;
using cuda::DeviceInfo;

namespace {

class Choosing {
public:
  Choosing(const Metadata &data, const Container &container,
           const std::string &file)
      : data(data), container(container), file(file),
        cpu(data.image(CpuImage::target)), gpus(data.image(CudaImage::target)) {
    for (const ImageEntry &each : data.images) {
      if (!container.find(each.section)) {
        throw DamagedFile(file + ": corrupted: the image for " + each.target +
                          " is missing: the index has no section '" +
                          each.section + "'; compile or copy it again");
      }
      targets += (targets.empty() ? "" : ",") + each.target;
    }
  }

  ImageChoice forCpu() const {
    if (!cpu) {
      throw unsupported("compiled for " + targets + " only" + useCpuToo());
    }
    return {cpu, {}, std::nullopt, {}};
  }

  ImageChoice forGPU(std::optional<int> index) const {
    if (!gpus) {
      throw unsupported("compiled for " + targets + " only; use --target " +
                        targets + ",cuda to compile it for GPUs, too");
    }
    CudaImage image = parseGPUs();
    std::vector<DeviceInfo> devices = cuda::listDevices();
    if (index) {
      // Throws where there is no such GPU.
      devices = {cuda::describeDevice(*index)};
    }
    for (const DeviceInfo &device : devices) {
      if (image.best(device.major, device.minor)) {
        return {gpus, std::move(image), device, {}};
      }
    }
    throw unsupported(noCodeFor(image, devices.front()));
  }

  ImageChoice automatic() const {
    std::string reason;
    if (gpus) {
      if (auto choice = fastGPU(reason)) {
        return std::move(*choice);
      }
    }
    for (const ImageEntry &each : data.images) {
      bool can =
          &each == cpu || (&each != gpus && findExecutorPlugin(each.target));
      if (can) {
        return {&each, {}, std::nullopt, {}};
      }
    }
    if (gpus) {
      throw unsupported("compiled for " + targets + " only, and " + reason +
                        useCpuToo());
    }
    throw unsupported("compiled for " + targets +
                      ", but this program runs code for cpu and cuda; compile "
                      "the model again with --target cpu, or name a plugin "
                      "for " +
                      targets + " with CHEEMS_EXECUTORS");
  }

  ImageChoice toRead() const {
    try {
      return automatic();
    } catch (const Error &error) {
      if (error.status != Status::unsupported) {
        throw;
      }
      const ImageEntry &first = data.images.front();
      return {&first, &first == gpus ? parseGPUs() : CudaImage(), std::nullopt,
              error.what()};
    }
  }

private:
  Error unsupported(const std::string &why) const {
    return Error(Status::unsupported, file + ": " + why);
  }

  std::string useCpuToo() const {
    return "; use --target cpu," + targets +
           (data.weights == "f16" ? " and --weights bf16" : "") +
           " to compile it for the CPU, too";
  }

  CudaImage parseGPUs() const {
    return CudaImage::parse(*gpus, container.bytes(gpus->section), file);
  }

  static std::string noCodeFor(const CudaImage &image,
                               const DeviceInfo &device) {
    std::string all;
    for (const GPUCode &code : image.gpus) {
      all += (all.empty() ? "" : " and ") + code.architecture;
    }
    return "has code for " + all +
           ", which cuda:" + std::to_string(device.index) + " (" + device.name +
           ", compute capability " + std::to_string(device.major) + "." +
           std::to_string(device.minor) +
           ") does not run; use another --device";
  }

  int64_t launchesOf(const GPUCode &code) const {
    return decodeLaunches(
        data,
        cuda::LaunchPlan::parse(code.plan, code.path, file, data.state.size()));
  }

  /// The fastest. Nothing where the CPU is not slower, and where there is none
  /// that runs the image; why.
  std::optional<ImageChoice> fastGPU(std::string &reason) const {
    CudaImage image = parseGPUs();
    std::vector<UsableGPU> usable;
    try {
      reason = "the only GPU here is the software GPU, which --device cuda "
               "takes";
      for (const DeviceInfo &device : cuda::listDevices()) {
        if (device.software) {
          continue;
        }
        if (image.best(device.major, device.minor)) {
          usable.push_back({device});
        } else {
          reason = "no GPU here runs it: it " + noCodeFor(image, device);
        }
      }
    } catch (const Error &error) { // no driver is no fault of the file's
      reason = std::string("no GPU can be used: ") + error.what();
    }
    for (UsableGPU &gpu : usable) {
      gpu.launches =
          launchesOf(*image.best(gpu.device.major, gpu.device.minor));
    }
    int cores = cpu && !usable.empty() ? CoreLimits::host().threads() : 0;
    const UsableGPU *fastest = fastestGPU(data, usable, cores);
    if (!fastest) {
      return std::nullopt;
    }
    return ImageChoice{gpus, std::move(image), fastest->device, {}};
  }

  const Metadata &data;
  const Container &container;
  const std::string &file;
  const ImageEntry *cpu, *gpus;
  std::string targets; ///< "cpu,cuda"
};

} // namespace

ImageChoice cheems::chooseImage(const Metadata &metadata,
                                const Container &container,
                                const DeviceChoice &device,
                                const std::string &name) {
  Choosing choosing(metadata, container, name);
  switch (device.kind) {
  case DeviceChoice::Kind::cpu:
    return choosing.forCpu();
  case DeviceChoice::Kind::cuda:
    return choosing.forGPU(device.gpu);
  case DeviceChoice::Kind::none:
    return choosing.toRead();
  default:
    return choosing.automatic();
  }
}
