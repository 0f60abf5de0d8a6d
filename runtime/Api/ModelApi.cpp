// The C interface: versions, errors, models.
#include "runtime/Api/Handles.h"
#include <algorithm>

using namespace cheems;
using namespace cheems::api;

static_assert(int(Status::failed) == CHEEMS_FAILED &&
                  int(Status::usage) == CHEEMS_USAGE &&
                  int(Status::unsupported) == CHEEMS_UNSUPPORTED &&
                  int(Status::interrupted) == CHEEMS_INTERRUPTED,
              "guard() converts one into the other");

static thread_local std::string lastError;

cheems_status cheems::api::fail(cheems_status status,
                                const char *message) noexcept {
  try {
    lastError = message;
  } catch (...) {
    lastError.clear();
  }
  return status;
}

const char *cheems_version(void) { return CHEEMS_VERSION; }

const char *cheems_last_error(void) { return lastError.c_str(); }

cheems_status cheems_model_open(const char *path, cheems_model **model) {
  return cheems_model_open_with(path, nullptr, model);
}

/// `descriptor`: that of the open file, or -1.
static cheems_model *openModel(const char *path, int descriptor,
                               const cheems_model_options &options) {
  ModelOptions converted;
  converted.descriptor = descriptor;
  if (options.device) {
    converted.device = DeviceChoice::parse(options.device);
  }
  if (options.variant) {
    converted.variant = options.variant;
  }
  auto handle = std::make_unique<cheems_model>();
  handle->model = Model::open(path, converted);
  handle->description = handle->model->describe();
  handle->device = handle->model->deviceName();
  handle->text = std::make_shared<TextModel>(handle->model);
  handle->ends = handle->text->eosTokens();
  if (options.warn) {
    for (const auto *lines : {&handle->model->metadata().warnings,
                              &handle->text->generation().warnings}) {
      for (const std::string &line : *lines) {
        options.warn(options.user, line.c_str());
      }
    }
  }
  return handle.release();
}

cheems_status cheems_model_open_with(const char *path,
                                     const cheems_model_options *given,
                                     cheems_model **model) {
  return guard([&] {
    need(path, "path");
    need(model, "model");
    *model = openModel(path, -1, adopt(given, "cheems_model_options"));
  });
}

cheems_status cheems_model_open_descriptor(int descriptor, const char *name,
                                           const cheems_model_options *given,
                                           cheems_model **model) {
  return guard([&] {
    need(name, "name");
    need(model, "model");
    if (descriptor < 0) {
      throw Error(Status::usage, "the descriptor is negative");
    }
    *model = openModel(name, descriptor, adopt(given, "cheems_model_options"));
  });
}

void cheems_model_close(cheems_model *model) { delete model; }

cheems_status cheems_model_describe(const cheems_model *model,
                                    const char **json) {
  return guard([&] {
    need(model, "model");
    need(json, "json");
    *json = model->description.c_str();
  });
}

cheems_status cheems_model_verify(const cheems_model *model) {
  return guard([&] {
    need(model, "model");
    model->model->verify();
  });
}

const char *cheems_model_device(const cheems_model *model) {
  return model ? model->device.c_str() : "";
}

int64_t cheems_model_vocabulary(const cheems_model *model) {
  return model ? model->model->metadata().vocabulary : 0;
}

int64_t cheems_model_hidden(const cheems_model *model) {
  return model ? model->model->metadata().hidden : 0;
}

int cheems_model_ends_text(const cheems_model *model, int32_t token) {
  if (!model) {
    return 0;
  }
  const std::vector<int32_t> &ends = model->ends;
  return std::find(ends.begin(), ends.end(), token) != ends.end();
}
