/* qfuse: fused quantization kernels for large language models, on CPUs and NVIDIA GPUs. The C interface and its manual.
 *
 *   qfuse_weight_4bit weight = {.struct_size = sizeof weight, .rows = N, .cols = K, .blocksize = 64,
 *                               .quant_type = QFUSE_NF4, .packed = codes, .absmax = scales};
 *   qfuse_dequantize_4bit_params params = {.struct_size = sizeof params, .weight = &weight,
 *                                          .out_dtype = QFUSE_BFLOAT16, .out = out};
 *   qfuse_error error;
 *   if (qfuse_dequantize_4bit(&params, NULL, &error) != QFUSE_OK) puts(error.message);
 *
 * Contents:
 *   devices, memory, streams    qfuse_device_*, qfuse_memory_*, qfuse_stream_*, qfuse_copy
 *   4-bit weights               qfuse_weight_4bit, qfuse_dequantize_4bit, qfuse_quantize_4bit
 *   8-bit weights and codes     qfuse_dequantize_int8, qfuse_dequantize_fp8, qfuse_quantize_blockwise,
 *                               qfuse_dequantize_blockwise
 *   matmuls with 4-bit weights  qfuse_matmul_4bit (LoRA inside), _many (one input), _grouped (MoE), _advice
 *   matmuls in INT8, training   qfuse_rotated_int8_*
 *   LoRA                        qfuse_lora_merge
 *   SwiGLU, quantized outputs   qfuse_swiglu
 *
 * Conventions of every function:
 * - The header is C99 and includes no vendor's header: a CUDA stream is a void*.
 * - Errors are values. A function that can fail returns a qfuse_status. If `error` is not NULL, it also writes the
 *   status and one line that names the offending field and its values. After a failure, outputs are undefined. No
 *   function prints, aborts or throws.
 * - Counts and sizes are int64_t and may exceed 2^31. Zero elements are valid: nothing is read or written, and pointers
 *   may be NULL.
 * - Pointers need no alignment. Natural alignment is faster, and on CUDA 16 bytes for the largest arrays.
 * - CUDA: every array is in memory that the device can access. An op is enqueued on the caller's stream and returns at
 *   once. It allocates nothing and waits for nothing. It can be captured into a CUDA graph, except the first call of
 *   each kind on a device, which loads the kernel. The next synchronization reports failures of its execution.
 * - OPENCL: the same, but every array is in memory of qfuse_memory_allocate, at any offset: OpenCL addresses are
 *   valid only within one context, the library's. The first call on a device compiles its kernels and checks that its
 *   arithmetic is exact; a device that fails is refused.
 * - Outputs must not overlap inputs, each other or the workspace, which is checked; but lora_merge's out may be its in.
 * - A workspace is scratch memory that the caller lends for one call, on the op's device. It need not be cleared.
 *   qfuse_<op>_workspace_size returns its size in bytes; an op without this function needs none.
 * - No function keeps a pointer after it returns or changes global state. Only qfuse_memory_allocate allocates memory
 *   for its caller. Calls are thread-safe if their outputs are disjoint.
 * - CUDA devices and contexts: a call may be the first of its thread and may name any device. It restores the thread's
 *   current device and context, and creates no context on other devices. The stream must belong to the named device.
 *   If the thread's current context is on that device, the call uses it, as do the functions for memory and streams;
 *   otherwise the device's primary context, which the CUDA runtime uses. Do not call qfuse after cudaDeviceReset.
 * - Structs begin with `struct_size`: set it to sizeof the struct (the *_INIT macros do, and zero the rest). A caller
 *   compiled with an older header passes shorter structs: missing fields count as zero, which means what the op did
 *   before they existed. A struct must reach the line "optional from here on", or its end if there is no such line.
 *   Longer structs of newer callers are accepted if the unknown fields are zero.
 * - Results are bit-identical across devices, SIMD targets and thread counts, with three exceptions: an approximate
 *   reciprocal, if requested; the exp of swiglu, which on CUDA is CUDA's own; and the sums of matmul_4bit, which by
 *   default are those of the GPU's matrix instructions (see `sum`). The thread's floating-point mode (rounding, flush
 *   to zero) has no effect and is preserved.
 * - Environment variables, for diagnosis, read once: QFUSE_LOG_PLANS=1 prints the chosen plan of each call on stderr;
 *   QFUSE_PLAN forces plans; QFUSE_CPU_TARGET sets the default SIMD target (docs/PLANS.md). QFUSE_COMPUTE_CAPABILITY
 *   and others make a GPU behave like an earlier one (docs/PORTING.md). */
#ifndef QFUSE_QFUSE_H
#define QFUSE_QFUSE_H

/* The version of this header; qfuse_version() returns the library's. Every build takes the version from these lines.
 * QFUSE_VERSION is one number for comparisons: #if QFUSE_VERSION >= 10203 means 1.2.3 or later. */
#define QFUSE_VERSION_MAJOR 0
#define QFUSE_VERSION_MINOR 1
#define QFUSE_VERSION_PATCH 0
#define QFUSE_VERSION (QFUSE_VERSION_MAJOR * 10000 + QFUSE_VERSION_MINOR * 100 + QFUSE_VERSION_PATCH)
#define QFUSE_VERSION_STRING QFUSE_VERSION_JOIN_(QFUSE_VERSION_MAJOR, QFUSE_VERSION_MINOR, QFUSE_VERSION_PATCH)
#define QFUSE_VERSION_JOIN_(major, minor, patch) QFUSE_VERSION_QUOTE_(major, minor, patch)
#define QFUSE_VERSION_QUOTE_(major, minor, patch) #major "." #minor "." #patch

#include <stddef.h>
#include <stdint.h>

#if defined(QFUSE_STATIC)
#define QFUSE_API
#elif defined(__GNUC__)
#define QFUSE_API __attribute__((visibility("default")))
#else
#define QFUSE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vocabulary ------------------------------------------------------------------------------------------------ */

/* Enums are 32 bits wide. In C++ the type is fixed, so that the library can check any value that a caller passes. */
#ifdef __cplusplus
#define QFUSE_ENUM : int32_t
#else
#define QFUSE_ENUM
#endif

typedef enum qfuse_status QFUSE_ENUM {
  QFUSE_OK = 0,
  QFUSE_INVALID_ARGUMENT = 1, /* a parameter contradicts itself, another one, or this manual */
  QFUSE_INVALID_DATA = 2,     /* a file's content violates its format */
  QFUSE_UNSUPPORTED = 3,      /* well-formed, but this build or this machine cannot do it */
  QFUSE_IO_ERROR = 4,         /* the operating system failed to read or write */
  QFUSE_OUT_OF_MEMORY = 5,
  QFUSE_CANCELLED = 6, /* the caller's progress callback asked to stop */
  QFUSE_INTERNAL_ERROR = 7,
  QFUSE_DEVICE_ERROR = 8 /* the GPU or its driver failed, perhaps in earlier work; the message is the driver's */
} qfuse_status;

/* Element types of weights. The 16-bit types are little-endian IEEE binary16 and bfloat16. */
typedef enum qfuse_dtype QFUSE_ENUM { QFUSE_FLOAT32 = 0, QFUSE_FLOAT16 = 1, QFUSE_BFLOAT16 = 2 } qfuse_dtype;

/* Element types of scales. Each op takes only some of them. The 16-bit types are those of qfuse_dtype.
 * - UE8M0, also called E8M0, is one byte: 2^(byte - 127), or NaN if the byte is 255.
 * - E4M3 is torch's float8_e4m3fn: 4 exponent bits, bias 7, 3 fraction bits, no infinities; 0x7f and 0xff are NaN. */
typedef enum qfuse_scale_type QFUSE_ENUM {
  QFUSE_SCALES_FLOAT32 = 0,
  QFUSE_SCALES_UE8M0 = 1,
  QFUSE_SCALES_FLOAT16 = 2,
  QFUSE_SCALES_BFLOAT16 = 3,
  QFUSE_SCALES_E4M3 = 4
} qfuse_scale_type;

/* 4-bit codebooks. FP4 and NF4 are bitsandbytes', with the enum values of its C interface. E2M1 is OCP's FP4: 0, 0.5,
 * 1, 1.5, 2, 3, 4, 6 and, with bit 3 set, their negatives, including -0. INT4 is the nibble minus a zero point. */
typedef enum qfuse_quant_type QFUSE_ENUM {
  QFUSE_FP4 = 1,
  QFUSE_NF4 = 2,
  QFUSE_E2M1 = 3,
  QFUSE_INT4 = 4
} qfuse_quant_type;

/* How the scale of an MXFP4 block follows from its largest magnitude. UP: a sixth of it, rounded up to a power of two,
 * as in gpt-oss and DeepSeek-V4. NEAREST: a quarter of it, rounded to a power of two, as in compressed-tensors. */
typedef enum qfuse_mx_scales QFUSE_ENUM { QFUSE_MX_UP = 0, QFUSE_MX_NEAREST = 1 } qfuse_mx_scales;

/* Encoders divide by absmax by multiplying with its reciprocal. IEEE: the IEEE reciprocal. APPROX, only on CUDA: the
 * GPU's approximate reciprocal, as bitsandbytes uses on CUDA (docs/ACCURACY.md counts the codes that differ). */
typedef enum qfuse_reciprocal QFUSE_ENUM { QFUSE_RECIPROCAL_IEEE = 0, QFUSE_RECIPROCAL_APPROX = 1 } qfuse_reciprocal;

typedef enum qfuse_device_type QFUSE_ENUM {
  QFUSE_CPU = 0,
  QFUSE_CUDA = 1,
  QFUSE_REFERENCE = 2, /* the slow scalar oracle on the CPU, for tests of the other devices */
  QFUSE_OPENCL = 3     /* any OpenCL device with shared virtual memory and exact arithmetic; only the dequantize ops */
} qfuse_device_type;

typedef struct qfuse_device {
  qfuse_device_type type;
  int32_t index; /* number among the devices of its type, from 0; CPU and REFERENCE have only 0 */
} qfuse_device;

#define QFUSE_ERROR_MESSAGE_SIZE 512

