"""TFRecord files: where each record lies.

A record is its length (8 bytes, little endian), a checksum of those, the data, and a checksum of
the data. That of the length is checked here, as all that follows hangs on it; damage within the
data shows when the image in it is decoded.
"""

import struct
from collections.abc import Iterator

from data_prep.manifest import RecordsError

_POLYNOMIAL = 0x82F63B78  # of CRC-32C, reversed
_HEADER, _FOOTER = 12, 4


def _table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _table()


def masked_crc(data: bytes) -> int:
    """The checksum that TFRecords have: CRC-32C, rotated and shifted by a constant."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data: memoryview, where: str) -> Iterator[tuple[int, int]]:
    """Start and stop of the data of each record of a whole file.

    Raises:
        RecordsError: from this record on the file is damaged or cut short; those before were given.
    """
    place, number = 0, 0
    while place < len(data):
        header = bytes(data[place : place + _HEADER])
        if len(header) == _HEADER:
            length, crc = struct.unpack("<QI", header)
        if len(header) < _HEADER or masked_crc(header[:8]) != crc:
            raise RecordsError(f"{where}: damaged from record {number} on; fetch the file again")
        start = place + _HEADER
        if start + length + _FOOTER > len(data):
            raise RecordsError(f"{where}: cut short in record {number}; fetch the file again")
        yield start, start + length
        place, number = start + length + _FOOTER, number + 1
