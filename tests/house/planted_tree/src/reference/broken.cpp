// in:   x [n] fp32
// out:  y [n] fp32
// math: y = x
