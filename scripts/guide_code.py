#!/usr/bin/env python3
"""Writes the code of the guides in docs/ to a folder, so that a test can run it.

A guide shows one example in several languages as fenced blocks that follow each other. Blocks that
stand alone are fragments and are left out.
"""

import re
import sys
from pathlib import Path

ENDINGS = {"sh": "sh", "python": "py", "typescript": "mjs"}
GROUP = re.compile(r"(?:^```(?:sh|python|typescript)\n(?:(?!```).*\n)*```\n\n?){2,}", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+)\n((?:(?!```).*\n)*)```\n", re.MULTILINE)


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("Usage: guide_code.py FOLDER BASE_URL")
    folder, base_url = Path(sys.argv[1]), sys.argv[2]
    docs = Path(__file__).parent.parent / "docs"
    written = 0
    for guide in sorted(docs.glob("*.md")):
        groups = GROUP.finditer(guide.read_text("utf-8"))
        for number, group in enumerate(groups, 1):
            for language, code in BLOCK.findall(group.group()):
                file = folder / f"{guide.stem}-{number}.{ENDINGS[language]}"
                file.write_text(code.replace("https://localhost:8440", base_url), "utf-8")
                written += 1
    if written == 0:
        sys.exit("guide_code.py: no guide has an example in several languages")


if __name__ == "__main__":
    main()
