#!/usr/bin/env python3
"""Draws the Example's sign-up: runs it in a pseudo-terminal, types a name and half of a password,
and writes the screen to .github/signup.svg.

    .github/terminal-svg.py [program]

The program is `Example`; without it, the script builds it.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from html import escape
from pathlib import Path

COLUMNS, ROWS = 72, 24
CELL_WIDTH, CELL_HEIGHT, MARGIN = 8.4, 19, 14
BACKGROUND, FOREGROUND = "#1e2127", "#d7dae0"
COLORS = {"31": "#f27983", "32": "#98c379", "33": "#e5c07b"}
TIMEOUT = 30


class Screen:
    """The cells of a terminal, by the control sequences that the Example uses."""

    def __init__(self):
        self.cells = [[(" ", ())] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.is_cursor_shown = True
        self.style = ()
        self.rest = ""

    def show(self, text):
        text = self.rest + text
        # An unfinished sequence waits for its end.
        complete = re.fullmatch(r"(.*?)(\x1b(?:\[[0-?]*)?)?", text, re.DOTALL)
        text, self.rest = complete[1], complete[2] or ""
        for sequence, final, character in re.findall(r"\x1b\[([0-?]*)([@-~])|(.)", text, re.DOTALL):
            if final:
                self.control(sequence, final)
            else:
                self.put(character)

    def control(self, parameters, final):
        if final == "m":
            self.style = tuple(p for p in parameters.split(";") if p not in ("", "0"))
        elif final == "H":
            row, column = (parameters.split(";") + ["", ""])[:2]
            self.row, self.column = int(row or 1) - 1, int(column or 1) - 1
        elif final == "K":
            self.cells[self.row][self.column :] = [(" ", ())] * (COLUMNS - self.column)
        elif final == "J":
            self.cells = [[(" ", ())] * COLUMNS for _ in range(ROWS)]
        elif parameters == "?25":
            self.is_cursor_shown = final == "h"

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, ROWS - 1)
        elif character >= " " and self.column < COLUMNS:
            self.cells[self.row][self.column] = (character, self.style)
            self.column += 1

    @property
    def text(self):
        return "\n".join("".join(cell for cell, _ in row).rstrip() for row in self.cells)


class Session:
    """A program in a pseudo-terminal, with the files of a user who has none yet."""

    def __init__(self, arguments, home):
        self.screen = Screen()
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        environment = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": home}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            # The parent sets the size first.
            sys.stdin.buffer.raw.read(1)
            os.execve(arguments[0], arguments, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLUMNS, 0, 0))
        os.write(self.terminal, b"\n")

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def wait_for(self, text):
        """Waits until the screen shows a text, and the cursor, which is hidden during an update."""
        end = time.monotonic() + TIMEOUT
        while text not in self.screen.text or not self.screen.is_cursor_shown:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit(f"The screen never showed {text!r}:\n{self.screen.text}")
            self.screen.show(self.decoder.decode(os.read(self.terminal, 4096)))

    def end(self):
        self.type("\x1b")
        try:
            while os.read(self.terminal, 4096):
                pass
        except OSError:
            pass  # The other end is closed.
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def runs(row):
    """The pieces of a row that have one style: their columns, texts and styles."""
    start = 0
    for column in range(1, COLUMNS + 1):
        if column == COLUMNS or row[column][1] != row[start][1]:
            yield start, "".join(cell for cell, _ in row[start:column]), row[start][1]
            start = column


def svg(screen):
    used = len(screen.text.rstrip("\n").split("\n"))
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = used * CELL_HEIGHT + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" fill="{FOREGROUND}" font-size="14" '
        'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace">',
        "<title>The sign-up of the Example</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        f'<rect x="{MARGIN + screen.column * CELL_WIDTH:g}" '
        f'y="{MARGIN + screen.row * CELL_HEIGHT:g}" '
        f'width="{CELL_WIDTH:g}" height="{CELL_HEIGHT}" fill-opacity="0.5"/>',
    ]
    for number, row in enumerate(screen.cells[:used]):
        base = MARGIN + number * CELL_HEIGHT + 14
        for start, text, style in runs(row):
            left = MARGIN + start * CELL_WIDTH
            if "4" in style:
                lines.append(
                    f'<rect x="{left:g}" y="{base + 3:g}" width="{len(text) * CELL_WIDTH:g}" '
                    'height="1"/>')
            if not text.strip():
                continue
            left += (len(text) - len(text.lstrip())) * CELL_WIDTH
            text = text.strip()
            attributes = f'x="{left:g}" y="{base:g}"'
            # The width of the cells holds in any font.
            width = len(text) * CELL_WIDTH
            attributes += f' textLength="{width:g}" lengthAdjust="spacingAndGlyphs"'
            attributes += "".join(f' fill="{COLORS[code]}"' for code in style if code in COLORS)
            attributes += ' font-weight="bold"' if "1" in style else ""
            attributes += ' fill-opacity="0.6"' if "2" in style else ""
            lines.append(f'<text xml:space="preserve" {attributes}>{escape(text)}</text>')
    return "\n".join(lines + ["</svg>", ""])


def built_program(package):
    build = ["swift", "build", "--package-path", str(package / "Example")]
    subprocess.run(build, check=True)
    folder = subprocess.run(build + ["--show-bin-path"], check=True, capture_output=True, text=True)
    return folder.stdout.strip() + "/Example"


def main():
    package = Path(__file__).resolve().parent.parent
    program = sys.argv[1] if len(sys.argv) > 1 else built_program(package)
    with tempfile.TemporaryDirectory() as home:
        session = Session([os.path.abspath(program), "signup"], home)
        session.wait_for("Esc cancel")
        session.type("nausicaä")
        session.wait_for("✓ Not taken yet")
        session.type("\tVallley1")
        session.wait_for("•" * len("Vallley1"))
        picture = svg(session.screen)
        print(session.screen.text)
        session.end()
    (package / ".github/signup.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
