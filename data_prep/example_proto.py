"""The few fields of a tf.train.Example that an image has, read where they lie, without TensorFlow.

An Example is a message of one map from names to lists of bytes, of whole numbers or of floats.
"""

from collections.abc import Iterator

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5

# A list of bytes as the places (start, stop) of its items, a list of whole numbers as they are.
Feature = list[tuple[int, int]] | list[int]


def features(data: memoryview, start: int, stop: int, wanted: set[str]) -> dict[str, Feature]:
    """The wanted features of the Example in data[start:stop], by name.

    Raises:
        ValueError: it is no such message.
    """
    found: dict[str, Feature] = {}
    for _, *every in _fields(data, start, stop, 1):
        for _, *entry in _fields(data, *every, 1):
            name, value = None, None
            for number, *place in _fields(data, *entry):
                if number == 1:
                    name = bytes(data[slice(*place)]).decode("utf-8")
                else:
                    value = place
            if name in wanted and value:
                found[name] = _list(data, *value)
    return found


def _list(data: memoryview, start: int, stop: int) -> Feature:
    for kind, *items in _fields(data, start, stop):
        if kind == 1:
            return [(first, last) for _, first, last in _fields(data, *items, 1)]
        if kind == 3:
            numbers: list[int] = []
            for number, first, last in _fields(data, *items):
                if number == 1 and last < first:  # a number by itself, as _fields gives it
                    numbers.append(first)
                while first < last:  # numbers packed into one stretch
                    value, first = _varint(data, first, last)
                    numbers.append(value)
            return numbers
    return []


def _fields(
    data: memoryview, start: int, stop: int, only: int = 0
) -> Iterator[tuple[int, int, int]]:
    """Number, start and stop of the fields of a message; of a number by itself (value, -1)."""
    while start < stop:
        tag, start = _varint(data, start, stop)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, start = _varint(data, start, stop)
            place = (value, -1)
        elif kind == _LENGTH:
            length, start = _varint(data, start, stop)
            place = (start, start + length)
            start += length
        elif kind in (_FIXED64, _FIXED32):
            place = (start, start + (8 if kind == _FIXED64 else 4))
            start = place[1]
        else:
            raise ValueError(f"field of kind {kind}")
        if start > stop:
            raise ValueError("a field is longer than its message")
        if only in (0, number):
            yield number, *place


def _varint(data: memoryview, start: int, stop: int) -> tuple[int, int]:
    value, shift = 0, 0
    while start < stop and shift < 64:
        byte = data[start]
        start += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, start
        shift += 7
    raise ValueError("a number is cut short")
