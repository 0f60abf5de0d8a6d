#!/usr/bin/env python3
"""What formats.py makes of a model folder. Looks at no time."""
import json, pathlib, struct, sys, tempfile, unittest, unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import formats


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def save(self, dtype, data):
        source = self.folder / "model"
        source.mkdir()
        (source / "config.json").write_text('{"torch_dtype": "bfloat16", "hidden_size": 2}')
        header = json.dumps({"__metadata__": {"format": "pt"}, "a": dict(dtype=dtype, shape=[2], data_offsets=[0, len(data)])}).encode()
        (source / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)
        return source

    def test_f32_is_of_tensors_in_f32(self):
        wide = formats.widened(self.save("BF16", struct.pack("<2H", 0x3F80, 0xC020)), self.folder / "wide")
        self.assertEqual(json.loads((wide / "config.json").read_text()), dict(torch_dtype="float32", hidden_size=2))
        data = (wide / "model.safetensors").read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        self.assertEqual(json.loads(data[8 : 8 + size]), {"a": dict(dtype="F32", shape=[2], data_offsets=[0, 8])})
        self.assertEqual(struct.unpack("<2f", data[8 + size :]), (1.0, -2.5))

    def test_other_types_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "tensor a of type F16"):
            formats.widened(self.save("F16", bytes(4)), self.folder / "wide")

    def test_all_stand_beside_f32(self):
        told = {"f32": (20.0, 0.0, 100.0), "bf16": (20.1, 0.001, 99.0), "int8": (20.2, 0.002, 98.0), "int4": (22.0, 0.1, 90.0)}
        compiled = []

        def run(program, *words):
            if program.name == "cheems-compile":
                path = pathlib.Path(words[words.index("-o") + 1])
                compiled.append((words[0], path))
                path.write_text("")
                return ""
            return json.dumps(dict(file=dict(sections=[dict(name="weights", bytes=7e6)]), kv_type="int8" if "-int8" in str(words[0]) else "bf16"))

        predict = lambda bins, threads, path, base, chunks: told[path.stem.split("-")[0]]
        source = self.save("F32", bytes(8))
        with unittest.mock.patch.object(formats, "run", run), unittest.mock.patch.object(formats, "predictions", predict):
            found = formats.measure_folder(pathlib.Path("bins"), 1, source, self.folder, 3)
        self.assertEqual(len(found), len(formats.PAIRS))
        self.assertEqual([source for source, _ in compiled], [self.folder / "f32"] + [source] * (len(found) - 1))
        lines = formats.folder_table(found).splitlines()
        self.assertIn("| model | int4 | bf16 | 7.0 MB | 22.000 (+10.00%) | 0.100000 | 90.00 % |", lines)
        self.assertIn("| model | int8 | int8 | 7.0 MB | 20.200 (+1.00%) | 0.002000 | 98.00 % |", lines)


if __name__ == "__main__":
    unittest.main()