typedef struct qfuse_error {
  qfuse_status status;
  char message[QFUSE_ERROR_MESSAGE_SIZE]; /* UTF-8, one line, zero-terminated, truncated to fit */
} qfuse_error;

/* Runs an op on the caller's threads (CPU only), for example those of a framework or an inference engine, which would
 * otherwise compete with the library's threads for cores. The callback calls function(task, begin, end) on ranges that
 * together cover [0, count) exactly once. A range has about `grain` items or more. Ranges may run on any threads and in
 * any order. The callback returns after all calls have returned. `function` never throws. */
typedef void (*qfuse_range_function)(const void* task, int64_t begin, int64_t end);
typedef void (*qfuse_parallel_for)(void* context, int64_t count, int64_t grain, qfuse_range_function function,
                                   const void* task);

/* Where and how an op runs. NULL means QFUSE_EXEC_INIT: the CPU, its best SIMD target, all cores. */
typedef struct qfuse_exec {
  size_t struct_size;
  qfuse_device device;
  int32_t threads;        /* CPU: maximum number of threads; 0: one per core that this process may use */
  const char* cpu_target; /* CPU: a name from qfuse_cpu_target_name; NULL: QFUSE_CPU_TARGET's, or the best one */
  void* stream;           /* the stream on which the op is enqueued. CUDA: a cudaStream_t of `device`; OPENCL: a stream
                             of qfuse_stream_create; other devices: NULL */
  /* optional from here on */
  qfuse_parallel_for parallel_for; /* CPU: runs the op's ranges; `threads` is then ignored. NULL: library's threads */
  void* parallel_context;          /* first argument of parallel_for */
} qfuse_exec;
#define QFUSE_EXEC_INIT \
  { sizeof(qfuse_exec), {QFUSE_CPU, 0}, 0, NULL, NULL, NULL, NULL }

/* ---- versions, names, devices ---------------------------------------------------------------------------------- */

/* Returns the library's version, "major.minor.patch". */
QFUSE_API const char* qfuse_version(void);

/* Describes this build for people and bug reports, one "key: value" per line: version; compiler; parallel (how threads
 * are implemented); cuda (nvcc's version, "HIP", "software" or "none"); cuda_architectures and hip_architectures, if
 * any; cuda_steps ("portable", if the build does not use NVIDIA's instructions); opencl (its headers' version, or
 * "none"). Never NULL. */
QFUSE_API const char* qfuse_build_info(void);

/* Returns a status as a short lower-case phrase, or "unknown status" for any other number. Never returns NULL. */
QFUSE_API const char* qfuse_status_string(qfuse_status status);

/* Bytes per element; 0 for a number that is not a dtype. */
QFUSE_API size_t qfuse_dtype_size(qfuse_dtype dtype);

/* Parses "cpu", "reference", "cuda", "cuda:N", "opencl" or "opencl:N" (N from 0). Does not check that the machine has
 * the device. INVALID_ARGUMENT: any other text, or a NULL argument. */
QFUSE_API qfuse_status qfuse_device_parse(const char* name, qfuse_device* device, qfuse_error* error);

/* Number of devices of a type that can run ops on this machine now. Never fails.
 * - CPU and REFERENCE: 1.
 * - CUDA: the number of GPUs; 0 without a GPU or a driver, or in a build without CUDA.
 * - OPENCL: the number of all devices of all platforms. Some may be unusable; qfuse_device_describe says which. */
QFUSE_API int32_t qfuse_device_count(qfuse_device_type type);

/* Returns 1 for device types with memory and streams of their own, CUDA and OPENCL: ops expect arrays there. Else 0. */
QFUSE_API int32_t qfuse_device_has_own_memory(qfuse_device_type type);

/* Describes a device in one line for people: model, cores or multiprocessors, memory. Writes at most `size` bytes to
 * `text`, zero included. INVALID_ARGUMENT: text NULL or size 0. UNSUPPORTED: the device is not available here. */
QFUSE_API qfuse_status qfuse_device_describe(qfuse_device device, char* text, size_t size, qfuse_error* error);

/* Returns the name of a SIMD target of the CPU backend that this machine can run; index 0 is the best one. Names are
 * "avx512_zen4" (AVX-512 with bfloat16), "avx512", "avx2", "sse4", "ssse3", "neon" and "scalar". The last one is always
 * "scalar"; an index beyond it gives NULL. As input, "AVX-512" and Highway's "avx3" also mean "avx512". */
QFUSE_API const char* qfuse_cpu_target_name(int32_t index);

/* ---- memory and streams of a GPU --------------------------------------------------------------------------------- */

/* Memory, streams and copies for callers who do not want to include a vendor's headers. On CUDA, the ops also work with
 * arrays and streams from anywhere else. `device` must be CUDA or OPENCL; any other is INVALID_ARGUMENT. */
typedef enum qfuse_memory_kind QFUSE_ENUM {
  QFUSE_MEMORY_DEVICE = 0, /* device memory, aligned to 256 bytes (OPENCL: 128); the host must not access it */
  QFUSE_MEMORY_PINNED = 1  /* host memory that GPUs copy from and to asynchronously */
} qfuse_memory_kind;

/* Allocates `size` bytes, >= 0 (0 also gives a pointer). OUT_OF_MEMORY: device or host memory is exhausted. */
QFUSE_API qfuse_status qfuse_memory_allocate(qfuse_device device, qfuse_memory_kind kind, int64_t size, void** memory,
                                             qfuse_error* error);

/* Frees memory of qfuse_memory_allocate; pass the same device and kind. NULL is ignored. No enqueued work may still use
 * the memory; only CUDA waits for such work. */
QFUSE_API void qfuse_memory_release(qfuse_device device, qfuse_memory_kind kind, void* memory);

/* A stream runs its work in order, concurrently with other streams. On CUDA it is a cudaStream_t that does not
 * synchronize with the default stream; on OPENCL it is a cl_command_queue. Destroying a stream does not wait for its
 * work; NULL is ignored. A NULL stream argument means CUDA's default stream, or on OPENCL a queue of the library. */
QFUSE_API qfuse_status qfuse_stream_create(qfuse_device device, void** stream, qfuse_error* error);
QFUSE_API void qfuse_stream_destroy(qfuse_device device, void* stream);

/* Waits for all work that was enqueued on the stream, and reports its failures. */
QFUSE_API qfuse_status qfuse_stream_synchronize(qfuse_device device, void* stream, qfuse_error* error);

/* Enqueues a copy of `size` bytes in any direction between the device and the host. Host memory should be pinned. */
QFUSE_API qfuse_status qfuse_copy(qfuse_device device, void* to, const void* from, int64_t size, void* stream,
                                  qfuse_error* error);

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* Blocks of absmax per nested block in bitsandbytes; and elements per group of swiglu, or per small group. */
#define QFUSE_NESTED_BLOCKSIZE 256
#define QFUSE_SWIGLU_GROUP_SIZE 128
#define QFUSE_SWIGLU_SMALL_GROUP_SIZE 32
/* Entries of an 8-bit code, such as nested_quant_map. */
#define QFUSE_QUANT_MAP_SIZE 256

/* Bytes of n packed 4-bit codes: ceil(n/2). n must not be negative. */
QFUSE_API int64_t qfuse_packed_size(int64_t n);

/* Number of blocks of n elements: ceil(n/blocksize). n must not be negative, blocksize must be positive.
 * This is the length of absmax. Applied to that length and the nested block size, it is the length of nested_absmax. */
QFUSE_API int64_t qfuse_block_count(int64_t n, int64_t blocksize);

/* Writes the 256 ascending fp32 values of the signed dynamic 8-bit code, which quantize_4bit uses for nested absmax
 * (CRC32 of the 1024 little-endian bytes: 454261483). To decode, use the map stored with the codes instead. */
QFUSE_API void qfuse_nested_quant_map(float map[QFUSE_QUANT_MAP_SIZE]);

/* ---- the 4-bit weight ------------------------------------------------------------------------------------------ */

/* A 4-bit weight, for every op that reads one. Its arrays are in memory of the device that runs the op. All of these
 * ops take NF4 and FP4, and qfuse_dequantize_4bit also E2M1 and INT4. matmul_4bit, _many and _grouped also take these,
 * if cols is a multiple of blocksize. All else is UNSUPPORTED.
 * - MXFP4: E2M1 with UE8M0 scales, blocks of 32, no global scale or divisor
 * - NVFP4: E2M1 with E4M3 scales, blocks of 16
 * - symmetric INT4: fp32, fp16 or bf16 scales, blocksize a power of two from 32 to 4096, no zero points, no global
 *   scale or divisor
 *
 * NF4 and FP4, as bitsandbytes stores them. absmax is plain, or nested (double quantization).
 * Layout: the rows*cols elements are contiguous, row after row. Byte j of `packed` holds element 2j in its high nibble
 * and element 2j+1 in its low nibble; the spare nibble of an odd count is ignored. Block b covers elements
 * [b*blocksize, (b+1)*blocksize), so a block may straddle rows. A weight without a shape is one row.
 * Value of element i in block b, each step rounded to nearest even in fp32 (the order of bitsandbytes on CUDA):
 *   plain   A = absmax[b]
 *   nested  A = ftz(nested_quant_map[absmax_8bit[b]] * nested_absmax[(nested_begin + b)/nested_blocksize])
 *               + *nested_offset
 *   value = ftz(code[nibble] * A), rounded to the dtype that the op works in
 * ftz(x*y) reads subnormal operands as zero and flushes a subnormal product to zero, keeping signs. NaN results are the
 * canonical quiet NaN. A may have any value: negative, zero, infinite and NaN values follow the formula.
 *
 * E2M1 and INT4, with scales for blocks along rows. Either codebook works with any type of scales:
 * - MXFP4 is E2M1 with UE8M0 scales and blocks of 32.
 * - NVFP4 is E2M1 with E4M3 scales, blocks of 16, and a per-tensor factor (modelopt) or divisor (compressed-tensors).
 * - INT4 in groups is INT4 with 16-bit or fp32 scales.
 *
 * Layout: row r is the ceil(cols/2) bytes of `packed` from r*ceil(cols/2). Byte j of a row holds element 2j of the row
 * in its LOW nibble and 2j+1 in its high nibble; the spare nibble of an odd row is ignored. Block b of row r covers its
 * columns [b*blocksize, (b+1)*blocksize); the last may be short. A row has blocks = ceil(cols/blocksize), a scale each.
 * Value of an element in block b of row r, each rounding step to nearest even in fp32:
 *   A     = scales[r][b], widened to fp32 exactly
 *   A     = A * *global_scale, or A / *global_divisor, if one of them is not NULL
 *   code  = E2M1's value of the nibble, or nibble - zero_points[r][b], which is exact for any zero point
 *   value = code * A, rounded again if the op works in a 16-bit dtype
 * Subnormals are kept. NaN results are the canonical quiet NaN. */
