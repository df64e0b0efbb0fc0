#!/usr/bin/env python3
"""Tests what a terminal shows during and after runs. Usage: test_terminal.py <qfuse> <golden directory>"""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import unittest

from command import QFUSE, TINY, Command, write_adapter, write_big

PERCENT = r"(dequantize|quantize|merge|compare|finish) +\d+%"
BYTES, RATE, LEFT = r"  [\d.]+ \wB of [\d.]+ \wB", r"  [\d.]+ \w?B/s", r"  \d+ s left"


class Terminal:
    """Emulates a terminal that reflows lines when its width changes: a line that wraps over several rows is one entry
    here. As on some terminals, writing into the last column moves the cursor to the next row."""

    def __init__(self, columns):
        self.leader, self.follower = pty.openpty()
        self.lines, self.column, self.seen, self.most_rows, self.unread = [""], 0, [], 1, ""
        self.resize(columns)

    def resize(self, columns):
        self.columns = columns
        fcntl.ioctl(self.leader, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))

    def start(self, *arguments, **environment):
        kept = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
        environment = {**kept, "TERM": "xterm", **environment}
        process = subprocess.Popen(
            [QFUSE, *arguments], stdin=self.follower, stdout=self.follower, stderr=self.follower, env=environment
        )
        os.close(self.follower)
        return process

    def read(self):
        """Processes the next output; returns False at the end."""
        with contextlib.suppress(OSError):  # raised when the other side is closed
            if chunk := os.read(self.leader, 4096).decode():
                text = self.unread + chunk
                self.unread = re.search(r"(\x1b(\[[\d;?]*)?)?\Z", text)[0]  # keep an incomplete escape sequence
                for token in re.findall(r"\x1b\[[\d;?]*[A-Za-z]|[^\x1b]", text[: len(text) - len(self.unread)]):
                    self.show(token)
                return True
        os.close(self.leader)
        return False

    def show(self, token):
        line = self.lines[-1]
        if token == "\r":
            self.column -= self.column % self.columns
        elif token == "\n":
            self.lines.append("")
            self.column = 0
        elif token in ("\x1b[J", "\x1b[K"):
            if line:
                self.seen.append(line)
            self.lines[-1] = line[: self.column]
        else:
            assert token.isprintable(), repr(token)
            self.lines[-1] = line[: self.column] + token + line[self.column + 1 :]
            self.column += 1
        if len(self.lines) == 1:
            self.most_rows = max(self.most_rows, len(self.lines[0]) // self.columns + 1)

    def run(self, test, *arguments, code=0, **environment):
        """Runs the command to its end and returns the text that stays on the terminal."""
        process = self.start(*arguments, **environment)
        while self.read():
            pass
        test.assertEqual(process.wait(timeout=60), code)
        return "\n".join(self.lines)


def flat(text):
    """Joins the words of wrapped text into one line."""
    return " ".join(text.split())


def of_flat(pattern):
    """Converts a pattern for lines into one for the result of flat()."""
    return pattern.replace(r"[^\n]", ".").replace(r"\n", " ?").replace("  +", " *").replace("  ", " *")


class OnTerminals(Command):
    def runs(self):
        """Yields for each run its arguments, its exit code, and the pattern of the text that stays on the terminal."""
        plain, quantized, adapter = TINY / "full", TINY / "bnb4", self.directory / "lora"
        write_adapter(adapter)
        config = {"peft_type": "LORA", "r": 1, "lora_alpha": 1, "base_model_name_or_path": "full-bnb-4bit"}
        (adapter / "adapter_config.json").write_text(json.dumps(config))
        out, note = ["-o", self.out, "--force"], r"qfuse: note: [^\n]*\n"
        summary = r"[^\n]*out: \d+ of 21 tensors [^\n]+ in 1 file[^\n]+\n"
        signal_to_noise = r"signal-to-noise [^\n]*\n(  +20[^\n]*\n){5}"
        yield ["dequantize", quantized, *out], 0, summary
        in_4_bits = r"  in 4 bits: [^\n]+\n  not quantized: [^\n]+\n"
        yield ["quantize", plain, *out, "--report-error"], 0, summary + in_4_bits + signal_to_noise
        yield ["merge", plain, adapter, *out], 0, note + summary
        yield ["merge", plain, adapter, *out, "--dry-run"], 0, r"tensor  [^\n]+\nmodel[^\n]+\n" + note + summary
        yield ["merge", plain, adapter, *out, "--json"], 0, note + r"\{[^\n]+\n[^\n]+\n\]\}\n"
        yield ["compare", plain, plain], 0, r"equal: 21 tensors, bit by bit\n"
        yield ["check", plain], 0, r"21 tensors in 6 files: nothing is wrong\n"
        yield ["dequantize", quantized, *out, "--shard", "0/1"], 0, r"[^\n]*out, shard 0/1: [^\n]+\nwhen all [^\n]+\n"
        yield ["finish", self.out, "--force"], 0, r"[^\n]*out: 21 tensors, [^\n]+\n"
        yield ["dequantize", quantized, "-o", self.out], 1, r"qfuse: error: [^\n]+\n"

    def test_nothing_is_left_of_the_line(self):
        for columns in (120, 50, 20):
            for arguments, code, expected in self.runs():
                with self.subTest(columns=columns, arguments=arguments):
                    terminal = Terminal(columns)
                    text = terminal.run(self, *arguments, code=code)
                    self.assertRegex(flat(text), rf"\A{of_flat(expected)}\Z")
                    if "--json" not in arguments:
                        self.require_whole_words(text, columns)
                    if arguments[0] != "check" and code == 0:
                        self.assertGreater(len(terminal.seen), 0, "a line was there")
                    for line in terminal.seen:
                        self.assertLess(len(line), columns)

    def require_whole_words(self, text, columns):
        """Lines wider than the terminal must be single words, table rows, or commands to copy."""
        for line in text.splitlines():
            if len(line) > columns and "qfuse finish" not in line and "  " not in line.lstrip():
                self.assertNotRegex(line.lstrip(), r"\w \w")

    def test_tables_on_narrow_terminals(self):
        text = Terminal(60).run(self, "inspect", TINY / "bnb4")
        self.assertLessEqual(max(map(len, text.splitlines())), 60)
        self.assertRegex(text, r"\nlm_head\.weight\n +\[512, 128\] +BF16 +131072\n")

    def test_what_is_to_be_copied_stays_whole(self):
        adapter = self.directory / "lora"
        write_adapter(adapter)
        (adapter / "adapter_config.json").write_text(
            '{"peft_type": "LORA", "r": 1, "lora_alpha": 1, "base_model_name_or_path": "org/none"}'
        )
        for columns in (30, 50, 70):
            text = Terminal(columns).run(self, "merge", adapter, "-o", self.out, code=1)
            self.assertIn("`hf download org/none`", text)

    def test_what_does_not_fit_is_left_out(self):
        source = self.directory / "big.safetensors"
        write_big(source)
        for columns, expected in (
            (80, PERCENT + BYTES + RATE + LEFT),
            (50, PERCENT + BYTES + LEFT),
            (30, PERCENT + LEFT),
            (20, PERCENT),
            (10, "dequantiz"),
            (1, ""),
        ):
            with self.subTest(columns=columns):
                terminal = Terminal(columns)
                terminal.run(self, "dequantize", source, "-o", self.out, "--force")
                self.assertEqual(len(terminal.seen) > 0, expected != "")
                for line in terminal.seen:
                    self.assertRegex(line, rf"\A{expected}\Z")
        terminal = Terminal(120)
        terminal.run(self, "dequantize", source, "-o", self.out, "--force", COLUMNS="30")
        self.assertLess(max(map(len, terminal.seen)), 30, "$COLUMNS asks for less")

    def test_the_width_may_change(self):
        """Resizes the terminal from wide to narrow and back, then interrupts the run."""
        source = self.directory / "big.safetensors"
        write_big(source, 1 << 28)  # takes the reference some seconds
        terminal = Terminal(120)
        process = terminal.start("dequantize", source, "-o", self.out, "--device", "reference")
        for columns in (30, 120):
            shown = len(terminal.seen)
            while len(terminal.seen) < shown + 2:
                self.assertTrue(terminal.read())
            terminal.resize(columns)
        self.assertGreater(terminal.most_rows, 1, "what was there was broken into rows")
        shown = len(terminal.seen)
        while len(terminal.seen) < shown + 2:
            self.assertTrue(terminal.read())
        process.send_signal(signal.SIGINT)
        while terminal.read():
            pass
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual(terminal.lines, ["qfuse: error: cancelled", ""])
        self.assertLess(min(map(len, terminal.seen)), 30)
        self.assertRegex(terminal.seen[-1], rf"\A{PERCENT}{BYTES}{RATE}{LEFT}\Z")

    def test_quiet(self):
        self.assertEqual(Terminal(80).run(self, "dequantize", TINY / "bnb4", "-o", self.out, "--quiet"), "")

    def test_json(self):
        text = Terminal(80).run(self, "dequantize", TINY / "bnb4", "-o", self.out, "--json")
        self.assertEqual(json.loads(text)["dequantized"], 14)

    def test_a_terminal_without_escape_sequences(self):
        terminal = Terminal(160)
        text = terminal.run(self, "dequantize", TINY / "bnb4", "-o", self.out, TERM="dumb", QFUSE_PROGRESS_SECONDS="0")
        self.assertRegex(text, rf"\A({PERCENT}{BYTES}{RATE}{LEFT}\n)+[^\n]+ dequantized, [^\n]+\n\Z")
        self.assertEqual(terminal.seen, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
