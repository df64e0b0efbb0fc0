// in:     in [rows, cols] fp32, fp16 or bf16, rows apart; a 4-bit weight [rows, cols], scale [outputs] fp32; in_q [m, k]
//         and weight_q [n, k] i8, in_scale [m] and weight_scale [n] fp32, bias [n], lora_in [m, lora_rank], lora_weight
//         [n, lora_rank] or, backward, [lora_rank, n]
// out:    q [rows, cols] or [outputs, terms] i8, scale [rows] or [outputs] fp32; out [m, n], rows apart
// math:   v = values, rotated in blocks by additions and subtractions of neighbours at distances 1, 2, 4 and on;
//         scale = (max(max |v|, 2^-100) * 1/127) * root; q = nearest(v * (root / scale));
//         out = round(chain of fma of LoRA's terms from (sum * in_scale) * weight_scale, + bias)
// cost:   bytes of a decode, or of x; of the product m*n*k integer products
// oracle: reference/rotated_int8.cpp
