// The tensors of a state-space (SSD) layer.
#include "lib/Import/Binder.h"
#include "lib/Import/Messages.h"

namespace cheems {
namespace {

/// Groups are read from b_proj's rows; c_proj must have as many.
llvm::Error bindGroups(Binder &binder, SSDTensors &tensors,
                       const std::string &prefix) {
  const ModelConfig &model = binder.model;
  const Binder::Flag &flag = binder.read.ssdBias;
  int64_t size = model.ssdStateSize;
  tensors.groups = model.heads;
  std::string b = prefix + "b_proj.weight", c = prefix + "c_proj.weight";
  if (const TensorView *view = binder.find(b)) {
    int64_t rows = view->shape.size() == 2 ? view->shape[0] : 0;
    if (rows < size || rows % size != 0 || model.heads % (rows / size) != 0) {
      return failed(binder.pathOf(b) + ": tensor " + quoted(b) + " has shape " +
                    shapeText(view->shape) +
                    ", but its rows must be ssd_state_size " +
                    llvm::Twine(size) +
                    " times a number of groups that divides "
                    "num_attention_heads " +
                    llvm::Twine(model.heads));
    }
    tensors.groups = rows / size;
    const TensorView *other = binder.find(c);
    if (other && other->shape != view->shape) {
      return failed(binder.pathOf(c) + ": tensor " + quoted(c) + " has shape " +
                    shapeText(other->shape) + ", but " + quoted(b) + " has " +
                    shapeText(view->shape) + "; their groups must agree");
    }
  }
  int64_t rows = tensors.groups * size;
  if (llvm::Error error =
          binder.take(tensors.b, prefix + "b_proj", rows, model.hidden, flag)) {
    return error;
  }
  return binder.take(tensors.c, prefix + "c_proj", rows, model.hidden, flag);
}

} // namespace

llvm::Error bindSSD(Binder &binder, SSDTensors &tensors,
                    const std::string &prefix) {
  const ModelConfig &model = binder.model;
  const Binder::Flag &flag = binder.read.ssdBias;
  int64_t inner = model.heads * model.headDim;
  if (llvm::Error error = bindGroups(binder, tensors, prefix)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.x, prefix + "x_proj", inner,
                                      model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.step, prefix + "dt_proj",
                                      model.heads, model.hidden, flag)) {
    return error;
  }
  if (llvm::Error error = binder.take(tensors.output, prefix + "out_proj",
                                      model.hidden, inner, flag)) {
    return error;
  }
  std::string a = prefix + "A", logarithm = prefix + "A_log",
              skip = prefix + "D";
  tensors.logarithm = binder.has(logarithm);
  if (tensors.logarithm && binder.has(a)) {
    return failed(binder.pathOf(a) + ": tensors " + quoted(a) + " and " +
                  quoted(logarithm) +
                  " are both there; a layer has only one of them");
  }
  tensors.a = tensors.logarithm ? logarithm : a;
  if (llvm::Error error = binder.take(tensors.a, {model.heads})) {
    return error;
  }
  if (!binder.has(skip)) {
    return llvm::Error::success();
  }
  tensors.skip = skip;
  return binder.take(skip, {model.heads});
}

} // namespace cheems