typedef struct qfuse_weight_4bit {
  size_t struct_size;
  int64_t rows;                /* >= 0: outputs of a linear layer */
  int64_t cols;                /* >= 0: inputs of a linear layer */
  int64_t blocksize;           /* elements per block. NF4 and FP4: a power of two, 32 to 4096; E2M1 and INT4: a multiple
                                  of 16, or any number >= cols, which means one scale per row */
  qfuse_quant_type quant_type; /* which codebook */
  const uint8_t* packed;       /* [ceil(rows*cols/2)]; E2M1 and INT4: [rows, ceil(cols/2)] */
  const float* absmax;         /* plain: [blocks], blocks = ceil(rows*cols/blocksize); nested, E2M1 and INT4: NULL */
  /* optional from here on */
  const uint8_t* absmax_8bit;    /* nested: [blocks]; plain: NULL. E2M1 and INT4: NULL; the nested fields below are
                                    then ignored, except nested_begin, which must be 0 */
  const float* nested_absmax;    /* nested: [ceil((nested_begin + blocks)/nested_blocksize)] */
  const float* nested_quant_map; /* nested: [256], the map stored with the weight */
  const float* nested_offset;    /* nested: [1], added to every decoded absmax */
  int64_t nested_blocksize;      /* nested: blocks per nested block, a power of two; usually QFUSE_NESTED_BLOCKSIZE */
  int64_t nested_begin;          /* nested: for a slice of a larger weight, the number of blocks that nested_absmax[0]
                                    covers before block 0, from 0 to nested_blocksize - 1. Must be 0 except in
                                    qfuse_matmul_4bit, _many and rotated_int8 */
  /* E2M1 and INT4 only; zero with NF4 and FP4: */
  qfuse_scale_type scale_type; /* element type of `scales` */
  const void* scales;          /* [rows, blocks] of scale_type */
  const float* global_scale;   /* [1] or NULL: modelopt's weight_scale_2, a factor */
  const float* global_divisor; /* [1] or NULL: compressed-tensors' weight_global_scale, a divisor; not both */
  const uint8_t* zero_points;  /* INT4: [rows, blocks], one byte each, usually 0 to 16; NULL: all are 8. E2M1: NULL */
} qfuse_weight_4bit;

/* An NF4, FP4 or MXFP4 weight to write. MXFP4 is E2M1 in blocks of 32, of which rows have whole ones. Fields have the
 * names, meanings and sizes of those of qfuse_weight_4bit, with nested_begin 0. The arrays that are not NULL select
 * plain or nested. */
typedef struct qfuse_weight_4bit_out {
  size_t struct_size;
  int64_t rows;
  int64_t cols;
  int64_t blocksize;
  qfuse_quant_type quant_type;
  uint8_t* packed;
  float* absmax; /* plain: not NULL; nested: NULL */
  /* optional from here on */
  uint8_t* absmax_8bit;
  float* nested_absmax;
  float* nested_quant_map; /* nested: [256], receives the map of qfuse_nested_quant_map; NULL: do not write it */
  float* nested_offset;
  int64_t nested_blocksize;
  uint8_t* scales;           /* MXFP4: [rows, cols/32], UE8M0; ignored with NF4 and FP4 */
  qfuse_mx_scales mx_scales; /* MXFP4 */
} qfuse_weight_4bit_out;

/* ---- dequantize_4bit ------------------------------------------------------------------------------------------- */

/* Decodes a 4-bit weight to fp32, fp16 or bf16 in one pass: out[i] = the value of element i, rounded to out_dtype. */
typedef struct qfuse_dequantize_4bit_params {
  size_t struct_size;
  const qfuse_weight_4bit* weight; /* in host memory; its arrays are where the op runs */
  qfuse_dtype out_dtype;           /* element type of `out` */
  void* out;                       /* [rows, cols] of out_dtype */
} qfuse_dequantize_4bit_params;

/* INVALID_ARGUMENT: a field outside the ranges above, a missing or an overlapping array, plain and nested mixed, a
 * field of another quant_type. UNSUPPORTED: the device, target or stream of `exec` is not available here. */
QFUSE_API qfuse_status qfuse_dequantize_4bit(const qfuse_dequantize_4bit_params* params, const qfuse_exec* exec,
                                             qfuse_error* error);

/* ---- quantize_4bit --------------------------------------------------------------------------------------------- */

/* Encodes fp32, fp16 or bf16 weights to a 4-bit weight, plain or nested, as bitsandbytes does on CUDA. With
 * `reciprocal` APPROX the result is bit-identical to bitsandbytes, except the nested offset (see below). With IEEE,
 * which every device has, it differs in the codes that docs/ACCURACY.md counts.
 * Block b, in fp32; every subnormal operand or result is read as zero of its sign:
 *   absmax[b] = max |x| over the block, ignoring NaN
 *   v[i]      = x[i] * (1/absmax[b])
 *   code[i]   = number of thresholds of the codebook strictly below v[i]                  (NF4; NaN: 0)
 *               (8 if v[i] < 0, else 0) + the code of |v[i]|, likewise by its thresholds  (FP4; NaN: 0)
 * Nested: offset is *given_offset, or the mean of absmax, summed in fp64 in a fixed order (docs/FORMAT.md) and rounded
 * once. absmax - offset is encoded in blocks of nested_blocksize by the signed dynamic 8-bit code: to the nearest
 * value, ties to the even index.
 * With `importance`, a block whose absmax is from 2^-60 to 2^60 stores another scale s in absmax[b], and its codes
 * follow from s, which may be negative: the first of absmax * {1, -1, 0.95, -0.95, 0.9, -0.9} whose error E is least
 * (NaN and infinity: never), where each step is rounded in fp32, none is fused, and subnormals are kept:
 *   d[i] = the fp32 value that element i has with scale s (qfuse_weight_4bit)
 *   t[i] = importance[column of i] * ((d[i] - x[i]) * (d[i] - x[i])); 0 if x[i] is NaN, and after the last element
 *   E    = the sum of all t: in each group of 16 elements, t[i] += t[i+8] for i < 8, then t[i] += t[i+4] for i < 4, and
 *          likewise 2 and 1; then the groups' sums in pairs of neighbors, the sums of pairs likewise, and so on
 * MXFP4, whose subnormals are kept (docs/FORMAT.md, section 17, has the formulas in integers):
 *   e        = 255 if the block has NaN or infinity, else the exponent of the scale by weight->mx_scales
 *   code[i]  = of the nearest value to x[i] / 2^(e - 127), saturated; 0 if x[i] is NaN or e is 255. With UP, ties take
 *              the larger magnitude and -0 keeps its sign; with NEAREST, ties take the even code and -0 becomes 0
 * With `kept`, absmax[b] is not the block's own but the A of block b in `kept` (qfuse_weight_4bit), of any value, and
 * only weight->packed is written. A v beyond the outermost value of the codebook gets the code of that value.
 * - An all-zero block has absmax 0 and codes 0, which NF4 decodes to -0.0.
 * - A block of only NaN has absmax -FLT_MAX, or 0 if it is the short last block.
 * - The spare nibble of an odd count is the code of a padding zero. */
typedef struct qfuse_quantize_4bit_params {
  size_t struct_size;
  qfuse_dtype in_dtype;                /* element type of `in` */
  const void* in;                      /* [rows, cols] of in_dtype */
  const qfuse_weight_4bit_out* weight; /* out: in host memory; its arrays are where the op runs */
  /* optional from here on */
  const float* given_offset;     /* nested: [1], the offset; NULL: the mean of absmax */
  qfuse_reciprocal reciprocal;   /* how to divide by absmax */
  void* workspace;               /* qfuse_quantize_4bit_workspace_size bytes; may be NULL if that is 0 */
  int64_t workspace_size;        /* bytes of workspace */
  const float* importance;       /* plain: [cols], >= 0: the mean square of each input of the layer; NULL: absmax is the
                                    scale. Nested: NULL */
  const qfuse_weight_4bit* kept; /* in host memory, as large as weight and in its format: its absmax or scales are
                                    the scales. Its `packed` is not read; weight's other arrays and given_offset are
                                    ignored. NULL: the scales are new */
} qfuse_quantize_4bit_params;

/* Bytes of workspace for these parameters: about 4 bytes per block if nested, 0 if plain or with `kept`. The fields
 * workspace and workspace_size are ignored. Errors as for qfuse_quantize_4bit. */
QFUSE_API qfuse_status qfuse_quantize_4bit_workspace_size(const qfuse_quantize_4bit_params* params,
                                                          const qfuse_exec* exec, int64_t* size, qfuse_error* error);

/* Errors as for qfuse_dequantize_4bit. Also INVALID_ARGUMENT: a workspace that is too small, importance with nested
 * absmax or with kept ones, or `kept` of another form. Also UNSUPPORTED: INT4 or NVFP4, or an approximate reciprocal on
 * a device other than CUDA. */
QFUSE_API qfuse_status qfuse_quantize_4bit(const qfuse_quantize_4bit_params* params, const qfuse_exec* exec,
                                           qfuse_error* error);

/* ---- quantize_blockwise ---------------------------------------------------------------------------------------- */

/* Encodes values to the signed dynamic 8-bit code, block by block. This is bitsandbytes' quantize_blockwise with its
 * default code, and the nested step of quantize_4bit as an op of its own, for callers who encode a tensor in pieces.
 * Pieces that are cut at block boundaries give the same bytes as the whole tensor.
 * Block b, in fp32, with v[i] = in[i] - offset; from v on, subnormals are read as zero of their sign:
 *   absmax[b] = max |v| over the block, ignoring NaN; a block of only NaN as in quantize_4bit
 *   codes[i]  = index of the value nearest to v[i] * (1/absmax[b]), ties to the even index; NaN: 0 */
