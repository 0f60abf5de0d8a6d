#!/usr/bin/env python3
"""Holds what `cheems-run --describe=json` says of a model folder against what it says of the same model compiled for all CPUs: the
folder has one variant, the one that is chosen here of all.

    folder_variant.py FOLDER_JSON ALL_JSON
"""
import json
import pathlib
import sys


def variants(description):
    """Names of the variants in the file."""
    return [variant["name"] for image in description["images"] for variant in image["variants"]]


folder, every = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:])
chosen = every["file"]["variant"]
if len(variants(every)) < 2 or chosen not in variants(every):
    sys.exit(f"the file for all CPUs has {variants(every)} and chose {chosen}")
if variants(folder) != [chosen] or folder["file"]["variant"] != chosen:
    sys.exit(f"the folder has {variants(folder)} and chose {folder['file']['variant']}, but of all variants {chosen} is chosen")
