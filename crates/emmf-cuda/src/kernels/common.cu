// What every kernel uses. Macros that come from Rust: REAL (float or double), HALVES (X is kept as halves, EXACT ones or sums of two) or SPARSE, C and LD
// (columns of V, and the distance of its rows: the next multiple of 16, the rest zero), CHUNK (samples whose sums a
// block makes), TINY, MOST, NOISE and CANCELLATION (of `Real`).

typedef REAL real;
typedef long long count;

#define WARP 32
#define ALL 0xffffffffu

// How X is kept, n×ldx.
#ifdef SPARSE
// By its entries: where those of each sample start, and the feature of each, which ascend.
struct Sparse {
    const count* starts;
    const int* columns;
    const real* values;
};
typedef Sparse stored;

__device__ __forceinline__ real entry_at(const stored* x, count ldx, count i, count j) {
    count low = x->starts[i], end = x->starts[i + 1], high = end;
    while (low < high) {
        count middle = (low + high) / 2;
        if (x->columns[middle] < j) low = middle + 1;
        else high = middle;
    }
    return low < end && x->columns[low] == j ? x->values[low] : (real)0;
}
#elif defined(HALVES)
// As halves and what these leave, BESIDES of the one and as many of the other in turn, so that both are fetched at once. EXACT halves leave
// nothing.
typedef unsigned short bits;
typedef bits stored;
#define BESIDES 32
#ifdef EXACT
#define PLANES 1
#else
#define PLANES 2
#endif

__device__ __forceinline__ count half_place(count i, count j, count ldx) {
    return (i * ldx + j / BESIDES * BESIDES) * PLANES + j % BESIDES;
}

__device__ __forceinline__ float half_value(bits half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

__device__ __forceinline__ real entry_at(const stored* x, count ldx, count i, count j) {
    const bits* at = x + half_place(i, j, ldx);
#ifdef EXACT
    return half_value(at[0]);
#else
    return half_value(at[0]) + half_value(at[BESIDES]);
#endif
}
#else
typedef real stored;

__device__ __forceinline__ real entry_at(const stored* x, count ldx, count i, count j) { return x[i * ldx + j]; }
#endif

// num/den of a multiplicative rule: no quotient is infinite, and what is divided by no normal number stays.
__device__ __forceinline__ real ratio(real num, real den) {
    real quotient = den >= (real)TINY ? num / den : (real)1;
    return quotient > (real)MOST ? (real)MOST : quotient;
}

// An entry moved by a multiplicative rule: zero stays zero, what falls below the normal numbers is zero.
__device__ __forceinline__ real times(real value, real by) {
    real moved = value > (real)0 ? value * by : (real)0;
    return moved < (real)TINY ? (real)0 : moved;
}

__device__ __forceinline__ real power(real base, real exponent) {
    if (exponent == (real)1) return base;
    if (exponent == (real)0.5) return sqrt(base);
    return pow(base, exponent);
}

__device__ __forceinline__ double warp_sum(double value) {
    for (int apart = WARP / 2; apart > 0; apart /= 2) value += __shfl_xor_sync(ALL, value, apart);
    return value;
}

// The rows of a chunk: parts of `part` samples are cut into chunks of their own, so that sums are trees over parts.
__device__ __forceinline__ void chunk_rows(count n, count part, count* begin, count* end) {
    count per_part = (part + CHUNK - 1) / CHUNK, of = blockIdx.x / per_part;
    *begin = of * part + blockIdx.x % per_part * CHUNK;
    count stop = *begin + CHUNK, border = (of + 1) * part;
    stop = stop < border ? stop : border;
    *end = stop < n ? stop : n;
}

// The rows of a piece, of which every part has as many.
__device__ __forceinline__ void piece_rows(count n, count part, count piece, count at, count* begin, count* end) {
    count per_part = (part + piece - 1) / piece, of = at / per_part;
    *begin = of * part + at % per_part * piece;
    count stop = *begin + piece, border = (of + 1) * part;
    stop = stop < border ? stop : border;
    *end = stop < n ? stop : n;
}

// The sum over the threads of a block of at most 1024, in a fixed order; thread 0 has it.
__device__ __forceinline__ double block_sum(double value) {
    __shared__ double sums[WARP];
    value = warp_sum(value);
    __syncthreads();
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / WARP ? sums[threadIdx.x] : 0.0;
    return threadIdx.x < WARP ? warp_sum(value) : 0.0;
}

__device__ __forceinline__ double block_max(double value) {
    __shared__ double most[WARP];
    for (int apart = WARP / 2; apart > 0; apart /= 2) value = fmax(value, __shfl_xor_sync(ALL, value, apart));
    __syncthreads();
    if (threadIdx.x % WARP == 0) most[threadIdx.x / WARP] = value;
    __syncthreads();
    for (int warp = 0; warp < blockDim.x / WARP; ++warp) value = fmax(value, most[warp]);
    return value;
}
