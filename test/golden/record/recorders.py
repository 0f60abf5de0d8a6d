"""What each recorder of the manifest does: from paths of files to their bytes. A recorder imports what it needs when it is used, so
that one that needs little runs where there is little."""
import os
import pathlib
import subprocess
import sys
import tempfile

import manifest

TRAINED = ("models/cheems-shakespeare", "models/doge-shakespeare")


def operations(root, paths):
    import operations

    recorded = operations.record()
    for path in paths:
        yield path, recorded[pathlib.Path(path).stem]


def checkpoint_of(root, path):
    import checkpoints

    folder = pathlib.Path(path).parent
    return checkpoints.trained(root / folder) if folder.as_posix() in TRAINED else checkpoints.draw(folder.name)


def checkpoints(root, paths):
    for path in paths:
        yield path, checkpoint_of(root, path).files()[pathlib.Path(path).name]


def models(root, paths):
    import llama
    import models

    for path in paths:
        checkpoint = checkpoint_of(root, path)
        module = models if checkpoint.config["model_type"] in ("cheems", "doge") else llama
        yield path, checkpoint.golden(module.Model(checkpoint.config, checkpoint.tensors))


def by_transformers(root, paths):
    import by_transformers

    for path in paths:
        checkpoint = checkpoint_of(root, path)
        folder = root / pathlib.Path(path).parent
        with tempfile.TemporaryDirectory() as drawn:
            if folder.relative_to(root).as_posix() not in TRAINED:
                folder = pathlib.Path(drawn)
                for name, content in checkpoint.files().items():
                    manifest.write(folder / name, content)
            yield path, checkpoint.golden(by_transformers.Model(folder))


def printed(script, *arguments, **variables):
    """What a script prints, in an environment with these variables."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run([sys.executable, str(script), *map(str, arguments)], capture_output=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"record.py: {script} failed:\n{done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def written(script, *arguments):
    """A script that writes the file, whose path is its last argument: the bytes of all that it wrote, by name."""
    with tempfile.TemporaryDirectory() as folder:
        printed(script, *arguments, pathlib.Path(folder) / "out")
        return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}


def tokenizer_settings(root, paths):
    made = written(root / "test/unit/Tokenizer/record.py")
    made["reference.jsonl"] = made.pop("out")
    for path in paths:
        yield path, made[pathlib.Path(path).name]


def tokenizer_texts(root, paths):
    for path in paths:
        yield path, printed(root / "test/unit/Tokenizer/record_texts.py", pathlib.Path(path).name)


def chats(root, paths):
    for path in paths:
        yield path, printed(root / "test/unit/ChatTemplate/data/record_chats.py", pathlib.Path(path).name)


def expressions(root, paths):
    for path in paths:
        yield path, printed(root / "test/unit/ChatTemplate/data/record_expressions.py")


def distributions(root, paths):
    for path in paths:
        yield path, printed(root / "test/unit/Sampler/data/record_distributions.py")


def continuations(root, paths):
    for path in paths:
        folder = root / "models" / pathlib.Path(path).stem
        yield path, written(root / "test/Integration/CPU/transformers/record.py", folder)["out"]


def kernels(root, paths):
    folder = "emulator/test/conformance"
    with tempfile.TemporaryDirectory() as made:
        # a cache of its own: what was compiled before is no evidence
        printed(root / folder / "kernels/generate.py", "--into", made, TRITON_CACHE_DIR=f"{made}/cache")
        for path in paths:
            yield path, (pathlib.Path(made) / pathlib.Path(path).relative_to(folder)).read_bytes()


ALL = {"operations": operations, "checkpoints": checkpoints, "models": models, "by_transformers": by_transformers,
       "tokenizer_settings": tokenizer_settings, "tokenizer_texts": tokenizer_texts, "chats": chats, "expressions": expressions,
       "distributions": distributions, "continuations": continuations, "kernels": kernels}
