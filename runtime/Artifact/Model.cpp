#include "runtime/Artifact/Model.h"
#include "cheems/artifact.h"
#include "runtime/Artifact/ImageChoice.h"
#include "runtime/Artifact/VariantChoice.h"
#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include "runtime/Redzones.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/mman.h>

using namespace cheems;

namespace {

/// A name under which dlopen sees the very file we checked. dlopen takes a name
/// it has seen before for the library it loaded then, even if the path now
/// leads to another file or the descriptor was reused: so no two calls may use
/// the same spelling. The serial number is written as "/" (0) and "./" (1),
/// which lead nowhere.
std::string loadName(int descriptor) {
  static std::atomic<uint32_t> serial{0};
  std::string name = "/proc/self/";
  for (uint32_t rest = ++serial; rest != 0; rest >>= 1) {
    name += rest & 1 ? "./" : "/";
  }
  return name + "fd/" + std::to_string(descriptor);
}

/// Compiled code finds cheems_parallel_for among the global symbols. Where the
/// runtime is a library that was itself loaded privately (an interpreter's
/// extension), make it global first.
void publishOwnSymbols() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&cheems_parallel_for), &self) &&
      self.dli_fname) {
    if (void *handle =
            dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD)) {
      dlclose(handle);
    }
  }
}

// Rows of a table lie anywhere in it: with small pages each costs a walk
// through page tables that no cache holds.
constexpr int64_t tableBytes = int64_t{64} << 20;

/// Hints: failing does no harm. Huge pages first, they are how files are read
/// in where the kernel can.
void advise(std::string_view weights, const Metadata &data) {
  auto *begin = const_cast<char *>(weights.data());
  bool large = std::any_of(
      data.parameters.begin(), data.parameters.end(),
      [](const Parameter &each) { return each.bytes >= tableBytes; });
  if (large) {
    madvise(begin, weights.size(), MADV_HUGEPAGE);
  }
  madvise(begin, weights.size(), MADV_WILLNEED);
}

} // namespace

std::shared_ptr<const Model> Model::open(const std::string &path,
                                         const ModelOptions &options) {
  std::error_code ignored;
  if (options.descriptor < 0 && std::filesystem::is_directory(path, ignored)) {
    throw FileUnusable("cannot open '" + path +
                       "': it is a folder; compile it first: cheems-compile " +
                       path + " -o MODEL.cheems");
  }
  return std::shared_ptr<const Model>(new Model(path, options));
}

Model::Model(const std::string &path, const ModelOptions &options)
    : filePath(path), file(path, options.descriptor),
      container(Container::parse(file.bytes(), path)),
      forcedVariant(options.variant) {
  container.checkSections();
  std::string_view weights = container.bytes(CHEEMS_SECTION_WEIGHTS);
  data = Metadata::parse(container.bytes(CHEEMS_SECTION_METADATA),
                         weights.size(), path);

  ImageChoice choice = chooseImage(data, container, options.device, path);
  runs = choice.image;
  runnable = options.device.kind != DeviceChoice::Kind::none;
  whyNot = std::move(choice.whyNot);
  chosen = &other;
  if (runs->target == CpuImage::target) {
    parseCode();
    if (whyNot.empty()) {
      chooseCode(options.cpu);
    }
    if (runnable) {
      loadCode();
    }
  }
  // If the target is another one, its executor loads the code.
  other.name = whyNot.empty() ? runs->target : "none";
  onGPU = std::move(choice.gpu);
  if (runs->target == CudaImage::target) {
    cudaImage = std::move(choice.cuda);
    other.decodeRows = cudaImage.decodeRows;
    other.prefill = cudaImage.prefill;
  }
  if (!weights.empty()) {
    // The zeros up to the next section, which nothing reads any more.
    size_t padding = -weights.size() % CHEEMS_ARTIFACT_ALIGNMENT;
    const char *end = weights.data() + weights.size();
    forbid(end, end + padding);
    advise(weights, data);
  }
}

void Model::parseCode() {
  if (runs->section != CHEEMS_SECTION_CODE) {
    throw DamagedFile(filePath +
                      ": corrupted: the image for cpu is in section '" +
                      runs->section + "'; compile the model again");
  }
  cpuImage = CpuImage::parse(*runs, filePath);
}

void Model::chooseCode(const CpuFeatures &cpu) {
  ForcedVariant forced = ForcedVariant::of(forcedVariant, "CHEEMS_CPU");
  try {
    chosen = &chooseVariant(cpuImage, cpu, forced, filePath);
  } catch (const Error &error) {
    if (runnable || forced || error.status != Status::unsupported) {
      throw;
    }
    whyNot = error.what();
  }
}

void Model::loadCode() {
  bool threads = cpuImage.sanitizer == "thread";
  if (!cpuImage.sanitizer.empty() &&
      !dlsym(RTLD_DEFAULT, threads ? "__tsan_init" : "__asan_init")) {
    throw Error(
        Status::unsupported,
        filePath + ": its code carries the checks of " +
            (threads ? "ThreadSanitizer" : "AddressSanitizer") +
            ", which this program was not built with; compile the "
            "model again " +
            (threads ? "without --race-checks" : "with a release build"));
  }
  publishOwnSymbols();
  library = dlopen(loadName(file.descriptor()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    throw Error(filePath + ": its code cannot be loaded: " +
                (reason ? reason : "unknown reason"));
  }
  auto find = [&](const std::string &symbol) {
    void *address = dlsym(library, symbol.c_str());
    if (!address) {
      dlclose(library);
      throw DamagedFile(filePath + ": its code has no entry '" + symbol +
                        "'; compile the model again");
    }
    return reinterpret_cast<cheems_entry>(address);
  };
  general = find(chosen->generalEntry);
  decode = find(chosen->decodeEntry);
}

Model::~Model() {
  if (library) {
    dlclose(library);
  }
}

std::string Model::deviceName() const {
  if (!whyNot.empty()) {
    return "none";
  }
  return onGPU ? runs->target + ":" + std::to_string(onGPU->index)
               : runs->target;
}

uint64_t Model::checksum(const char *section) const {
  bool weights = std::strcmp(section, CHEEMS_SECTION_WEIGHTS) == 0;
  return container.find(weights ? CHEEMS_SECTION_CHECKSUMS : section)->checksum;
}

std::string Model::describe() const {
  using json = nlohmann::ordered_json;
  json description, sections = json::array();
  for (const Section &section : container.sections()) {
    sections.push_back({{"name", section.name},
                        {"offset", section.offset},
                        {"bytes", section.bytes.size()}});
  }
  description["file"] = {{"path", filePath},
                         {"bytes", file.bytes().size()},
                         {"format", CHEEMS_ARTIFACT_VERSION},
                         {"target", runs->target},
                         {"device", deviceName()},
                         {"variant", chosen->name},
                         {"sections", sections}};
  description.update(
      parseJsonOrThrow<json>(container.bytes(CHEEMS_SECTION_METADATA)));
  return printJsonOfAnyBytes(description, 2);
}

void Model::verify(const std::function<bool()> &interrupted) const {
  if (auto block = container.firstBadBlock(interrupted)) {
    throw DamagedFile(
        filePath + ": corrupted: weights block " + std::to_string(*block) +
        " (bytes " + std::to_string(*block * CHEEMS_ARTIFACT_BLOCK) +
        " and up) does not match its checksum; compile or copy it again");
  }
}
