"""Encodes texts for two and a half seconds: one hot function, and the standard library's work for it."""
import json
import time


def price(text):
    total = 0
    for character in text:
        total = (total * 31 + ord(character)) % 1000003
    return total


def label(text):
    return json.dumps({"text": text, "price": price(text), "parts": [text[i:i + 3] for i in range(0, 300, 3)]}, indent=1)


def main():
    end = time.monotonic() + 2.5
    number = 0
    while time.monotonic() < end:
        label(f"item {number} " * 60)
        number += 1


main()
