from dataclasses import dataclass

@dataclass
class Answer:
    words: int
    longest: str

def tally(text, limit=None):
    words = text.split(" ")
    return Answer(len(words), max(words, key=len))

def shout(text):
    if not text:
        raise ValueError("no")
    return text.upper()

async def later(text):
    return text