typedef struct qfuse_quantize_blockwise_params {
  size_t struct_size;
  int64_t n;            /* number of values, >= 0 */
  int64_t blocksize;    /* values per block: a power of two; bitsandbytes uses 256 for absmax. On CUDA a single
                           multiprocessor encodes a block of more than 1024 */
  qfuse_dtype in_dtype; /* element type of `in` */
  const void* in;       /* [n] of in_dtype */
  uint8_t* codes;       /* out: [n] */
  float* absmax;        /* out: [ceil(n/blocksize)] */
  /* optional from here on */
  float offset;                /* subtracted from each value first; 0 for none */
  qfuse_reciprocal reciprocal; /* how to divide by absmax */
} qfuse_quantize_blockwise_params;

/* Errors as for qfuse_quantize_4bit. */
QFUSE_API qfuse_status qfuse_quantize_blockwise(const qfuse_quantize_blockwise_params* params, const qfuse_exec* exec,
                                                qfuse_error* error);

/* ---- dequantize_blockwise -------------------------------------------------------------------------------------- */

/* Decodes 8-bit codes, block by block, to fp32, fp16 or bf16: the output of quantize_blockwise or of bitsandbytes, with
 * any code. ftz and NaN are as for a 4-bit weight.
 *   out[i] = round_to_dtype(ftz(quant_map[codes[i]] * absmax[i/blocksize])) */
typedef struct qfuse_dequantize_blockwise_params {
  size_t struct_size;
  int64_t n;              /* number of values, >= 0 */
  int64_t blocksize;      /* values per block: a power of two */
  qfuse_dtype out_dtype;  /* element type of `out` */
  const uint8_t* codes;   /* [n] */
  const float* absmax;    /* [ceil(n/blocksize)] */
  const float* quant_map; /* [256], the map stored with the codes; qfuse_nested_quant_map writes the default one */
  void* out;              /* [n] of out_dtype */
} qfuse_dequantize_blockwise_params;

/* Errors as for qfuse_dequantize_4bit. */
QFUSE_API qfuse_status qfuse_dequantize_blockwise(const qfuse_dequantize_blockwise_params* params,
                                                  const qfuse_exec* exec, qfuse_error* error);

/* ---- dequantize_int8 ------------------------------------------------------------------------------------------- */

/* Decodes LLM.int8 weights, which have one scale per row, to fp32, fp16 or bf16.
 *   out[r][c] = round_to_dtype((in[r][c] * scb[r]) * 7.874015718698502e-3f)
 * The constant is bitsandbytes' fp32 1/127. Both multiplications round to fp32. Subnormals are kept. */
typedef struct qfuse_dequantize_int8_params {
  size_t struct_size;
  int64_t rows;          /* >= 0 */
  int64_t cols;          /* >= 0 */
  qfuse_dtype out_dtype; /* element type of `out` */
  const int8_t* in;      /* [rows, cols] row-major */
  const float* scb;      /* [rows] */
  void* out;             /* [rows, cols] of out_dtype */
} qfuse_dequantize_int8_params;

/* Errors as for qfuse_dequantize_4bit. Also INVALID_ARGUMENT: rows*cols overflows int64_t. */
QFUSE_API qfuse_status qfuse_dequantize_int8(const qfuse_dequantize_int8_params* params, const qfuse_exec* exec,
                                             qfuse_error* error);

/* ---- dequantize_fp8 -------------------------------------------------------------------------------------------- */

/* Decodes FP8 weights with one scale per block, as DeepSeek-V3 and Qwen3 are published, to fp32, fp16 or bf16.
 *   out[r][c] = round_to_dtype(e4m3(codes[r][c]) * scales[r / block_rows][c / block_cols])
 * e4m3 is the type of QFUSE_SCALES_E4M3, which scales here cannot have. Codes and scales are widened to fp32 exactly.
 * The product rounds to fp32, then again to a 16-bit dtype, both to nearest even. Subnormals are kept. NaN results are
 * the canonical quiet NaN. transformers and DeepSeek compute the same. The scale is a factor, even if named
 * weight_scale_inv.
 * The block sizes do not follow from the number of scales: 576 rows in blocks of 128 have 5 rows of scales, the last
 * for 64 rows. For one scale per row, blocks are 1 x cols; for a single scale, the block is rows x cols. */
typedef struct qfuse_dequantize_fp8_params {
  size_t struct_size;
  int64_t rows;                /* >= 0 */
  int64_t cols;                /* >= 0 */
  int64_t block_rows;          /* rows per block, > 0; may exceed `rows` */
  int64_t block_cols;          /* columns per block, > 0; may exceed `cols` */
  qfuse_scale_type scale_type; /* element type of `scales` */
  qfuse_dtype out_dtype;       /* element type of `out` */
  const uint8_t* codes;        /* [rows, cols] row-major, e4m3 */
  const void* scales;          /* [ceil(rows/block_rows), ceil(cols/block_cols)] row-major, of scale_type */
  void* out;                   /* [rows, cols] of out_dtype */
} qfuse_dequantize_fp8_params;

/* Errors as for qfuse_dequantize_int8. */
QFUSE_API qfuse_status qfuse_dequantize_fp8(const qfuse_dequantize_fp8_params* params, const qfuse_exec* exec,
                                            qfuse_error* error);

/* ---- lora_merge ------------------------------------------------------------------------------------------------ */

/* Merges a LoRA adapter into its weight. Rows are independent, so tiles of rows can be merged, with their rows of b.
 *   acc = +0; for k = 0 to rank-1, ascending: acc = fma(b[i][k], a[k][j], acc)
 *   out[i][j] = round_to_out_dtype(in[i][j] + acc * scale)
 * in is widened to fp32 exactly. All roundings are to nearest even: each fma rounds once to fp32, acc * scale rounds to
 * fp32, the sum with in rounds to fp32, and the result rounds to out_dtype. Subnormals are kept. NaN and infinities
 * follow the formula; every NaN result is the canonical quiet NaN. With rank 0, acc is +0: numbers are only converted,
 * and -0 stays -0 if scale is negative, and becomes +0 if positive. peft computes the same sums in fp32, in the order
 * of its BLAS.
 * `source` is a weight in 4 bits in place of `in`, and `target` encodes the result, which `out` then has decoded again.
 * The bits are those of these steps, of which CUDA makes one kernel where it can:
 *   in = dequantize_4bit(source) in in_dtype; out as above
 *   target = quantize_4bit(out), by an IEEE reciprocal and the mean of absmax; out = dequantize_4bit(target)
 * With keep_absmax, target has the absmax of `source`, which is quantize_4bit's `kept`: only target->packed is written,
 * and target's other arrays are ignored. */
typedef struct qfuse_lora_merge_params {
  size_t struct_size;
  int64_t rows;          /* >= 0: outputs of the linear layer */
  int64_t cols;          /* >= 0: inputs of the linear layer */
  int64_t rank;          /* >= 0: rank of the adapter; if 0, a and b may be NULL */
  float scale;           /* multiplies b * a: alpha / rank, or as the adapter's configuration says */
  qfuse_dtype in_dtype;  /* element type of `in` */
  const void* in;        /* [rows, cols] of in_dtype, row-major: the weight */
  const float* a;        /* [rank, cols] row-major: lora_A */
  const float* b;        /* [rows, rank] row-major: lora_B */
  qfuse_dtype out_dtype; /* element type of `out` */
  void* out;             /* [rows, cols] of out_dtype; may be `in`, if the dtypes have the same size */
  /* optional from here on */
  const qfuse_weight_4bit* source;     /* [rows, cols], NF4, FP4, MXFP4: in place of `in`, then ignored; NULL: none */
  const qfuse_weight_4bit_out* target; /* out: [rows, cols], with nested_quant_map if nested; then in_dtype must be
                                          out_dtype. NULL: none */
  void* workspace;                     /* qfuse_lora_merge_workspace_size bytes; may be NULL if that is 0 */
  int64_t workspace_size;              /* bytes of workspace */
  int64_t keep_absmax; /* 1: target keeps source's absmax, and has its quant_type and blocksize; 0: they are new */
} qfuse_lora_merge_params;

/* Bytes of workspace for these parameters: about 4 bytes per block if new absmax are nested, else 0. The fields
 * workspace and workspace_size are ignored. Errors as for qfuse_lora_merge. */
QFUSE_API qfuse_status qfuse_lora_merge_workspace_size(const qfuse_lora_merge_params* params, const qfuse_exec* exec,
                                                       int64_t* size, qfuse_error* error);

/* INVALID_ARGUMENT: a field outside the ranges above, a missing or an overlapping array, sizes that overflow int64_t, a
 * workspace that is too small, keep_absmax without source and target. UNSUPPORTED: the device, target or stream of
 * `exec` is not available here; a device without the op; a source or target in INT4 or NVFP4. */
QFUSE_API qfuse_status qfuse_lora_merge(const qfuse_lora_merge_params* params, const qfuse_exec* exec,
                                        qfuse_error* error);

/* ---- experts --------------------------------------------------------------------------------------------------- */

/* The experts of a mixture-of-experts (MoE) layer. A router sorts rows by expert: expert e has the rows from
 * ends[e - 1] (0 for the first) to before ends[e], as in the offs of torch's grouped matmuls. An expert may have no
 * rows.
 * Rows at and after the last end are padding: never used, never written (except swiglu's grad_weights, see there). So m
 * is the capacity, and the ends say how much of it is in use.
 * The ends are in the same memory as the other arrays, aligned to their elements. On a GPU the kernel reads them there:
 * nothing waits for them, and each run of a captured graph may find different ends.
 * - On the CPU and REFERENCE, ends that decrease or exceed m are refused (INVALID_ARGUMENT).
 * - A GPU cannot refuse them. It clamps ends to 0 to m. An expert whose end is not after its begin has no rows. */
typedef enum qfuse_index_type QFUSE_ENUM { QFUSE_INDEX_INT32 = 0, QFUSE_INDEX_INT64 = 1 } qfuse_index_type;

/* ---- matmul_4bit ----------------------------------------------------------------------------------------------- */

