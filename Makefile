# A table of contents: the builds are in CMakePresets.json, the work is in tools/.
PREFIX ?= /usr/local

.PHONY: all configure demo check test test-all test-dependencies install uninstall format tidy hooks site clean help

all: configure  ## build the library, the commands and the tests: build/release
	cmake --build --preset release

configure:
	@tools/install_dependencies build
	cmake --preset release --log-level=WARNING
	@test ! -e .git || test -n "$$(git config core.hooksPath)" || echo "To have commit messages checked: make hooks"

demo: configure  ## turn a small 4-bit model into bf16 and prove every bit
	cmake --build --preset release --target qfuse_command
	tools/demo

check: configure  ## what a pull request needs, in two minutes after a build: format, ops, checkpoints, command, house rules
	@tools/install_dependencies style
	@tools/install_style >/dev/null || echo "How Python is written is not checked"
	cmake --build --preset release --target qfuse_check
	ctest --preset release -L '^(fast|house)$$' -LE '^slow$$' -E '_NOT_BUILT$$' --parallel "$$(nproc)"

test: test-dependencies  ## build and test: CUDA, sanitizers, fuzzers, arm64 under qemu; FAST=1: in minutes, one build
	tools/test $(if $(FAST),--fast)

test-all: test-dependencies  ## the same at full length: every build, GPU architecture and value, and the linter
	tools/test --all

test-dependencies:
	@tools/install_dependencies build cross fuzz hip opencl plot style
	@tools/install_dependencies judges && tools/install_judges || true  # without them, tools/test says what was not judged

install: configure  ## install into PREFIX (/usr/local)
	cmake --build --preset release --target qfuse_installed
	cmake --install build/release --prefix $(PREFIX)

uninstall:  ## remove what the last make install put there
	cmake -P cmake/uninstall.cmake build/release

format:  ## format every source
	@tools/install_dependencies style
	@tools/install_style >/dev/null || echo "Python is not formatted"
	tools/format

tidy:  ## lint every source
	@tools/install_dependencies build style
	tools/tidy

site:  ## make pages of the documents, with a search: build/site
	@tools/install_dependencies judges
	tools/site/build

hooks:  ## let git check commit messages as they are written
	git config core.hooksPath tools/hooks

clean:  ## remove build/
	rm -rf build

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 16
