#!/usr/bin/env python3
"""Times a Llama in OpenVINO on the CPU, and prints one line of JSON: tokens a second of prefill and of decoding.

    benchmarks/openvino_llama.py FOLDER --export OUT --weights stored|int8|int4
    benchmarks/openvino_llama.py OUT [--precision bf16|f32] [--threads 2] [--prefill 512] [--depth 512 --count 32] [--repeat 3]

The first line writes optimum-intel's stateful model of a folder of transformers, so OpenVINO keeps keys and values itself. int8 has a scale
for each row of a matrix, the head's too. int4 has groups of 64, and the head in int8. The second line times it with OpenVINO's defaults for
latency: int8 keys and values among them. Only the last row of a prompt reaches the head, as in OpenVINO's own pipelines for chats. Needs:
pip install openvino optimum-intel nncf (these want a transformers of their own, so give them an environment of their own).
"""
import argparse, json, pathlib, statistics, time


def export(folder, out, weights):
    from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig
    rounding = {"stored": None, "int8": OVWeightQuantizationConfig(bits=8, sym=True),
                "int4": OVWeightQuantizationConfig(bits=4, sym=True, group_size=64, ratio=1.0)}[weights]
    model = OVModelForCausalLM.from_pretrained(folder, export=True, compile=False, stateful=True, load_in_8bit=False if rounding is None else None,
                                               quantization_config=rounding)
    part = out.with_name(out.name + ".part")
    model.save_pretrained(part)
    part.rename(out)


def last_row_to_head(model):
    """Puts a gather of the last row before the matmul that makes the logits."""
    import numpy as np
    import openvino.opset13 as ops
    node = next(result for result in model.get_results() if "logits" in result.input_value(0).get_names()).input_value(0).get_node()
    while node.get_type_name() != "MatMul":
        node = node.input_value(0).get_node()
    last = ops.gather(node.input_value(0), ops.constant(np.array([-1], np.int64)), ops.constant(np.array(1, np.int64)))
    node.input(0).replace_source_output(last.output(0))
    model.validate_nodes_and_infer_types()


class Model:
    def __init__(self, folder, precision, threads):
        import openvino
        core = openvino.Core()
        model = core.read_model(folder / "openvino_model.xml")
        last_row_to_head(model)
        compiled = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1,
                                                     "PERFORMANCE_HINT": "LATENCY"})
        used = str(compiled.get_property("INFERENCE_PRECISION_HINT"))
        if {"bf16": "bfloat16", "f32": "float32"}[precision] not in used and precision not in used:
            raise SystemExit(f"openvino_llama: {precision} was asked for, and OpenVINO takes {used}")
        self.version, self.request = openvino.__version__.split("-")[0], compiled.create_infer_request()
        self.inputs = {name for port in compiled.inputs for name in port.get_names()}

    def start(self):
        self.request.reset_state()
        self.filled = 0

    def step(self, tokens):
        """The token of the highest logit after these tokens, which follow those before."""
        import numpy as np
        new = self.filled + len(tokens)
        feed = {"input_ids": np.array([tokens], np.int64), "attention_mask": np.ones((1, new), np.int64),
                "position_ids": np.arange(self.filled, new, dtype=np.int64)[None], "beam_idx": np.zeros(1, np.int32)}
        self.request.infer({name: value for name, value in feed.items() if name in self.inputs})
        self.filled = new
        return int(self.request.get_tensor("logits").data[0, -1].argmax())


def prefill(model, tokens):
    model.start()
    begin = time.perf_counter()
    model.step(tokens)
    return len(tokens) / (time.perf_counter() - begin)


def decode(model, tokens, count):
    model.start()
    token = model.step(tokens)
    begin = time.perf_counter()
    for _ in range(count):
        token = model.step([token])
    return count / (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--export", type=pathlib.Path, metavar="OUT", help="write a model for OpenVINO, and time nothing")
    parser.add_argument("--weights", default="stored", choices=["stored", "int8", "int4"])
    parser.add_argument("--precision", default="f32", choices=["bf16", "f32"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prefill", type=int, default=0)
    parser.add_argument("--depth", type=int, default=512)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=3)
    a = parser.parse_args()
    if a.export:
        export(a.folder, a.export, a.weights)
        return
    model = Model(a.folder, a.precision, a.threads)
    ids = lambda count: [i * 7919 % 32768 for i in range(count)]
    result = {"precision": a.precision, "threads": a.threads, "version": model.version}
    for name, measure in (("prefill", a.prefill and (lambda: prefill(model, ids(a.prefill)))),
                          ("decode", a.count and (lambda: decode(model, ids(a.depth), a.count)))):
        if measure:
            measure()  # kernels are made at the first call
            result[name] = statistics.median(measure() for _ in range(a.repeat))
    print(json.dumps(result))


main()