/* A linear layer whose weight W [rows, cols] stays in 4 bits: it is decoded on the fly, never in memory.
 *   FORWARD   out[i][r] = sum over c of in[i][c] * W[r][c], plus bias[r]     in is x, [m, cols], out is y, [m, rows]
 *   BACKWARD  out[i][c] = sum over r of in[i][r] * W[r][c], plus bias[c]     in is dy, [m, rows], out is dx, [m, cols]
 * M is m. FORWARD: N = rows, K = cols. BACKWARD: N = cols, K = rows. A term is one of the K products of a sum.
 * If lora_rank > 0, a LoRA adapter adds lora_rank more terms to each sum, after those of W:
 *   FORWARD   sum over j of lora_in[i][j] * lora_weight[r][j]   lora_in = scale * (x * lora_A^T), lora_weight = lora_B
 *   BACKWARD  sum over j of lora_in[i][j] * lora_weight[j][c]   lora_in = scale * (dy * lora_B), lora_weight = lora_A
 * Both arrays have `dtype`; the caller rounds to it. In FLOAT16, the caller splits the scale between them, so that
 * neither overflows or underflows unless the sum does.
 * The elements of W are bit-identical to those of dequantize_4bit in `dtype`, except that E2M1 and INT4 are flushed
 * here as NF4 is: a value is ftz(code * ftz(A)), and a subnormal *global_scale counts as zero. So does an MXFP4 scale
 * of 2^-127, the byte 0. The sum is an fp32 number, computed as `sum` selects. Then bias is added in fp32, and the
 * result is rounded once. A row of out depends only on its row of in, not on m: rows in one call are bit-identical to
 * rows in calls of their own.
 *
 *   sum       dtypes    CUDA          CPU               REFERENCE
 *   FP32      all       yes           yes               yes
 *   PLAIN     16-bit    tensor cores  no                yes
 *   SPLIT     16-bit    tensor cores  no                yes
 *   FACTORED  16-bit    tensor cores  no                yes        only FORWARD without LoRA, NF4 or FP4
 *   BF16_DOT  BFLOAT16  no            with AVX512-BF16  yes
 *   BF16_AMX  BFLOAT16  no            with AMX-BF16     yes
 * "Tensor cores" means fp16 from compute capability 7.5 and bf16 from 8.0. OF_DEVICE selects:
 * - on CUDA and REFERENCE: PLAIN for 16-bit types if the device has the instructions (REFERENCE always), else FP32;
 * - on a CPU: for BFLOAT16, BF16_AMX, or else BF16_DOT, if it has the instructions; in all other cases FP32.
 *
 * PLAIN, SPLIT and FACTORED add as tensor cores do, in steps of 16 terms, ascending unless stated otherwise, the last
 * one zero-padded. A step adds its 16 exact products to the sum so far, which starts as +0:
 * - Let e be the greatest exponent among these 17 numbers, not counting zeros. The exponent of a product is the sum of
 *   its operands' exponents; a subnormal operand has the exponent of the least normal number.
 * - Each is truncated toward zero to a multiple of 2^(e-25). All are added exactly, and the sum is truncated to fp32.
 * - NaN, infinity * 0 and infinity - infinity give NaN. A sum of zeros is +0; so is a sum that is truncated to zero.
 *
 * An H200 adds in exactly this way, as measured (docs/ACCURACY.md), and so does REFERENCE. Other GPUs have their own
 * steps, with other roundings: compute capability 8.0 and later (not measured); 7.5 has steps of 8 for fp16.
 * - PLAIN: one chain of all terms. The terms of LoRA start a new step.
 * - SPLIT: chains of QFUSE_SPLIT_TERMS terms, each starting as +0. Their sums are added in ascending order, each
 *   addition rounded to nearest even in fp32. The terms of LoRA start a new chain. A chain consists of windows of
 *   QFUSE_SPLIT_WINDOW terms. Within a window, step j (0 to 7) adds the terms with (t % 32) / 4 = j, t being the term's
 *   number in the chain. This matches a GPU thread's load of 16 bytes, whose 32 codes are the thread's share of 8
 *   steps. Several warps share a sum: SPLIT is faster if m is small.
 * - FACTORED: for inference with few rows. It is faster than SPLIT, and closer to the weights before quantization,
 *   because a code has 11 bits and absmax has 24, whereas a weight in bf16 has 8. BACKWARD is not the gradient of this
 *   layer. It needs NF4 or FP4 in blocks of 64 elements or more, and cols a multiple of 64. absmax is factored out, so
 *   W is not rounded: the products are of in and the codes' values, in fp16. Terms are taken in chunks of
 *   QFUSE_SPLIT_TERMS; the last chunk may be shorter. In each chunk:
 *   1. A row of in is multiplied by 2^(14 - e) and rounded to fp16. e is the exponent of the chunk's largest magnitude
 *      in this row, clamped to -111 to 127. The rounding changes no number of at least 2^-28 of the largest.
 *   2. Each 64 terms give a sum p in four fp16 steps, starting as +0. Step j adds the terms with (t % 16) / 4 = j.
 *   3. s starts as +0 and takes each p in ascending order: s = fma(p, absmax, s), rounded to nearest even. |p| is less
 *      than 2^21. A |p * absmax| beyond 2^128 is infinity.
 *   4. The chunk's sum is s * 2^(e - 14). The sums of the chunks are added like those of SPLIT's chains.
 *
 * FP32 rounds every product and every addition to nearest even in fp32.
 * - FORWARD has 32 partial sums, starting as +0. Sum c % 32 takes term c, ascending, then sum j % 32 takes LoRA's term
 *   j. They are added by halves: for h = 16, 8, 4, 2, 1, sum s takes sum s + h for each s < h. Sum 0 is the result.
 * - BACKWARD has one sum, starting as +0: r ascending, then LoRA's j ascending.
 *
 * BF16_DOT and BF16_AMX add as instructions of CPUs do: product by product, each by a fused multiply-add to nearest
 * even. A subnormal operand counts as zero of its sign, and so does a result that is subnormal after rounding to 24
 * bits. LoRA's terms follow those of W; the terms of W and those of LoRA are zero-padded separately.
 * - BF16_DOT: as VDPBF16PS of AVX512-BF16 (Intel's manual; measured on Zen 4 and Emerald Rapids). FORWARD has 16
 *   partial sums, starting as +0. From each 32 terms, ascending, sum s takes number 2s + 1, then number 2s. Then they
 *   are added by halves in plain fp32: for h = 8, 4, 2, 1, sum s takes sum s + h for each s < h. Sum 0 is the result.
 *   BACKWARD has one sum, which takes the second of each two terms, then the first.
 * - BF16_AMX: as TDPBF16PS of AMX (Intel's manual; measured on Emerald Rapids), in both directions. From each 32 terms,
 *   ascending, the even ones make one sum and the odd ones another, each starting as +0. The two are added, then added
 *   to the sum so far, which starts as +0; these additions treat subnormals as zeros. Faster than BF16_DOT except for
 *   few rows. */
typedef enum qfuse_direction QFUSE_ENUM { QFUSE_FORWARD = 0, QFUSE_BACKWARD = 1 } qfuse_direction;

typedef enum qfuse_sum QFUSE_ENUM {
  QFUSE_SUM_OF_DEVICE = 0,
  QFUSE_SUM_FP32 = 1,
  QFUSE_SUM_PLAIN = 2,
  QFUSE_SUM_SPLIT = 3,
  QFUSE_SUM_FACTORED = 4,
  QFUSE_SUM_BF16_DOT = 5,
  QFUSE_SUM_BF16_AMX = 6
} qfuse_sum;

/* Terms per chain of SPLIT and per chunk of FACTORED; and terms per window of SPLIT, whose steps take terms 4 by 4. */
#define QFUSE_SPLIT_TERMS 256
#define QFUSE_SPLIT_WINDOW 128

typedef struct qfuse_matmul_4bit_params {
  size_t struct_size;
  const qfuse_weight_4bit* weight; /* in host memory; its arrays are where the op runs */
  qfuse_direction direction;
  qfuse_dtype dtype; /* element type of in, out, bias, lora_in and lora_weight, and of the decoded weight */
  int64_t m;         /* rows of in and out (tokens), >= 0 */
  const void* in;    /* FORWARD: [m, cols]; BACKWARD: [m, rows] */
  void* out;         /* FORWARD: [m, rows]; BACKWARD: [m, cols] */
  /* optional from here on */
  int64_t in_stride;  /* elements from one row of in to the next, at least its columns; 0: no gaps */
  int64_t out_stride; /* likewise for out; gaps between rows are not written */
  const void* bias;   /* FORWARD: [rows]; BACKWARD: [cols]; NULL: none */
  qfuse_sum sum;
  int64_t lora_rank;       /* rank of the LoRA adapter, >= 0; 0: none */
  const void* lora_in;     /* [m, lora_rank] */
  const void* lora_weight; /* FORWARD: [rows, lora_rank]; BACKWARD: [lora_rank, cols] */
} qfuse_matmul_4bit_params;

/* INVALID_ARGUMENT: a field outside the ranges above, a sum that the dtype does not have, FACTORED with BACKWARD, LoRA,
 * or another format, cols or blocks than stated, a missing or an overlapping array (gaps between strided rows belong to
 * the array), sizes that overflow int64_t.
 * UNSUPPORTED: the device, target or stream of `exec` is not available here; a sum that the device, its processor, its
 * operating system or `cpu_target` does not have; a device without the op. */
QFUSE_API qfuse_status qfuse_matmul_4bit(const qfuse_matmul_4bit_params* params, const qfuse_exec* exec,
                                         qfuse_error* error);

/* One of several FORWARD matmuls with the same input, such as q, k and v, or gate and up. Its output is bit-identical
 * to that of qfuse_matmul_4bit. This struct is a part of params and never grows. */
typedef struct qfuse_matmul_4bit_product {
  const qfuse_weight_4bit* weight; /* in host memory; its arrays are where the op runs. All have the same cols */
  void* out;                       /* [m, rows] */
  int64_t out_stride;              /* this and the rest are as in qfuse_matmul_4bit_params; 0 or NULL: none */
  const void* bias;                /* [rows] */
  int64_t lora_rank;
  const void* lora_in;     /* [m, lora_rank] */
  const void* lora_weight; /* [rows, lora_rank] */
} qfuse_matmul_4bit_product;

