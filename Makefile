# A table of contents: the builds are in CMakePresets.json, the work is in tools/.
PREFIX ?= /usr/local

.PHONY: all configure demo test install format tidy clean help

all: configure  ## build the library, the commands and the tests: build/release
	cmake --build --preset release

configure:
	@tools/install_dependencies build
	cmake --preset release --log-level=WARNING

demo: configure  ## turn a small 4-bit model into bf16 and prove every bit
	cmake --build --preset release --target qfuse_command
	tools/demo

test:  ## build and test everything: release, sanitizers, fuzzers, arm64 under qemu, CUDA where nvcc is
	@tools/install_dependencies build cross fuzz
	@tools/install_dependencies judges && tools/install_judges || true  # without them, tools/test says what was not judged
	tools/test

install: all  ## install into PREFIX (/usr/local)
	cmake --install build/release --prefix $(PREFIX)

format:  ## format every source
	@tools/install_dependencies style
	tools/format

tidy:  ## lint every source
	@tools/install_dependencies build style
	tools/tidy

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 16
