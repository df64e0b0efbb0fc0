// A header that src/format must not include.