typedef struct qfuse_matmul_4bit_many_params {
  size_t struct_size;
  qfuse_dtype dtype;                         /* element type of all arrays except those of the weights */
  int64_t m;                                 /* rows of in and of each out, >= 0 */
  const void* in;                            /* [m, cols] */
  int64_t count;                             /* number of matmuls, >= 0; if 0, the call does nothing */
  const qfuse_matmul_4bit_product* products; /* [count], in host memory */
  /* optional from here on */
  int64_t in_stride; /* as in qfuse_matmul_4bit_params */
  qfuse_sum sum;
} qfuse_matmul_4bit_many_params;

/* Errors as for qfuse_matmul_4bit. The message names the matmul: "products[2]: rows is -1, ...". Also INVALID_ARGUMENT:
 * a negative count, weights whose cols differ, an output that overlaps an array of another matmul. All matmuls are
 * checked before the first one starts. */
QFUSE_API qfuse_status qfuse_matmul_4bit_many(const qfuse_matmul_4bit_many_params* params, const qfuse_exec* exec,
                                              qfuse_error* error);

/* Finds the fastest way to multiply by W [rows, cols] in `dtype` and `direction`, depending on m: `few` up to few_rows,
 * then qfuse_matmul_4bit with OF_DEVICE up to fused_rows, then W decoded to memory:
 *   few         the sum to use for few rows: SPLIT on CUDA, BF16_DOT on a CPU that also has BF16_AMX, OF_DEVICE if the
 *               device has no other. Depends only on the device and the dtype
 *   few_rows    the largest m for which `few` takes no longer than the other two. 0: never use it
 *   fused_rows  the largest m for which OF_DEVICE is faster than to decode W with qfuse_dequantize_4bit, then multiply
 *               with a dense matmul library; also for few rows whose sum cannot be `few`. It may be less than few_rows.
 *               -1: decode always. INT64_MAX: never, as on the CPU
 * On CUDA the positive numbers are powers of two: few_rows is at most 64, fused_rows at most 128, or 512 on Hopper.
 * They are estimates from the device's multiprocessors, core clock and memory clock, based on times of each kernel on
 * an H200. SPLIT has a kernel for few rows if cols is a multiple of 64 and blocks have 64 elements. For E2M1 and INT4
 * pass a blocksize of 64: MXFP4 uses the same kernels, and the others have no figures of their own. The op reaches its
 * full speed only with 16-byte alignment. For a GPU that is not available here, 16-bit types get fused_rows 8 (if cols
 * is a multiple of 32), so that programs can be compiled elsewhere.
 * INVALID_ARGUMENT: an unknown dtype, direction or device type, negative rows or cols, a blocksize that is not a power
 * of two from 32 to 4096, a NULL pointer. UNSUPPORTED: a device without the op. */
QFUSE_API qfuse_status qfuse_matmul_4bit_advice(qfuse_device device, qfuse_dtype dtype, qfuse_direction direction,
                                                int64_t rows, int64_t cols, int64_t blocksize, qfuse_sum* few,
                                                int64_t* few_rows, int64_t* fused_rows, qfuse_error* error);

/* ---- matmul_4bit_grouped --------------------------------------------------------------------------------------- */

/* An MoE layer over a stack of 4-bit weights: each row of in is multiplied by W of its expert. `weight` is the stack of
 * all experts' weights, [E * rows, cols] with E = experts; W_e [rows, cols] is its e-th part.
 *   FORWARD   in is x, [m, cols], out is y, [m, rows], bias [E, rows], lora_weight [E, rows, lora_rank]
 *   BACKWARD  in is dy, [m, rows], out is dx, [m, cols], bias [E, cols], lora_weight [E, lora_rank, cols]
 * For stacks that are stored transposed, [E, inputs, outputs], as in gpt-oss, BACKWARD computes the layer itself.
 * For every sum, the rows of an expert are bit-identical to qfuse_matmul_4bit with W_e, bias[e] and lora_weight[e]: a
 * row of out depends only on its row of in and on its expert.
 * - If there are several experts, the elements of each must fill whole blocks.
 * - Nested absmax is that of the whole stack or, with nested_each, of each expert separately. The arrays are then
 *   nested_absmax [E, ceil(blocks of an expert/nested_blocksize)] and nested_offset [E]; nested_quant_map is shared.
 *   Likewise, a global_scale or global_divisor is that of the stack or, with nested_each, [E].
 * - If ends decrease on a GPU, an expert begins at the greatest end before it, so that no row has two experts. */
typedef struct qfuse_matmul_4bit_grouped_params {
  size_t struct_size;
  const qfuse_weight_4bit* weight; /* in host memory; its arrays are where the op runs */
  qfuse_direction direction;
  qfuse_dtype dtype;          /* as in qfuse_matmul_4bit_params */
  int64_t m;                  /* rows of in and out, including padding, >= 0 */
  const void* in;             /* FORWARD: [m, cols]; BACKWARD: [m, rows] */
  void* out;                  /* FORWARD: [m, rows]; BACKWARD: [m, cols] */
  int64_t experts;            /* 0 to 2^20, a divisor of the stack's rows; 0: the stack has no rows */
  const void* expert_ends;    /* [experts], ascending, 0 to m: see experts */
  qfuse_index_type ends_type; /* element type of expert_ends */
  /* optional from here on */
  int64_t in_stride; /* this and the rest are as in qfuse_matmul_4bit_params */
  int64_t out_stride;
  const void* bias; /* [experts, columns of out] */
  qfuse_sum sum;
  int64_t lora_rank;
  const void* lora_in;     /* [m, lora_rank] */
  const void* lora_weight; /* FORWARD: [experts, rows, lora_rank]; BACKWARD: [experts, lora_rank, cols] */
  int32_t nested_each;     /* 1: absmax is nested, or the scale is global, per expert; 0: over the whole stack */
} qfuse_matmul_4bit_grouped_params;

/* Errors as for qfuse_matmul_4bit. Also INVALID_ARGUMENT: experts, ends or blocks not as above, a nested_begin. */
QFUSE_API qfuse_status qfuse_matmul_4bit_grouped(const qfuse_matmul_4bit_grouped_params* params, const qfuse_exec* exec,
                                                 qfuse_error* error);

/* ---- rotated_int8 ---------------------------------------------------------------------------------------------- */

/* The two matmuls of training with a frozen 4-bit weight W [rows, cols], y = x * W^T and dx = dy * W, in 8-bit
 * integers, which GPUs multiply two to four times as fast as 16-bit numbers. Both operands are rotated along K before
 * rounding. This spreads an outlier over its block, so that one scale per row is enough.
 *   once per weight and direction  qfuse_rotated_int8_weight_scales: rows or cols floats, which the caller keeps
 *   in each pass                   qfuse_rotated_int8_weight, to memory that layers can share
 *                                  qfuse_rotated_int8_quantize for x or dy, or for SwiGLU: qfuse_rotated_int8_swiglu
 *                                  qfuse_rotated_int8_matmul, with LoRA's terms and the bias
 * Results are bit-identical on every device. The error, relative to the norm, is 1.1 % for y and 1.25 % for dx; bf16
 * has 0.2 %, and NF4 itself 8.5 % (docs/ACCURACY.md). Rotation before rounding is from QuaRot (arXiv 2404.00456) and,
 * for training, from HALO (arXiv 2501.02625).
 *
 * x, dy and W are quantized by rows along K: rows of x and dy; FORWARD rows of W, BACKWARD columns. K is a multiple of
 * 64. A row has blocks of B elements: 128 if K is a multiple of 128, else 64. root is the fp32 number nearest to
 * B^(-1/2): 0x1.6a09e6p-4 for 128, 2^-3 for 64. For each row, every step rounded to nearest even in fp32, nothing
 * flushed:
 *   v      = the row's values: x or dy widened; W as dequantize_4bit decodes it in FLOAT32
 *   v      is rotated: for d = 1, 2, 4 to B/2 and for each i of a block with i & d = 0, v[i] becomes v[i] + v[i + d]
 *          and v[i + d] becomes v[i] - v[i + d], both from the values before
 *   a      = max |v| over the whole row
 *   scale  = (max(a, 2^-100) * fp32(1/127)) * root; 0 if a is 0; NaN (bits 0x7fffffff) if some v is not finite, because
 *          a value was not finite or a sum left fp32's range
 *   q      = the low byte of fma(v, root / scale, 1.5 * 2^23), which is the nearest integer, ties to even, -127 to 127;
 *          0 if scale is 0, negative, NaN or infinite
 * The dot product of two rotated rows is B times that of the rows, so each scale takes back B^(1/2). q uses the scale,
 * not 127 / a, so that one number per row of W serves to compute q and in the matmul. With 2^-100, only v can be
 * subnormal. */

/* Quantizes x or dy [rows, cols], whose rows may be strided, to q and scale. */
typedef struct qfuse_rotated_int8_quantize_params {
  size_t struct_size;
  int64_t rows;         /* M, tokens: >= 0 */
  int64_t cols;         /* K: a multiple of 64, >= 0 */
  qfuse_dtype in_dtype; /* element type of `in` */
  const void* in;       /* [rows, cols] of in_dtype */
  int8_t* q;            /* out: [rows, cols] */
  float* scale;         /* out: [rows] */
  /* optional from here on */
  int64_t in_stride; /* elements from one row of in to the next, >= cols; 0: cols */
} qfuse_rotated_int8_quantize_params;

/* INVALID_ARGUMENT: a field outside the ranges above, a missing or an overlapping array (gaps between strided rows
 * belong to the array), sizes that overflow int64_t.
 * UNSUPPORTED: the device, target or stream of `exec` is not available here; a device without the op. */
QFUSE_API qfuse_status qfuse_rotated_int8_quantize(const qfuse_rotated_int8_quantize_params* params,
                                                   const qfuse_exec* exec, qfuse_error* error);

