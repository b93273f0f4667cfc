#!/usr/bin/env python3
"""Draws icon.png: a shield with a tick, 128 by 128, without any library."""
import struct
import zlib
from pathlib import Path

SIZE, SAMPLES = 128, 4
NAVY, WHITE, GREEN = (23, 50, 77), (244, 248, 252), (46, 160, 96)


def in_card(x, y):
    radius = 22
    dx = max(radius - x, x - (SIZE - radius), 0)
    dy = max(radius - y, y - (SIZE - radius), 0)
    return dx * dx + dy * dy <= radius * radius


def in_shield(x, y):
    if not 22 <= y <= 110:
        return False
    half = 34 if y <= 62 else 34 * (1 - ((y - 62) / 48) ** 2)
    top = 22 + 8 * abs(x - 64) / 34
    return y >= top and abs(x - 64) <= half


def near(x, y, a, b, width):
    (ax, ay), (bx, by) = a, b
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = min(1, max(0, along))
    px, py = ax + along * (bx - ax), ay + along * (by - ay)
    return (x - px) ** 2 + (y - py) ** 2 <= width * width


def colour(x, y):
    if not in_card(x, y):
        return (0, 0, 0, 0)
    if in_shield(x, y):
        tick = near(x, y, (46, 64), (59, 78), 5.5) or near(x, y, (59, 78), (84, 48), 5.5)
        return (*(GREEN if tick else WHITE), 255)
    return (*NAVY, 255)


def pixel(x, y):
    total = [0, 0, 0, 0]
    for i in range(SAMPLES):
        for j in range(SAMPLES):
            r, g, b, a = colour(x + (i + 0.5) / SAMPLES, y + (j + 0.5) / SAMPLES)
            for k, part in enumerate((r * a, g * a, b * a, a)):
                total[k] += part
    alpha = total[3]
    if alpha == 0:
        return bytes(4)
    return bytes([*(round(part / alpha) for part in total[:3]), round(alpha / SAMPLES**2)])


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


rows = b"".join(b"\0" + b"".join(pixel(x, y) for x in range(SIZE)) for y in range(SIZE))
png = b"\x89PNG\r\n\x1a\n"
png += chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0))
png += chunk(b"IDAT", zlib.compress(rows, 9))
png += chunk(b"IEND", b"")
(Path(__file__).parent.parent / "icon.png").write_bytes(png)
