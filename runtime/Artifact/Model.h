// An open compiled model: the mapped file, its metadata and the entry points of
// its code.
#ifndef CHEEMS_RUNTIME_ARTIFACT_MODEL_H
#define CHEEMS_RUNTIME_ARTIFACT_MODEL_H

#include "cheems/abi.h"
#include "runtime/Artifact/Container.h"
#include "runtime/Artifact/CpuFeatures.h"
#include "runtime/Artifact/CpuImage.h"
#include "runtime/Artifact/CudaImage.h"
#include "runtime/Artifact/DeviceChoice.h"
#include "runtime/Artifact/MappedFile.h"
#include "runtime/Artifact/Metadata.h"
#include "runtime/CUDA/Device.h"
#include <functional>
#include <memory>

namespace cheems {

struct ModelOptions {
  DeviceChoice device;
  CpuFeatures cpu = CpuFeatures::host();
  int descriptor = -1; ///< of the open file, which the path then only names
  /// Names the code that is to run: a variant of a CPU, "sm_80.ptx" of a GPU;
  /// empty: what CHEEMS_CPU or CHEEMS_CUDA_IMAGE says, else the best one.
  std::string variant;
};

/// Immutable once open: any number of threads and sessions may share one.
class Model {
public:
  /// Maps and checks the file in the order of docs/abi.md, then chooses an
  /// image for the device and loads its code: of one for CPUs the variant that
  /// is forced, else the best one for `cpu`. An artefact is a program:
  /// open only files you trust, or for the device `none`: then the file is
  /// read, no code of it is loaded, and no session can be made. Throws
  /// DamagedFile; FileUnusable; Error: failed for code that cannot be loaded,
  /// unsupported for a CPU that lacks a feature and a device that is
  /// not there or that the file has no code for.
  static std::shared_ptr<const Model> open(const std::string &path,
                                           const ModelOptions &options = {});
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const std::string &path() const { return filePath; }
  const Metadata &metadata() const { return data; }
  /// The image that was chosen.
  const ImageEntry &image() const { return *runs; }
  std::string_view imageBytes() const { return container.bytes(runs->section); }
  /// What the file says of its code for CPUs; of an image for another target
  /// nothing.
  const CpuImage &cpu() const { return cpuImage; }
  /// Returns the variant that the options forced.
  const std::string &forced() const { return forcedVariant; }
  /// What the file says of its code for GPUs; of an image for another target
  /// nothing.
  const CudaImage &cudaCode() const { return cudaImage; }
  /// The GPU it is to run on; null: none.
  const cuda::DeviceInfo *gpu() const { return onGPU ? &*onGPU : nullptr; }
  /// Returns the driver's index of the GPU; -1: none.
  int device() const { return onGPU ? onGPU->index : -1; }
  /// "cpu", "cuda:0", or the target of a plugin's image; "none" where the file
  /// was opened to be read and does not run here.
  std::string deviceName() const;
  /// Whether its code is loaded, or its executor's to load.
  bool canRun() const { return runnable; }
  /// Says why a file that was opened to be read does not run here. It is empty
  /// if the file does.
  const std::string &whyNotHere() const { return whyNot; }
  /// The variant chosen for this CPU; of another target one of its name; one
  /// called "none" where the file does not run here.
  const Variant &variant() const { return *chosen; }
  cheems_entry generalEntry() const { return general; }
  cheems_entry decodeEntry() const { return decode; }
  /// The weight section, page-aligned.
  const void *parameters() const {
    return container.bytes(CHEEMS_SECTION_WEIGHTS).data();
  }

  int64_t fileBytes() const {
    return static_cast<int64_t>(file.bytes().size());
  }
  int64_t weightBytes() const {
    return static_cast<int64_t>(container.bytes(CHEEMS_SECTION_WEIGHTS).size());
  }

  /// XXH3-64 of a required section, as the index has it; of the weights, of
  /// their block checksums.
  uint64_t checksum(const char *section) const;

  // The model folder's texts, byte for byte; empty where it had no such file.
  std::string_view config() const {
    return container.bytes(CHEEMS_SECTION_CONFIG);
  }
  std::string_view generationConfig() const {
    return container.bytes(CHEEMS_SECTION_GENERATION_CONFIG);
  }
  std::string_view tokenizer() const {
    return container.bytes(CHEEMS_SECTION_TOKENIZER);
  }
  std::string_view tokenizerConfig() const {
    return container.bytes(CHEEMS_SECTION_TOKENIZER_CONFIG);
  }
  std::string_view chatTemplate() const {
    return container.bytes(CHEEMS_SECTION_CHAT_TEMPLATE);
  }
  std::string_view toolUseTemplate() const {
    return container.bytes(CHEEMS_SECTION_TOOL_USE_TEMPLATE);
  }

  /// Indented JSON: the metadata, with "file" (path, bytes, sections, chosen
  /// variant) in front.
  std::string describe() const;
  /// Reads all weights against their checksums; throws Error naming the first
  /// bad block. `interrupted` is asked before each.
  void verify(const std::function<bool()> &interrupted = nullptr) const;

private:
  Model(const std::string &path, const ModelOptions &options);
  void parseCode();
  void chooseCode(const CpuFeatures &cpu);
  void loadCode();

  std::string filePath;
  MappedFile file;
  Container container;
  std::string forcedVariant;
  Metadata data;
  const ImageEntry *runs = nullptr;
  CpuImage cpuImage;
  CudaImage cudaImage;
  std::optional<cuda::DeviceInfo> onGPU;
  bool runnable = true;
  std::string whyNot;
  Variant other; ///< stands for an image that is not for CPUs
  const Variant *chosen = nullptr;
  void *library = nullptr;
  cheems_entry general = nullptr, decode = nullptr;
};

} // namespace cheems

#endif
