// Finds and runs NVIDIA's ptxas.
#include "cheems/Target/CUDA/Assembler.h"
#include "AssemblerReport.h"
#include "CubinCache.h"
#include "lib/Support/TemporaryFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace fs = llvm::sys::fs;

namespace cheems::cuda {

const char *const kNoAssembler =
    "there is no ptxas: install the package nvidia-cuda-nvcc of PyPI or CUDA's "
    "toolkit, or set CHEEMS_PTXAS to the program";

namespace {

std::string variable(const char *name) {
  return llvm::sys::Process::GetEnv(name).value_or("");
}

/// Programs of packages in a folder of Python's: nvidia/cu13/bin/ptxas.
void addPackages(const std::string &folder, std::vector<std::string> &places) {
  std::set<std::string> packages; // in an order
  std::error_code error;
  for (fs::directory_iterator it(folder + "/nvidia", error), end;
       !error && it != end; it.increment(error)) {
    packages.insert(it->path());
  }
  for (const std::string &package : packages) {
    places.push_back(package + "/bin/ptxas");
  }
}

/// Returns where a ptxas may be, the likeliest folder first.
std::vector<std::string> places() {
  std::vector<std::string> found;
  if (auto inPath = llvm::sys::findProgramByName("ptxas")) {
    found.push_back(*inPath);
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) {
    if (std::string folder = variable(name); !folder.empty()) {
      found.push_back(folder + "/bin/ptxas");
    }
  }
  found.emplace_back("/usr/local/cuda/bin/ptxas");
  if (std::string venv = variable("VIRTUAL_ENV"); !venv.empty()) {
    std::error_code error;
    for (fs::directory_iterator it(venv + "/lib", error), end;
         !error && it != end; it.increment(error)) {
      addPackages(it->path() + "/site-packages", found);
    }
  }
  std::string paths = variable("PYTHONPATH");
  llvm::SmallVector<llvm::StringRef> folders;
  llvm::StringRef(paths).split(folders, ':', -1, false);
  for (llvm::StringRef folder : folders) {
    addPackages(folder.str(), found);
  }
  return found;
}

struct Run {
  int status = 0; ///< negative: it did not run to its end
  std::string text;
};

/// What the program says, on both outputs.
llvm::Expected<Run> run(const std::string &program,
                        std::vector<llvm::StringRef> words) {
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(true, folder);
  auto output =
      TemporaryFile::create((folder + "/cheems-ptxas-").str(), ".txt");
  if (!output) {
    return llvm::createStringError("cannot write in " + folder + ": " +
                                   output.getError().message());
  }
  words.insert(words.begin(), program);
  std::string reason;
  Run result;
  result.status = llvm::sys::ExecuteAndWait(program, words, std::nullopt,
                                            {llvm::StringRef(""),
                                             llvm::StringRef(output->path()),
                                             llvm::StringRef(output->path())},
                                            0, 0, &reason);
  auto text = llvm::MemoryBuffer::getFile(output->path());
  result.text = text ? (*text)->getBuffer().str() : "";
  if (result.status < 0) {
    return llvm::createStringError("cannot run " + program + ": " + reason);
  }
  return result;
}

/// ptxas keeps registers low so that more blocks fit a multiprocessor, and now
/// and then it spills a few for that. These kernels say that one block is
/// enough, so they get what they need.
std::string withoutWishForBlocks(std::string ptx,
                                 const std::vector<std::string> &kernels) {
  for (const std::string &kernel : kernels) {
    size_t entry = ptx.find(".entry " + kernel + "("),
           body = ptx.find("\n{", entry);
    if (entry == std::string::npos || body == std::string::npos) {
      continue;
    }
    // The wish needs the first directive, and contradicts the others.
    llvm::StringRef head = llvm::StringRef(ptx).slice(entry, body);
    if (head.contains(".reqntid") && !head.contains(".minnctapersm") &&
        !head.contains(".maxnreg")) {
      ptx.insert(body, "\n.minnctapersm 1");
    }
  }
  return ptx;
}

llvm::Error write(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  return error ? llvm::createStringError("cannot write " + path + ": " +
                                         error.message())
               : llvm::Error::success();
}

} // namespace

llvm::Expected<std::optional<Assembler>> Assembler::find() {
  std::string program = variable("CHEEMS_PTXAS");
  if (program == "none") { // files carry their PTX alone
    return std::nullopt;
  }
  if (!program.empty() && !fs::can_execute(program)) {
    return llvm::createStringError("CHEEMS_PTXAS is " + program +
                                   ", which is no program");
  }
  if (program.empty()) {
    for (const std::string &place : places()) {
      if (fs::can_execute(place)) {
        program = place;
        break;
      }
    }
  }
  if (program.empty()) {
    return std::nullopt;
  }
  auto said = run(program, {"--version"});
  if (!said) {
    return said.takeError();
  }
  static const llvm::Regex release("V[0-9]+\\.[0-9]+\\.[0-9]+");
  llvm::SmallVector<llvm::StringRef> parts;
  if (said->status != 0 || !release.match(said->text, &parts)) {
    return llvm::createStringError(
        program + " --version says no version: " + reasonOf(said->text));
  }
  return Assembler(program, parts[0].str());
}

llvm::Expected<Cubin> Assembler::assemble(llvm::StringRef ptx,
                                          const Architecture &architecture,
                                          const std::string &cache,
                                          bool strict) const {
  CubinCache known(cache);
  std::string key = CubinCache::keyOf({release, architecture.name, ptx});
  if (auto entry = known.find(key)) {
    Cubin found{std::move(entry->code), {}, {}, true};
    found.kernels = readReport(entry->report, found.faults);
    if (!strict || found.faults.empty()) { // else assembled again, and told
      return found;
    }
  }
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(true, folder);
  std::string before = (folder + "/cheems-ptxas-").str();
  auto input = TemporaryFile::create(before, ".ptx");
  auto output = TemporaryFile::create(before, ".cubin");
  if (!input || !output) {
    return llvm::createStringError(
        "cannot write in " + folder + ": " +
        (input ? output : input).getError().message());
  }
  auto assembled =
      [&](llvm::StringRef text) -> llvm::Expected<CubinCache::Entry> {
    if (llvm::Error failed = write(input->path(), text)) {
      return failed;
    }
    auto said = run(program, {"-v", "-O3", "--gpu-name", architecture.name,
                              input->path(), "--output-file", output->path()});
    if (!said) {
      return said.takeError();
    }
    if (said->status != 0) {
      return llvm::createStringError("ptxas fails: " + reasonOf(said->text));
    }
    auto code = llvm::MemoryBuffer::getFile(output->path());
    if (!code || !(*code)->getBuffer().starts_with("\x7f"
                                                   "ELF")) {
      return llvm::createStringError("ptxas has written no machine code");
    }
    return CubinCache::Entry{said->text, (*code)->getBuffer().str()};
  };
  auto best = assembled(ptx);
  if (!best) {
    return best.takeError();
  }
  std::vector<std::string> spilled = kernelsThatSpill(best->report);
  std::string other = withoutWishForBlocks(ptx.str(), spilled);
  if (other != ptx) {
    // It is one more try: what there is stays if it is no better, or fails.
    auto second = assembled(other);
    if (!second) {
      llvm::consumeError(second.takeError());
    } else if (spilledBytes(second->report) < spilledBytes(best->report)) {
      best = std::move(second);
    }
  }
  Cubin made;
  made.kernels = readReport(best->report, made.faults);
  if (strict && !made.faults.empty()) {
    return llvm::createStringError("ptxas: " + llvm::join(made.faults, "; "));
  }
  made.bytes = best->code;
  known.keep(key, *best);
  return made;
}

} // namespace cheems::cuda
