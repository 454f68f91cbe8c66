"""A model in few bits, opened with NumPy alone.

python examples/small_file.py
"""

import os
import tempfile

from laconic import TextClassifier, quantize, runtime, save_compact

texts = ["sun and sand", "snow and ice", "sun and heat", "ice and frost"] * 10
model = TextClassifier("lasso", strength=0.2).fit(texts, ["warm", "cold", "warm", "cold"] * 10)
with tempfile.TemporaryDirectory() as folder:
    model.save(f"{folder}/plain")
    save_compact(quantize(model, 2), f"{folder}/compact", names=False)
    print([os.path.getsize(f"{folder}/{name}") for name in ("plain", "compact")], "bytes")
    print(runtime.load(f"{folder}/compact").predict(["heat and sand"]).tolist())
