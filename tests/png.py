"""Reads PNG files, also animated ones, with nothing but zlib: python3 tests/png.py FILE...
Checks the signature, the check sum and order of every chunk, the numbers and rectangles of frames, and that every
pixel is there and has a colour. Prints one line per file; exit code 1 at the first mistake."""
import struct
import sys
import zlib


def check(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "signature"
    at, names, sequence, frames, promised, box, colours, head = 8, [], 0, 0, 1, None, 0, None
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(name + body), name
        at += 12 + size
        names.append(name)
        if name == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
            box = head[:2]
            assert head[2:] == (8, 3, 0, 0, 0), head
        elif name == b"PLTE":
            colours = size // 3
            assert size % 3 == 0 and 1 <= colours <= 256
        elif name == b"acTL":
            promised = struct.unpack(">II", body)[0]
        elif name == b"fcTL":
            number, wide, tall, left, top, delay, of, dispose, blend = struct.unpack(">5I2H2B", body)
            assert number == sequence and left + wide <= head[0] and top + tall <= head[1] and delay > 0 and of > 0
            assert (dispose, blend) == (0, 0) and (frames or (wide, tall) == head[:2])
            sequence += 1
            box = (wide, tall)
        elif name in (b"IDAT", b"fdAT"):
            if name == b"fdAT":
                assert struct.unpack(">I", body[:4])[0] == sequence
                sequence += 1
                body = body[4:]
            raw = zlib.decompress(body)
            assert len(raw) == (box[0] + 1) * box[1], "pixels"
            for y in range(box[1]):
                row = raw[y * (box[0] + 1):(y + 1) * (box[0] + 1)]
                assert row[0] == 0 and max(row[1:]) < colours, "row %d" % y
            frames += 1
    assert at == len(data) and names[0] == b"IHDR" and names[-1] == b"IEND" and frames == promised
    print("%s: %d x %d, %d colours, %d frame%s" % (path, head[0], head[1], colours, frames, "s" * (frames > 1)))


for file in sys.argv[1:]:
    try:
        check(file)
    except (AssertionError, struct.error, zlib.error, TypeError, ValueError) as why:
        sys.exit("%s: %s" % (file, why))
