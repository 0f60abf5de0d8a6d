//===- Load.cpp - From PTX text to kernels on a GPU ----------------------===//
#include "Decode/Decoder.h"
#include "Families.h"
#include "Machine/Launch.h"
#include "PTX/Link.h"
#include "PTX/Parser.h"
#include "Resources.h"
#include "Variables.h"

#include <cctype>

using namespace cheems::emulator;

namespace {

const OpcodeTable &opcodes() {
  static const OpcodeTable table = [] {
    std::vector<std::span<const Opcode>> all = families(hostSet());
    return OpcodeTable(all);
  }();
  return table;
}

std::unique_ptr<ptx::Module> parse(const ptx::NamedText &text) {
  try {
    return ptx::parse(text.text);
  } catch (const Refusal &refusal) {
    if (text.name.empty()) {
      throw;
    }
    const std::string what = refusal.what();
    throw Refusal(refusal.line, "of the text '" + text.name +
                                    "': " + what.substr(what.find(": ") + 2));
  }
}

/// PTX ISA, "PTX Module Directives: .target": code for an architecture runs on
/// it and on later ones, with the suffix `a` on this one alone.
void checkTarget(const ptx::Module &module, int architecture) {
  const std::string &target = module.target;
  int number = 0;
  size_t at = 3;
  for (; at < target.size() && std::isdigit(target[at]); ++at) {
    number = number * 10 + (target[at] - '0');
  }
  bool isKnown = target.starts_with("sm_") && at > 3;
  bool isExact = at < target.size();
  if (!isKnown || number > architecture ||
      (isExact && number != architecture)) {
    throw Refusal(1, "the target '" + target + "' does not run on sm_" +
                         std::to_string(architecture));
  }
  if (module.addressBits != 64) {
    throw NotModelled(1, ".address_size " + std::to_string(module.addressBits));
  }
}

Kernel makeKernel(Decoder &decoder, const ptx::Function &entry) {
  Decoder::Result result = decoder.decode(entry);
  Kernel kernel;
  kernel.name = entry.name;
  uint64_t end = 0;
  for (const ptx::Variable *parameter : entry.parameters) {
    uint64_t alignment = parameter->byteAlignment();
    uint64_t offset = alignUp(end, alignment);
    kernel.parameters.push_back({offset, parameter->bytes(), alignment});
    end = offset + parameter->bytes();
  }
  kernel.parameterBytes = result.program->parameterBytes;
  kernel.staticSharedBytes = result.program->sharedBytes;
  kernel.localBytes = result.program->localBytes;
  applyDirectives(entry, result.registers, kernel);
  kernel.program = std::move(result.program);
  return kernel;
}

} // namespace

std::unique_ptr<Module> Module::load(Device &device, std::string_view ptx) {
  std::vector<std::unique_ptr<ptx::Module>> parts;
  std::vector<std::string> names;
  for (const ptx::NamedText &text : ptx::textsOf(ptx)) {
    parts.push_back(parse(text));
    checkTarget(*parts.back(), device.options.architecture);
    names.push_back(text.name);
  }
  std::unique_ptr<ptx::Module> syntax = ptx::link(std::move(parts), names);
  // From here on the module frees the variables if something is refused.
  std::unique_ptr<Module> module(new Module(device));
  Symbols symbols = placeVariables(*syntax, device.memory, module->allocations);
  for (const auto &variable : syntax->variables) {
    auto found = symbols.variables.find(variable.get());
    if (found != symbols.variables.end()) {
      module->globals_[variable->name] = {found->second,
                                          variableBytes(*variable)};
    }
  }
  Decoder decoder(*syntax, symbols, opcodes(), device.options.architecture);
  for (const auto &function : syntax->functions) {
    if (function->entry && function->defined) {
      module->kernels_[function->name] = makeKernel(decoder, *function);
    }
  }
  return module;
}

Module::~Module() {
  for (uint64_t address : allocations) {
    device.memory.free(address);
  }
}

const Kernel *Module::kernel(const std::string &name) const {
  auto found = kernels_.find(name);
  return found == kernels_.end() ? nullptr : &found->second;
}

const Module::Global *Module::global(const std::string &name) const {
  auto found = globals_.find(name);
  return found == globals_.end() ? nullptr : &found->second;
}