/* Computes the scales of a weight: FORWARD one per row of W, BACKWARD one per column. */
typedef struct qfuse_rotated_int8_weight_scales_params {
  size_t struct_size;
  const qfuse_weight_4bit* weight; /* in host memory; its arrays are where the op runs. cols is a multiple of 64,
                                      BACKWARD rows too. Any nested_begin */
  qfuse_direction direction;
  float* scale; /* out: FORWARD [rows], BACKWARD [cols] */
} qfuse_rotated_int8_weight_scales_params;

/* Errors as for qfuse_rotated_int8_quantize. Also INVALID_ARGUMENT: plain and nested mixed. */
QFUSE_API qfuse_status qfuse_rotated_int8_weight_scales(const qfuse_rotated_int8_weight_scales_params* params,
                                                        const qfuse_exec* exec, qfuse_error* error);

/* Computes q of a weight from its scales: FORWARD in W's layout, BACKWARD transposed, so that K is contiguous, as 8-bit
 * matrix instructions need it. Scales that qfuse_rotated_int8_weight_scales did not compute for this weight and
 * direction follow the formula too, but then q may be any byte; if the fma gives NaN, q is the low byte of the
 * canonical NaN, 0xff. */
typedef struct qfuse_rotated_int8_weight_params {
  size_t struct_size;
  const qfuse_weight_4bit* weight; /* as in qfuse_rotated_int8_weight_scales_params */
  qfuse_direction direction;
  const float* scale; /* FORWARD [rows], BACKWARD [cols] */
  int8_t* q;          /* out: FORWARD [rows, cols], BACKWARD [cols, rows] */
} qfuse_rotated_int8_weight_params;

/* Errors as for qfuse_rotated_int8_weight_scales. */
QFUSE_API qfuse_status qfuse_rotated_int8_weight(const qfuse_rotated_int8_weight_params* params, const qfuse_exec* exec,
                                                 qfuse_error* error);

/* Multiplies what the functions above computed from x and W, or from dy and W:
 *   sum   = sum over t of in_q[i][t] * weight_q[o][t], exact; modulo 2^32, which only a q of -128 can reach
 *   y     = (fp32(sum) * in_scale[i]) * weight_scale[o]
 *   y     = fma(lora_in[i][j], w, y) for j = 0 to lora_rank - 1, ascending, with
 *           FORWARD   w = lora_weight[o][j]     lora_in = scale * (x * lora_A^T), lora_weight = lora_B
 *           BACKWARD  w = lora_weight[j][o]     lora_in = scale * (dy * lora_B), lora_weight = lora_A
 *   y     = y + bias[o]
 *   y     = y + addend[i][o]
 *   out   = y, rounded to dtype
 * Every step is rounded to nearest even in fp32; LoRA's operands, bias and addend are widened. Subnormals are kept. NaN
 * and infinities follow the formula; a NaN result is the canonical quiet NaN.
 * LoRA's terms are added by a chain of FMAs, unlike in matmul_4bit, where the device's matrix instructions add them.
 * Therefore all bits are the same on every device. On a GPU they cost m * n * lora_rank FMAs outside the tensor cores:
 * calculated 0.07 ms on an H200 for m = 8192, n = 14336 and rank 16, next to 0.77 ms for the matmul with k = 4096. */
typedef struct qfuse_rotated_int8_matmul_params {
  size_t struct_size;
  int64_t m;                 /* rows of out (tokens), >= 0 */
  int64_t n;                 /* columns of out, >= 0 */
  int64_t k;                 /* a multiple of 64, 0 to QFUSE_ROTATED_INT8_MOST_TERMS */
  qfuse_dtype dtype;         /* element type of out, bias, addend, lora_in and lora_weight */
  const int8_t* in_q;        /* [m, k] */
  const float* in_scale;     /* [m] */
  const int8_t* weight_q;    /* [n, k] */
  const float* weight_scale; /* [n] */
  void* out;                 /* [m, n] */
  /* optional from here on */
  int64_t out_stride;        /* elements from one row of out to the next, >= n; 0: n. Gaps are not written */
  const void* bias;          /* [n]; NULL: none */
  qfuse_direction direction; /* layout of lora_weight, and nothing else */
  int64_t lora_rank;         /* rank of the LoRA adapter, >= 0; 0: none */
  const void* lora_in;       /* [m, lora_rank] */
  const void* lora_weight;   /* FORWARD: [n, lora_rank]; BACKWARD: [lora_rank, n] */
  const void* addend;        /* [m, n], such as the sum so far of several weights' dx; NULL: none */
} qfuse_rotated_int8_matmul_params;

/* The largest multiple of 64 for which k * 127 * 127 is below 2^31. */
#define QFUSE_ROTATED_INT8_MOST_TERMS 133120

/* Errors as for qfuse_rotated_int8_quantize. Also INVALID_ARGUMENT: a larger k, whose sum may overflow int32. */
QFUSE_API qfuse_status qfuse_rotated_int8_matmul(const qfuse_rotated_int8_matmul_params* params, const qfuse_exec* exec,
                                                 qfuse_error* error);

/* A SwiGLU block between such matmuls, with its results quantized in the same pass. FORWARD gives y, the x of down's
 * matmul. BACKWARD gives d_gate and d_up, the dy of gate's and up's matmuls. Per element y, d_gate and d_up are those
 * of qfuse_swiglu (below), with its exp, rounded to bf16. The scales and q of their rows are then those of
 * qfuse_rotated_int8_quantize. The bf16 values are written only to `out`, which LoRA's own matmuls need. */
typedef struct qfuse_rotated_int8_swiglu_params {
  size_t struct_size;
  int64_t m;        /* tokens, >= 0 */
  int64_t h;        /* channels, K of the next matmul: a multiple of 64, >= 0 */
  const void* gate; /* [m, h] bf16 */
  const void* up;   /* [m, h] bf16 */
  qfuse_direction direction;
  int8_t* q;    /* out: FORWARD [m, h], of y; BACKWARD [2, m, h], of d_gate and then of d_up */
  float* scale; /* out: FORWARD [m], BACKWARD [2, m] */
  /* optional from here on */
  const void* grad_y;    /* BACKWARD: [m, h] bf16; FORWARD: not read */
  void* out;             /* out: bf16, what q encodes: FORWARD [m, h], BACKWARD [2, m, h]; NULL: not written */
  int64_t gate_stride;   /* elements from one row of gate to the next, >= h; 0: h */
  int64_t up_stride;     /* likewise for up */
  int64_t grad_y_stride; /* likewise for grad_y */
} qfuse_rotated_int8_swiglu_params;

/* Errors as for qfuse_rotated_int8_quantize. */
QFUSE_API qfuse_status qfuse_rotated_int8_swiglu(const qfuse_rotated_int8_swiglu_params* params, const qfuse_exec* exec,
                                                 qfuse_error* error);

/* ---- swiglu ---------------------------------------------------------------------------------------------------- */

/* A SwiGLU block for training in INT8 or FP8, forward or backward. The outputs that are not NULL select what is
 * computed: in one pass over x and grad_y, each quantized in the layout that its matmul needs, without bf16 arrays.
 * - forward: y by rows, in groups of channels, for the next matmul; y transposed, in groups of tokens, for the gradient
 *   of that matmul's weight.
 * - backward, which recomputes the forward: the gradient by rows, for the gradient of the layer's input; the gradient
 *   transposed, for the gradient of the weight before the block; y transposed.
 *
 * A row of x is [gate, up], a row of grad_input.q is [d_gate, d_up], each half with h channels. Per element, with g, u,
 * dy widened to fp32 and every step rounded to nearest even in fp32, never fused:
 *   s      = 1 / (1 + exp(-g))
 *   silu   = g * s
 *   y      = silu * u
 *   d_up   = dy * silu
 *   d_gate = ((dy * u) * s) * (1 + g * (1 - s))
 * y, d_up and d_gate are rounded to bf16 (nearest even); the quantization uses these values. A group is 128 channels of
 * one row of y.q or grad_input.q, or 128 tokens of one row of y_t.q or grad_input_t.q; if m is not a multiple of 128,
 * the last group of tokens is short.
 *
 * INT8. For each group, z being its bf16 values:
 *   absmax = max |z|
 *   scale  = max(absmax * fp32(1/127), 1e-10)
 *   q      = z / scale, truncated toward zero, as torch's .to(int8) does
 * So the largest element becomes 127 or, for 10 of the 128 mantissas of bf16, 126. The result is bit-identical to the
 * published PyTorch operator silu_dot_fwd_bwd_quant_fuse on a GPU. On CUDA exp is PyTorch's own, expf; on the CPU it is
 * the one of docs/ACCURACY.md. Subnormals are kept. Groups do not affect each other. Values that are not finite:
 * - A NaN among the z makes the group's scale NaN (bits 0x7fffffff).
 * - A quotient that is NaN (z or scale NaN, infinity / infinity) is stored as 0.
 * - With an infinite scale, every q is 0.
 *
 * E4M3 (torch's float8_e4m3fn). For each group:
 *   scale  = the least power of two that is at least max(absmax, fp32(1e-4)) / 448
 *   q      = z / scale, which is exact, rounded to e4m3 (nearest even); a negative z that rounds to zero gives -0
 * DeepGEMM and TileKernels compute the same for power-of-two scales (UE8M0), and so does TransformerEngine if absmax is
 * 1e-4 or more. A group with a value that is not finite has the scale NaN (bits 0x7fffffff), and its payload is all NaN
 * (0x7f). Fields select what other libraries do differently; qfuse_swiglu_format has their formats by name:
 *   scale_rule  TORCHAO, also TransformerEngine's fp32 scales: scale = 1 / (448 / absmax), q = z * (448 / absmax), each
 *               step rounded to nearest even in fp32, with absmax at least amax_floor. A |q| beyond 448 becomes 448.
 *               Values that are not finite follow these steps; a NaN payload is 0x7f, a NaN scale has bits 0x7fffffff
 *   amax_floor  replaces 1e-4
 *   zero_rule   SCALE_ONE (TransformerEngine): there is no floor except amax_floor. A group whose absmax is then 0,
 *               infinite or NaN has the scale 1. 448 / absmax is at most the largest bf16
 *               SCALE_LEAST (MXFP8, only with POWER_OF_TWO): there is no floor. The scale is 2^-127 for a group of
 *               zeros, 2^127 for one with an infinity, NaN for one with a NaN
 *   scale_type  UE8M0: one byte per scale (only with POWER_OF_TWO). 16-bit scales are not available
 *   group_size  32: groups of 32 channels or tokens, also for INT8
 *
 * Router weights. If `weights` is not NULL, with w the weight of the token,
 *   y      = (silu * u) * w
 * and dy * w replaces dy in d_up and d_gate. grad_weights is the gradient of w, the sum over a token's channels of
 *   dy * (silu * u)
 * in fp32, in an order that does not depend on the device. In each 128 channels:
 * - Every 8 neighboring channels are added one after another, which gives 16 sums S.
 * - These are added by halves: S[i] + S[i + 8] for i below 8, then S[i] + S[i + 4] for i below 4, then by 2 and by 1.
 *
 * The results of a row are added one after another, from the first 128 channels on. A NaN sum has the bits 0x7fffffff.
 * If h is 0, nothing is written.
 *
 * Other activations. Each field changes the formulas above if it is not 0:
 * - limit: g is clamped to at most limit, and u to the range -limit to limit; NaN stays NaN. d_gate is 0 where g
 *   exceeded limit, and d_up is 0 where |u| did.
 * - alpha: a = alpha * g replaces g in s, and d_gate is ((dy * u) * s) * (1 + a * (1 - s)).
 * - up_offset: u + up_offset replaces u in y, d_gate and grad_weights.
 *
 * gpt-oss has limit 7, alpha 1.702, up_offset 1; separate its interleaved gates and ups first. DeepSeek: limit only.
 *
 * In fields that later versions append, zero means what this version does. */
