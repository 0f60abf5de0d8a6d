//===- LibraryEntries.cpp -------------------------------------------------===//
#include "Functions.h"
#include "Process.h"

#include <algorithm>

namespace cheems::emulator::driver {
namespace {

CUresult load(CUlibrary *result, const void *image, CUjit_option *jitOptions,
              void **jitValues, unsigned jitCount, CUlibraryOption *options,
              unsigned count) {
  return call([&] {
    require(result);
    require(count == 0 || options);
    for (unsigned i = 0; i < count; ++i) {
      require(options[i] == CU_LIBRARY_BINARY_IS_PRESERVED,
              CUDA_ERROR_NOT_SUPPORTED);
    }
    JITOptions jit(jitCount, jitOptions, jitValues);
    auto library = std::make_shared<Library>();
    library->ptx = textOfImage(image, process().options->architecture);
    // Mistakes in the text are told now where a context is there to load it,
    // else when the first function is asked for.
    if (!thread().stack.empty()) {
      Context &context = currentContext();
      auto module = loadModule(context, library->ptx, jit);
      module->handle = process().modules.add(module);
      library->modules[&context] = module;
    }
    library->handle = process().libraries.add(library);
    *result = library->handle;
  });
}

std::shared_ptr<Library> find(CUlibrary handle) {
  return process().libraries.get(handle);
}

/// The kernel's handle, which is one for all contexts.
CUkernel kernelOf(const std::shared_ptr<Library> &library,
                  const std::string &name) {
  auto &kernel = library->kernels[name];
  if (!kernel) {
    kernel = std::make_shared<LibraryKernel>();
    kernel->library = library;
    kernel->name = name;
    kernel->handle = process().kernels.add(kernel);
  }
  return kernel->handle;
}

/// A kernel's function in the current context.
std::shared_ptr<Function> functionOf(CUkernel handle) {
  process().kernels.get(handle);
  return findFunction(currentContext(), reinterpret_cast<CUfunction>(handle));
}

} // namespace

CUresult cuLibraryLoadData(CUlibrary *library, const void *code,
                           CUjit_option *jitOptions, void **jitOptionsValues,
                           unsigned numJitOptions,
                           CUlibraryOption *libraryOptions,
                           void **libraryOptionValues,
                           unsigned numLibraryOptions) {
  return load(library, code, jitOptions, jitOptionsValues, numJitOptions,
              libraryOptions, numLibraryOptions);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
                               CUjit_option *jitOptions,
                               void **jitOptionsValues, unsigned numJitOptions,
                               CUlibraryOption *libraryOptions,
                               void **libraryOptionValues,
                               unsigned numLibraryOptions) {
  std::string image;
  CUresult code = call([&] { image = readFile(fileName); });
  return code ? code
              : load(library, image.data(), jitOptions, jitOptionsValues,
                     numJitOptions, libraryOptions, numLibraryOptions);
}

CUresult cuLibraryUnload(CUlibrary library) {
  return call([&] {
    auto unloaded = find(library);
    for (const auto &[context, module] : unloaded->modules) {
      if (!module->context->broken) {
        module->context->queue.finishAll();
      }
      for (const auto &[name, function] : module->functions) {
        process().functions.remove(function->handle);
      }
      process().modules.remove(module->handle);
    }
    for (const auto &[name, kernel] : unloaded->kernels) {
      process().kernels.remove(kernel->handle);
    }
    process().libraries.remove(library);
  });
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                            const char *name) {
  return call([&] {
    require(kernel && name);
    auto found = find(library);
    if (!thread().stack.empty()) {
      const auto &module = moduleOf(currentContext(), *found).module;
      require(module->kernel(name), CUDA_ERROR_NOT_FOUND);
    }
    *kernel = kernelOf(found, name);
  });
}

CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  return callInContext([&](Context &context) {
    require(count);
    *count =
        unsigned(moduleOf(context, *find(library)).module->kernels().size());
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned numKernels,
                                   CUlibrary library) {
  return callInContext([&](Context &context) {
    require(kernels);
    auto found = find(library);
    unsigned i = 0;
    for (const auto &[name, kernel] :
         moduleOf(context, *found).module->kernels()) {
      if (i < numKernels) {
        kernels[i++] = kernelOf(found, name);
      }
    }
  });
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  return callInContext([&](Context &context) {
    require(module);
    *module = moduleOf(context, *find(library)).handle;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes,
                            CUlibrary library, const char *name) {
  return callInContext([&](Context &context) {
    require(name && (pointer || bytes));
    const Module::Global *global =
        moduleOf(context, *find(library)).module->global(name);
    require(global, CUDA_ERROR_NOT_FOUND);
    if (pointer) {
      *pointer = global->address;
    }
    if (bytes) {
      *bytes = global->bytes;
    }
  });
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return callInContext([&](Context &) {
    require(function);
    *function = functionOf(kernel)->handle;
  });
}

CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  return call([&] {
    require(library);
    auto owner = process().kernels.get(kernel)->library.lock();
    require(owner, CUDA_ERROR_INVALID_HANDLE);
    *library = owner->handle;
  });
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                              CUkernel kernel, CUdevice device) {
  return callInContext([&](Context &) {
    require(value);
    requireDevice(device);
    *value = functionAttribute(*functionOf(kernel), attribute);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                              CUkernel kernel, CUdevice device) {
  return callInContext([&](Context &context) {
    requireDevice(device);
    setFunctionAttribute(context, *functionOf(kernel), attribute, value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config,
                                CUdevice device) {
  return call([&] {
    requireDevice(device);
    process().kernels.get(kernel);
    require(config <= CU_FUNC_CACHE_PREFER_EQUAL);
  });
}

CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return call([&] {
    require(name);
    *name = process().kernels.get(kernel)->name.c_str();
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex,
                              size_t *paramOffset, size_t *paramSize) {
  return callInContext([&](Context &) {
    parameterInfo(*functionOf(kernel)->kernel, paramIndex, paramOffset,
                  paramSize);
  });
}

} // namespace cheems::emulator::driver
