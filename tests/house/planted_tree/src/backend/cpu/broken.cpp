// in:     x [n] fp32
// out:    y [n] fp32
// math:   y = x
// cost:   as many bytes written as read: bound by memory, whose line is so long that the formatter broke it at 120
// letters oracle: reference/broken.cpp