typedef enum qfuse_payload QFUSE_ENUM { QFUSE_INT8 = 0, QFUSE_E4M3 = 1 } qfuse_payload;

typedef enum qfuse_scale_rule QFUSE_ENUM {
  QFUSE_SCALES_POWER_OF_TWO = 0, /* for FP8; INT8 always has absmax * fp32(1/127) */
  QFUSE_SCALES_TORCHAO = 1
} qfuse_scale_rule;
typedef enum qfuse_zero_rule QFUSE_ENUM {
  QFUSE_ZERO_AT_FLOOR = 0,
  QFUSE_ZERO_SCALE_ONE = 1,
  QFUSE_ZERO_SCALE_LEAST = 2
} qfuse_zero_rule;

/* Layout of the scales of an output, [rows, groups per row]:
 * - ROW_MAJOR: row by row.
 * - MN_MAJOR: group by group, [groups per row, rows rounded up to a multiple of 4], as matmuls on Hopper load them
 *   (DeepGEMM's MN-major scales). The rounding aligns each group to 16 bytes; its extra elements are not written.
 * - MN_MAJOR with UE8M0: a word holds the bytes of four groups of a row, the first group in the lowest byte:
 *   [ceil(groups/4), rows rounded up to a multiple of 4] words. The bytes after the last group are 0. */
typedef enum qfuse_scale_layout QFUSE_ENUM { QFUSE_SCALES_ROW_MAJOR = 0, QFUSE_SCALES_MN_MAJOR = 1 } qfuse_scale_layout;

/* Layout of the transposed outputs if the rows of x belong to several experts (see experts, above). The rows of y and
 * of the gradient are those of x. grad_weights is 0 for padding rows.
 * Transposed outputs are zero-padded: the columns of each expert are rounded up to a multiple of 128, so that no group
 * has tokens of two experts. The padding columns are written as quantized zeros, which are 0 in a group that is finite.
 * y_t.q and grad_input_t.q have room for qfuse_expert_columns(m, count) columns, and their scales for 1/128 of that.
 * Let P be the columns of an expert, and S those of all experts before it. In an output of R rows (h or 2h), it has
 *   APART         a matrix [R, P] from element R * S, with scales [R, P/128] from element R * S/128 in the
 *                 scale_layout, as DeepGEMM's k-grouped matmuls take it
 *   SIDE_BY_SIDE  columns S to S + P of one matrix [R, qfuse_expert_columns(m, count)], and of its scales, as torch's
 *                 grouped matmuls of two matrices take it
 * Bytes after the last expert's are not written. A GPU leaves out an expert whose columns no longer fit. */
typedef enum qfuse_expert_layout QFUSE_ENUM {
  QFUSE_EXPERTS_APART = 0,
  QFUSE_EXPERTS_SIDE_BY_SIDE = 1
} qfuse_expert_layout;

/* Columns of a transposed output that suffice for m tokens, for any split among the experts:
 * (m + 127 * experts) / 128 * 128, with the division rounded down. Neither argument may be negative. */
QFUSE_API int64_t qfuse_expert_columns(int64_t m, int64_t experts);

/* How groups are quantized, and the layout of their scales. qfuse_swiglu_format fills it in for the formats of other
 * libraries. This struct and the next two are parts of params and never grow. */
typedef struct qfuse_group_format {
  int64_t group_size; /* QFUSE_SWIGLU_GROUP_SIZE, or _SMALL_GROUP_SIZE: then read "/128" of scales as "/32" */
  qfuse_payload payload_type;
  qfuse_scale_type scale_type;
  qfuse_scale_rule scale_rule;
  qfuse_zero_rule zero_rule;
  float amax_floor; /* 1e-30 to 1e30; 0: 1e-4 with QFUSE_ZERO_AT_FLOOR, no floor with another zero_rule */
  qfuse_scale_layout scale_layout;
} qfuse_group_format;

typedef struct qfuse_experts {
  const void* ends; /* [count], ascending, 0 to m; NULL: no experts */
  int64_t count;    /* 0 to 2^20; 0: no experts */
  qfuse_index_type ends_type;
  qfuse_expert_layout layout; /* of both transposed outputs and their scales */
} qfuse_experts;

/* An output. If both fields are NULL, it is not computed. */
typedef struct qfuse_quantized {
  void* q; /* out: payloads of payload_type */
  void* s; /* out: scales of the groups, of scale_type in scale_layout */
} qfuse_quantized;

typedef struct qfuse_swiglu_params {
  size_t struct_size;
  int64_t m;                    /* tokens, >= 0 */
  int64_t h;                    /* channels: a multiple of 128, >= 0 */
  const void* x;                /* [m, 2h] bf16: gate, up */
  int64_t x_stride;             /* elements from one row of x to the next, >= 2h; 0: 2h */
  const void* grad_y;           /* [m, h] bf16; without a gradient among the outputs not read, and may be NULL */
  int64_t grad_y_stride;        /* likewise, >= h; 0: h */
  qfuse_group_format format;    /* of all outputs */
  qfuse_quantized y;            /* q [m, h], s [m, h/128]; only without a gradient */
  qfuse_quantized y_t;          /* q [h, m], s [h, ceil(m/128)] */
  qfuse_quantized grad_input;   /* q [m, 2h], s [m, 2h/128] */
  qfuse_quantized grad_input_t; /* q [2h, m], d_gate's channels and then d_up's; s [2h, ceil(m/128)] */
  /* optional from here on */
  qfuse_experts experts;
  const float* weights;   /* [m] fp32, router weights; NULL: all are 1 */
  float* grad_weights;    /* out: [m] fp32, only with a gradient; NULL: not computed */
  void* workspace;        /* qfuse_swiglu_workspace_size bytes; may be NULL if that is 0 */
  int64_t workspace_size; /* bytes of workspace */
  float limit;            /* > 0, finite; 0: none */
  float alpha;            /* finite; 0: 1 */
  float up_offset;        /* finite */
} qfuse_swiglu_params;

/* UNSUPPORTED: the device, target or stream of `exec` is not available here. INVALID_ARGUMENT:
 * - a field outside the ranges above, a missing or an overlapping array (gaps between strided rows belong to the
 *   array), a workspace that is too small, ends that are not aligned, sizes that overflow int64_t;
 * - no output at all, only q or only s of an output, y together with a gradient, grad_weights without a gradient;
 * - fields that exclude each other: scale_type, scale_rule, zero_rule or amax_floor with INT8; UE8M0 or SCALE_LEAST
 *   without POWER_OF_TWO; amax_floor with SCALE_LEAST; UE8M0 in MN_MAJOR for a transposed output with APART. */
QFUSE_API qfuse_status qfuse_swiglu(const qfuse_swiglu_params* params, const qfuse_exec* exec, qfuse_error* error);

/* Returns a format by its name, with row-major scales:
 *   "int8"                the published operator's, in groups of 128
 *   "deepseek"            E4M3 with power-of-two scales, absmax at least 1e-4
 *   "transformer_engine"  E4M3 with power-of-two scales, SCALE_ONE
 *   "torchao"             E4M3 with TORCHAO's fp32 scales, absmax at least 1e-12
 *   "mx"                  MXFP8: E4M3 in groups of 32 with UE8M0 scales, SCALE_LEAST
 * INVALID_ARGUMENT: any other name, or a NULL argument. */
QFUSE_API qfuse_status qfuse_swiglu_format(const char* name, qfuse_group_format* format, qfuse_error* error);

/* Sizes in bytes. */
typedef struct qfuse_quantized_size {
  int64_t q;
  int64_t s;
} qfuse_quantized_size;

typedef struct qfuse_swiglu_sizes {
  qfuse_quantized_size y;
  qfuse_quantized_size y_t;
  qfuse_quantized_size grad_input;
  qfuse_quantized_size grad_input_t;
  int64_t grad_weights;
} qfuse_swiglu_sizes;

/* Sizes of all outputs, requested or not, by m, h, format and experts of `params`. Errors as for qfuse_swiglu. */
QFUSE_API qfuse_status qfuse_swiglu_output_sizes(const qfuse_swiglu_params* params, qfuse_swiglu_sizes* sizes,
                                                 qfuse_error* error);

/* Bytes of workspace for these parameters: 4 * m * h/128 with grad_weights, else 0. The fields workspace and
 * workspace_size are ignored. Errors as for qfuse_swiglu. */
QFUSE_API qfuse_status qfuse_swiglu_workspace_size(const qfuse_swiglu_params* params, const qfuse_exec* exec,
                                                   int64_t* size, qfuse_error* error);

#ifdef __cplusplus
}
#endif

#endif /* QFUSE_QFUSE_H */
