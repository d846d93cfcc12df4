"""TFRecords of dicts, written as TensorFlow writes them, without it."""

import struct

from data_prep.tfrecord_files import masked_crc


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def feature(value) -> bytes:
    values = value if isinstance(value, list) else [value]
    if isinstance(values[0], bytes):
        return field(1, b"".join(field(1, item) for item in values))
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def example(features: dict) -> bytes:
    entries = (
        field(1, field(1, name.encode()) + field(2, feature(value)))
        for name, value in features.items()
    )
    return field(1, b"".join(entries))


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    crcs = (struct.pack("<I", masked_crc(part)) for part in (length, data))
    return length + next(crcs) + data + next(crcs)


def tfrecord(examples: list[dict]) -> bytes:
    return b"".join(record(example(features)) for features in examples)
