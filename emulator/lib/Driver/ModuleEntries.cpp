//===- ModuleEntries.cpp --------------------------------------------------===//
#include "Functions.h"
#include "PTX/Link.h"
#include "Process.h"

namespace cheems::emulator::driver {
namespace {

CUresult load(CUmodule *result, const void *image, unsigned count,
              CUjit_option *options, void **values) {
  return callInContext([&](Context &context) {
    require(result);
    refuseUnsafeCall();
    JITOptions jit(count, options, values);
    auto module = loadModule(
        context, textOfImage(image, context.device.options.architecture), jit);
    module->handle = process().modules.add(module);
    *result = module->handle;
  });
}

std::shared_ptr<LoadedModule> find(CUmodule handle) {
  return process().modules.get(handle);
}

} // namespace

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  std::string image;
  CUresult code = call([&] {
    require(module);
    image = readFile(path);
  });
  return code ? code : load(module, image.data(), 0, nullptr, nullptr);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return load(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                            unsigned numOptions, CUjit_option *options,
                            void **optionValues) {
  return load(module, image, numOptions, options, optionValues);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return load(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleUnload(CUmodule module) {
  return callInContext([&](Context &context) {
    auto loaded = find(module);
    require(loaded->context.get() == &context, CUDA_ERROR_INVALID_HANDLE);
    refuseUnsafeCall();
    context.queue.finishAll(); // kernels of it may be waiting
    for (const auto &[name, function] : loaded->functions) {
      process().functions.remove(function->handle);
    }
    process().modules.remove(module);
  });
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  return callInContext([&](Context &) {
    require(function);
    require(name);
    *function = functionOf(*find(module), name)->handle;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes,
                              CUmodule module, const char *name) {
  return callInContext([&](Context &) {
    require(name && (pointer || bytes));
    const Module::Global *global = find(module)->module->global(name);
    require(global, CUDA_ERROR_NOT_FOUND);
    if (pointer) {
      *pointer = global->address;
    }
    if (bytes) {
      *bytes = global->bytes;
    }
  });
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  return call([&] {
    require(count);
    *count = unsigned(find(module)->module->kernels().size());
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions,
                                    unsigned numFunctions, CUmodule module) {
  return call([&] {
    require(functions);
    auto loaded = find(module);
    unsigned i = 0;
    for (const auto &[name, kernel] : loaded->module->kernels()) {
      if (i < numFunctions) {
        functions[i++] = functionOf(*loaded, name)->handle;
      }
    }
  });
}

// -- The linker: its image has the texts, which are joined when it is loaded

CUresult cuLinkCreate_v2(unsigned numOptions, CUjit_option *options,
                         void **optionValues, CUlinkState *state) {
  return callInContext([&](Context &) {
    require(state);
    JITOptions jit(numOptions, options, optionValues);
    *state = process().links.add(std::make_shared<Link>(Link{jit}));
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data,
                          size_t size, const char *name, unsigned numOptions,
                          CUjit_option *options, void **optionValues) {
  return callInContext([&](Context &context) {
    auto link = process().links.get(state);
    require(data && size > 0);
    JITOptions jit(numOptions, options, optionValues);
    if (type == CU_JIT_INPUT_CUBIN || type == CU_JIT_INPUT_OBJECT ||
        type == CU_JIT_INPUT_LIBRARY || type == CU_JIT_INPUT_NVVM) {
      noteOnce("cuLinkAddData takes PTX alone in this emulator");
      fail(CUDA_ERROR_NOT_SUPPORTED);
    }
    require(type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY);
    std::string image(static_cast<const char *>(data), size);
    image.append(4, '\0'); // the text need not end in a zero
    link->texts.push_back(
        {name ? name : "text " + std::to_string(link->texts.size() + 1),
         textOfImage(image.data(), context.device.options.architecture)});
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type,
                          const char *path, unsigned numOptions,
                          CUjit_option *options, void **optionValues) {
  std::string image;
  CUresult code = call([&] { image = readFile(path); });
  return code ? code
              : cuLinkAddData_v2(state, type, image.data(), image.size(), path,
                                 numOptions, options, optionValues);
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut) {
  return callInContext([&](Context &context) {
    auto link = process().links.get(state);
    require(cubinOut && !link->texts.empty());
    std::vector<ptx::NamedText> texts;
    for (const Link::Text &text : link->texts) {
      texts.push_back({text.name, text.ptx});
    }
    std::string image =
        texts.size() == 1 ? link->texts[0].ptx : ptx::joinTexts(texts);
    // A real driver compiles here, so mistakes are told here.
    loadModule(context, image, link->options);
    link->image = std::move(image) + '\0';
    *cubinOut = link->image.data();
    if (sizeOut) {
      *sizeOut = link->image.size();
    }
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return call([&] {
    process().links.get(state);
    process().links.remove(state);
  });
}

} // namespace cheems::emulator::driver
