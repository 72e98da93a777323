"""One file of all: python3 examples/web/build.py MODULE.wasm OUT.html. The page, its style, its scripts, the module in
base64 and three files of events, so that it works from a folder, without a server and without a network."""
import base64
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))


def text(*path):
    with open(os.path.join(here, *path), encoding="utf-8") as f:
        return f.read()


page = text("index.html")
with open(sys.argv[1], "rb") as f:
    module = base64.b64encode(f.read()).decode()
data = {name: text("..", "data", name + ".csv") for name in ("bei", "coal", "earthquakes")}
for mark, value in (("/*{page.css}*/", text("page.css")), ("/*{worker.js}*/", text("worker.js")), ("{wasm}", module),
                    ("{data}", json.dumps(data)), ("/*{page.js}*/", text("page.js"))):
    if page.count(mark) != 1 or (mark != "{wasm}" and "</script" in value):
        sys.exit("index.html: %s must stand there once, and hold no end of a script" % mark)
    page = page.replace(mark, value)
with open(sys.argv[2], "w", encoding="utf-8") as f:
    f.write(page)
