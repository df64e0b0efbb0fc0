// in:     x [n] fp32
// out:    y [n] fp32
// math:   y = x * 1
// cost:   as many bytes written as read: bound by memory, whose line the formatter broke in the middle and carried
//         on, which is allowed
// oracle: reference/plant.cpp
