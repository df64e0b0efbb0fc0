"""`qfuse check` of models with the structure of published ones: it finds no problem in any. If a tensor of a layer is
removed or renamed, it reports that, or says that it cannot tell."""

import json
import math
import re
import subprocess

from libraries import QFUSE, Judged, file_bytes, main
from published import PUBLISHED, build, stored_shapes

NUMBERED = re.compile(r"\.\d+\.")
NOT_SEEN = {"stablelm-2-12b"}  # the length of a parameter list is unknown


def write(path, model, shapes):
    """Writes a model of zeros, which take no space on most file systems."""
    header, size = {}, 0
    for name, shape in shapes.items():
        end = size + 2 * math.prod(shape)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [size, end]}
        size = end
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(path)
    with (path / "model.safetensors").open("wb") as file:
        file.write(file_bytes(header))
        file.truncate(file.tell() + size)


def checked(path):
    """Returns the exit code, and the problems as (kind, tensor)."""
    done = subprocess.run([QFUSE, "check", path, "--json"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(done.stderr)
    report = json.loads(done.stdout)
    return done.returncode, [(it["kind"], it["tensor"]) for it in report["problems"]]


def damaged(shapes):
    """Removes a tensor of a layer, and renames another. Returns the shapes and both names."""
    names = sorted(name for name in shapes if NUMBERED.search(name))
    gone, old = names[len(names) // 3], names[2 * len(names) // 3]
    renamed = f"{old}_renamed"
    return {renamed if name == old else name: it for name, it in shapes.items() if name != gone}, gone, renamed


class Published(Judged):
    def test_check_is_true(self):
        untrue = 0
        for name in PUBLISHED:
            with self.subTest(name):
                untrue += 1  # until the check passes
                model = build(name)
                shapes = stored_shapes(model)
                path = self.directory / re.sub(r"\W", "-", name)
                write(path, model, shapes)
                code, problems = checked(path)
                self.assertEqual(problems, [])
                untrue -= 1
                self.compare_damaged(name, path, model, shapes, code)
        print(f"of {len(PUBLISHED)} published-like configurations, check is untrue for {untrue}")

    def compare_damaged(self, name, path, model, shapes, code):
        changed, gone, renamed = damaged(shapes)
        write(path, model, changed)
        damaged_code, problems = checked(path)
        found = {tensor for _, tensor in problems}
        if code == 0:
            self.assertEqual(damaged_code, 1)
            self.assertIn(renamed, found)
            self.assertEqual(gone in found, name not in NOT_SEEN)
        else:
            self.assertIn(damaged_code, (1, 3))


if __name__ == "__main__":
    main()
