#!/usr/bin/env python3
"""Picks the few inputs that together reach the most, out of what a long run has gathered, as seeds for the next.

usage: fuzz/distil.py TARGET BINARY [HOW_MANY]

Reads corpus-work/TARGET and seeds/TARGET, replaces seeds/TARGET. BINARY is the built target. What an input reaches is
what libFuzzer writes to the control file of a merge; the choice is greedy, new features per byte.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LONGEST = 4096  # bytes


def reached(binary, folders):
    """File -> the features that it reaches."""
    with tempfile.TemporaryDirectory() as scratch:
        control, out = pathlib.Path(scratch, "control"), pathlib.Path(scratch, "out")
        out.mkdir()
        merge = [binary, "-merge=1", f"-merge_control_file={control}", "-timeout=20", out, *folders]
        subprocess.run(merge, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lines = control.read_text().splitlines()
    # Number of files, number of those of the first folder, their names; then what each one did.
    files = [pathlib.Path(name) for name in lines[2 : 2 + int(lines[0])]]
    features = {}
    for line in lines[2 + len(files) :]:
        if found := re.match(r"FT (\d+) (.*)", line):
            features[files[int(found[1])]] = set(found[2].split())
    return features


def chosen(features, how_many):
    sizes = {file: file.stat().st_size for file in features}
    left, covered, picked = {file for file in features if sizes[file] <= LONGEST}, set(), []
    while left and len(picked) < how_many:
        best = max(left, key=lambda file: (len(features[file] - covered) / (64 + sizes[file]), file.name))
        if not features[best] - covered:
            break
        picked.append(best)
        covered |= features[best]
        left.remove(best)
    return picked, covered


def main():
    target, binary = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    how_many = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    here = pathlib.Path(__file__).resolve().parent
    seeds = here / "seeds" / target
    folders = [folder for folder in (here / "corpus-work" / target, seeds) if folder.is_dir()]
    features = reached(binary, folders)
    picked, covered = chosen(features, how_many)
    inputs = [file.read_bytes() for file in picked]
    shutil.rmtree(seeds, ignore_errors=True)
    seeds.mkdir(parents=True)
    for number, data in enumerate(inputs):
        (seeds / f"{number:02}.bin").write_bytes(data)
    total = len(set().union(*features.values()))
    size = sum(map(len, inputs))
    print(f"{target}: {len(inputs)} of {len(features)} inputs, {size} bytes, {len(covered)} of {total} features")


main()
