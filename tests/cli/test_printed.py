#!/usr/bin/env python3
"""Tests the man page and the completions that the command prints. Usage: test_printed.py <qfuse>
They are compared with --help and used as their users do: by man, and by each shell that is installed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QFUSE = Path(sys.argv[1]).resolve()
SHELLS = ("bash", "zsh", "fish")


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, **options)
    if done.stderr:
        raise AssertionError(f"{command} says {done.stderr}")
    return done.stdout


def options_in(text, indent="  "):
    found = re.findall(rf"(?m)^{indent}(?:-\w, )?(--[\w-]+)(?:, (--[\w-]+))?", text)
    return {name for names in found for name in names if name}


HELP = output(QFUSE, "--help")
COMMANDS = re.findall(r"(?m)^  (\w+)  ", HELP[HELP.index("Subcommands:") : HELP.index("Examples:")])
OPTIONS = {command: options_in(output(QFUSE, command, "--help")) for command in COMMANDS if command != "bench"}


class Printed(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="qfuse-printed-"))
        self.addCleanup(shutil.rmtree, self.directory)
        (self.directory / "model one").mkdir()
        (self.directory / "model.safetensors").touch()

    def printed(self, name, *arguments):
        path = self.directory / name
        path.write_text(output(QFUSE, *arguments), encoding="utf-8")
        return path

    def need(self, program):
        if not shutil.which(program):
            self.skipTest(f"{program} is not installed")

    def test_help_was_understood(self):
        known = {"dequantize", "quantize", "merge", "finish", "inspect", "check", "compare", "devices"}
        self.assertLessEqual(known, set(COMMANDS))
        self.assertLessEqual({"--help", "--output", "--dtype", "--shard"}, OPTIONS["dequantize"])

    def test_the_option_that_prints_the_man_page_is_hidden(self):
        self.assertNotIn("--print", HELP)

    def test_what_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([QFUSE, "--print-manual"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)

    def test_everything_is_in_each(self):
        for arguments in (["--print-manual"], *(["completions", shell] for shell in SHELLS)):
            text = output(QFUSE, *arguments).replace("\\-", "-")
            for command in COMMANDS:
                with self.subTest(arguments=arguments, command=command):
                    self.assertIn(command, text)
            for name in set().union(*OPTIONS.values()):
                with self.subTest(arguments=arguments, name=name):
                    self.assertIn(f"-l {name[2:]} " if "fish" in arguments else name, text)

    def test_man_page(self):
        self.need("man")
        path = self.printed("qfuse.1", "--print-manual")
        text = output("man", "--warnings", "-l", path, env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C"})
        if "minimized" in text:
            self.skipTest("Ubuntu's image without manuals has a man that shows none")
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "EXAMPLES", "EXIT STATUS"):
            self.assertEqual(re.findall(rf"(?m)^{heading}$", text), [heading])
        self.assertRegex(text, r"(?m)^ +qfuse dequantize \[options\] IN -o PATH$")
        self.assertRegex(text, r"(?m)^ +qfuse merge \[options\] BASE\|ADAPTER \[ADAPTER\.\.\.\] -o PATH$")
        self.assertRegex(text, r"(?m)^ +--dtype auto\|bf16\|fp16\|fp32$")
        self.assertIn("--exclude '*.self_attn.*' keeps", text, "quotes and dashes are those of a shell")
        for command in COMMANDS:
            section = re.search(rf"(?ms)^   qfuse {command}$(.*?)^( {{3}})?\w", text).group(1)
            self.assertLessEqual(OPTIONS.get(command, set()) - {"--help"}, options_in(section, indent=" +"))

    def test_bash(self):
        self.need("bash")
        path = self.printed("qfuse.bash", "completions", "bash")
        output("bash", "-n", path)
        ask = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _qfuse; printf "%s\\n" "${COMPREPLY[@]}"'

        def complete(*words):
            reply = output("bash", "--norc", "-uc", ask, "bash", path, "qfuse", *words, cwd=self.directory)
            return set(reply.split("\n")) - {""}

        self.assertLessEqual(set(COMMANDS) | {"--version"}, complete(""))
        self.assertEqual(complete("de"), {"dequantize", "devices"})
        for command, options in OPTIONS.items():
            with self.subTest(command=command):
                self.assertEqual(complete(command, "--"), options)
        self.assertEqual(complete("dequantize", "in", "--dtype", ""), {"auto", "bf16", "fp16", "fp32"})
        self.assertEqual(complete("dequantize", "in", "--dtype", "b"), {"bf16"})
        self.assertEqual(complete("dequantize", "in", "--dtype", "="), {"auto", "bf16", "fp16", "fp32"})
        self.assertEqual(complete("dequantize", "in", "--dtype", "=", "f"), {"fp16", "fp32"})
        self.assertEqual(complete("quantize", "--block-size", "1"), {"128", "1024"})
        self.assertEqual(complete("quantize", "--device", ""), {"auto", "cpu", "cuda", "opencl"})
        dtypes = {"auto", "bf16", "fp16", "fp32"}
        formats = {"nf4", "fp4", "fp8", "mxfp4", "nvfp4", "int4"}
        self.assertEqual(complete("merge", "x", "y", "--to", ""), dtypes | formats)
        self.assertEqual(complete("merge", "x", "y", "--base-as", "n"), {"nf4"})
        self.assertEqual(complete("merge", "x", "mo"), {"model one", "model.safetensors"})
        self.assertEqual(complete("dequantize", "mo"), {"model one", "model.safetensors"})
        self.assertEqual(complete("dequantize", "x", "-o", "model o"), {"model one"})
        self.assertEqual(complete("dequantize", "x", "--output", "=", "model."), {"model.safetensors"})
        self.assertEqual(complete("dequantize", "--threads", ""), set())
        self.assertEqual(complete("devices", "mo"), set())
        if "bench" in COMMANDS:
            self.assertEqual(complete("bench", "mo"), {"model one", "model.safetensors"})
        self.assertEqual(complete("completions", "z"), {"zsh"})
        self.assertEqual(complete("help", "me"), {"merge"})

    def test_fish(self):
        self.need("fish")
        path = self.printed("qfuse.fish", "completions", "fish")
        output("fish", "--no-execute", path)

        def complete(line):
            reply = output(
                "fish",
                "--no-config",
                "-c",
                "source $argv[1]; complete -C $argv[2]",
                path,
                line,
                cwd=self.directory,
                env={**os.environ, "HOME": str(self.directory)},
            )
            return {candidate.split("\t")[0] for candidate in reply.splitlines()}

        self.assertEqual(complete("qfuse "), set(COMMANDS))
        for command, options in OPTIONS.items():
            with self.subTest(command=command):
                self.assertEqual(complete(f"qfuse {command} --"), options)
        self.assertEqual(complete("qfuse dequantize --dtype "), {"auto", "bf16", "fp16", "fp32"})
        self.assertEqual(complete("qfuse quantize --block-size 1"), {"128", "1024"})
        self.assertEqual(complete("qfuse inspect model.s"), {"model.safetensors"})
        self.assertEqual(complete("qfuse dequantize -o model.s"), {"model.safetensors"})
        self.assertEqual(complete("qfuse devices mo"), set())
        self.assertEqual(complete("qfuse completions "), set(SHELLS))

    def test_zsh(self):
        self.need("zsh")
        functions = self.directory / "functions"
        functions.mkdir()
        (functions / "_qfuse").write_text(output(QFUSE, "completions", "zsh"), encoding="utf-8")
        output("zsh", "-n", functions / "_qfuse")
        # zsh completes only in a terminal: an inner zsh has one, and its widget prints the candidates.
        ask = """
            zmodload zsh/zpty
            zpty inner zsh -f
            zpty -w inner "PS1= RPROMPT=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -d $1/dump"
            zpty -w inner 'zle -C answer complete-word _answer; bindkey "^X" answer; zstyle ":completion:*" menu no'
            zpty -w inner 'compadd() { builtin compadd -O found "$@"; candidates+=($found); builtin compadd "$@" }'
            zpty -w inner '_answer() { candidates=(); _main_complete; print -r -- "<<${(j:|:)candidates}>>" }'
            zpty -w inner "cd $2; print rea''dy"
            zpty -r inner seen '*ready*'
            zpty -w -n inner "$3"$'\\C-X'
            zpty -r inner seen '*>>*'
            zpty -d inner
            print -r -- "$seen"
        """

        def complete(line):
            reply = output("zsh", "-f", "-c", ask, "zsh", functions, self.directory, line)
            found = re.search(r"(?s)<<(.*)>>", reply).group(1).replace("\r", "").replace("\n", "")
            return set(found.split("|")) - {""}

        self.assertLessEqual(set(COMMANDS), complete("qfuse "))
        self.assertLessEqual(OPTIONS["quantize"], {name.rstrip("=") for name in complete("qfuse quantize --")})
        self.assertEqual(complete("qfuse dequantize --dtype "), {"auto", "bf16", "fp16", "fp32"})
        self.assertEqual(complete("qfuse inspect model.s"), {"model.safetensors"})
        self.assertEqual(complete("qfuse completions "), set(SHELLS))
        self.assertEqual(complete("qfuse help me"), {"merge"})
        read = 'autoload -Uz compinit; compinit -u -d $1/dump; source $1/_qfuse; print -r -- "$_comps[qfuse]"'
        self.assertEqual(output("zsh", "-f", "-c", read, "zsh", functions), "_qfuse\n")

    def test_help_of_a_subcommand(self):
        self.assertEqual(output(QFUSE, "help"), HELP)
        for command in OPTIONS:
            self.assertEqual(output(QFUSE, "help", command), output(QFUSE, command, "--help"))
        if "bench" in COMMANDS:
            self.assertIn("qfuse-bench", output(QFUSE, "help", "bench"))

    def test_help_is_as_wide_as_asked(self):
        def help_of(command, columns):
            return output(QFUSE, "help", *command.split(), env={**os.environ, "COLUMNS": str(columns)})

        for command in ("", *COMMANDS):
            for columns in (60, 80, 100):
                lines = help_of(command, columns).splitlines()
                wrapped = [line for line in lines if columns >= 80 or not line.startswith("  ")]  # else not wrapped
                with self.subTest(command=command, columns=columns):
                    self.assertLessEqual(max(map(len, wrapped)), columns)
                    self.assertEqual(" ".join(lines).split(), help_of(command, 200).split(), "no word is broken")
            self.assertEqual(help_of(command, 100), help_of(command, 1000))


unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
