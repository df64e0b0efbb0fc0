// What src/format must not include.
