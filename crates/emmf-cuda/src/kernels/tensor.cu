// X·U, the V step and the residuals in one pass over X, and XᵀQV with VᵀQV in another, on tensor cores with the accuracy of
// single precision. A number is the sum of two of eleven digits, and three of the four products of such sums count: halves in the products
// with X, whose rows and the columns of what they are multiplied with are brought to a maximum of about 2^15 by powers of two; TF32 in
// those with G, which have no such order. Accumulators of tensor cores cut digits off, so they begin anew every few products.

// The power of a multiplicative rule: ROOT, WHOLE or neither is defined, since code for all three would not stay in registers.
#if defined(ROOT)
#define POWER(base, exponent) root(base)
#elif defined(WHOLE)
#define POWER(base, exponent) (base)
#else
#define POWER(base, exponent) powf(base, exponent)
#endif
// A block has 128 rows and eight warps: 32 rows and half of the columns each.
#define TILES (LD / 8)
#define HALF (TILES / 2)
#define ROWS 128
#define THREADS 256
// Features of a sweep, or samples of a pull, that are worked on at a time.
#define STEP 32
#define STAGES 3
// Distance of rows of V in shared memory for which no two threads of a warp meet in a bank.
#define V_APART (LD + 4)
__device__ __forceinline__ unsigned shared_address(const void* at) {
    return (unsigned)__cvta_generic_to_shared(at);
}

// 16 bytes on their way to shared memory; zeros where they are not `there`.
__device__ __forceinline__ void fetch(void* to, const void* from, bool there) {
    int bytes = there ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes));
}

__device__ __forceinline__ void fetched() { asm volatile("cp.async.commit_group;"); }

// All but the last LEFT of the steps that this block has asked for are there, and nobody works on what was there before.
template <int LEFT> __device__ __forceinline__ void await() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT));
    __syncthreads();
}

// x as the sum of two numbers of eleven digits.
__device__ __forceinline__ void split(float x, unsigned& high, unsigned& low) {
    high = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
    low = __float_as_uint(x - __uint_as_float(high));
}

__device__ __forceinline__ void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The same where there is no sum yet.
__device__ __forceinline__ void multiply_first(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
        : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.f));
}

// What a thread needs of 8×8 numbers in two parts.
struct __align__(16) Right {
    unsigned high[2], low[2];
};

__device__ __forceinline__ Right split_right(float b0, float b1) {
    Right b;
    split(b0, b.high[0], b.low[0]);
    split(b1, b.high[1], b.low[1]);
    return b;
}

// A fragment of 16×8 numbers in two parts.
struct Left {
    unsigned high[4], low[4];
};

__device__ __forceinline__ void split_all(const unsigned (&raw)[4], Left& a) {
#pragma unroll
    for (int e = 0; e < 4; ++e) split(__uint_as_float(raw[e]), a.high[e], a.low[e]);
}

// The fragment at this place of row-major numbers in shared memory.
__device__ __forceinline__ void left_at(const float* from, int apart, Left& a) {
    int lane = threadIdx.x % WARP;
    const float* at = from + (lane % 16) * apart + lane / 16 * 4;
    unsigned raw[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(raw[0]), "=r"(raw[1]), "=r"(raw[2]), "=r"(raw[3])
                 : "r"(shared_address(at)));
    split_all(raw, a);
}

// Eights of the inner dimension whose products are added up by tensor cores, and columns of eight that are worked on side by side.
#define DEPTH 2
#define BESIDE 4

// sums += A·B, 16·MANY rows; `right` has what this thread needs of B, for its columns one after the other. Accumulators of tensor
// cores begin anew each time; products do not wait for each other, and the small ones come first.
template <int MANY>
__device__ __forceinline__ void add_products(float (&sums)[HALF][MANY][4], const Left (&a)[DEPTH][MANY], const Right* right) {
#pragma unroll
    for (int first = 0; first < HALF; first += BESIDE) {
        float now[BESIDE][MANY][4];
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            Right b[BESIDE];
#pragma unroll
            for (int j = 0; j < BESIDE; ++j)
                if (first + j < HALF) {
                    uint4 raw = *(const uint4*)(right + (k * TILES + first + j) * WARP);
                    b[j] = {{raw.x, raw.y}, {raw.z, raw.w}};
                }
#pragma unroll
            for (int term = 0; term < 3; ++term)
#pragma unroll
                for (int j = 0; j < BESIDE; ++j)
#pragma unroll
                    for (int m = 0; m < MANY; ++m)
                        if (first + j < HALF) {
                            const unsigned(&left)[4] = term == 0 ? a[k][m].low : a[k][m].high;
                            const unsigned(&by)[2] = term == 1 ? b[j].low : b[j].high;
                            if (k == 0 && term == 0) multiply_first(now[j][m], left, by[0], by[1]);
                            else multiply_add(now[j][m], left, by[0], by[1]);
                        }
        }
#pragma unroll
        for (int j = 0; j < BESIDE; ++j)
#pragma unroll
            for (int e = 0; e < MANY * 4; ++e)
                if (first + j < HALF) sums[first + j][e / 4][e % 4] += now[j][e / 4][e % 4];
    }
}

// The entries of G, C×C, in the order in which threads need them; up to LD they are zero.
extern "C" __global__ void pack_gram(const float* g, Right* out) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= TILES * TILES * WARP) return;
    int lane = at % WARP, column = at / WARP % TILES * 8 + lane / 4, k = at / WARP / TILES * 8 + lane % 4;
    bool inside = column < C;
    out[at] = split_right(inside && k < C ? g[k * C + column] : 0.f, inside && k + 4 < C ? g[(k + 4) * C + column] : 0.f);
}

// The half of the columns that a warp works on, and its group of 32 rows, which it shares with another warp.
__device__ __forceinline__ int half() { return threadIdx.x / WARP % 2; }
__device__ __forceinline__ int group() { return threadIdx.x / WARP / 2; }

// Both warps of a group have come so far.
__device__ __forceinline__ void meet() { asm volatile("bar.sync %0, 64;" ::"r"(group() + 1) : "memory"); }

// sums = (16 rows of V in shared memory)·G. The rows of G from LD on are zero.
__device__ __forceinline__ void times_gram(const float* v, const Right* __restrict__ g, float (&sums)[HALF][1][4]) {
#pragma unroll
    for (int j = 0; j < HALF; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[j][0][e] = 0.f;
#pragma unroll 1
    for (int at = 0; at < TILES; at += DEPTH) {
        Left a[DEPTH][1];
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) left_at(v + (at + k) * 8, V_APART, a[k][0]);
        add_products<1>(sums, a, g + (at * TILES + half() * HALF) * WARP + threadIdx.x % WARP);
    }
}

// Within two units in the last place.
__device__ __forceinline__ float root(float x) {
    float result;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

__device__ __forceinline__ float quotient(float num, float den) {
    float result;
    asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(num), "f"(den));
    result = den >= TINY ? result : 1.f;
    return result > MOST ? MOST : result;
}

struct Sweep {
    const Right* g;
    const float* factor;
    const double* norms_sq;
    float* v;
    double* r;
    float exponent;
    double smoothing;
};

// A number of each row of the block.
struct Dots {
    double cross[ROWS], fitted[ROWS];
};

// V of 16 rows moved, their P and V·G being in the accumulators.
__device__ __forceinline__ void move_rows(const float (&p)[HALF][2][4], const float (&vg)[HALF][1][4], int m, float* v, count first,
                                          count n, const Sweep& by) {
    int lane = threadIdx.x % WARP, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        count i = first + g + 8 * h;
        bool empty = i >= n || by.norms_sq[i] == 0.0;
        float factor = i < n ? by.factor[i] : 1.f;
#pragma unroll
        for (int j = 0; j < HALF; ++j) {
            float2* at = (float2*)(v + (g + 8 * h) * V_APART + (half() * HALF + j) * 8 + 2 * t);
            float2 value = *at;
            value.x = times(value.x, POWER(quotient(p[j][m][2 * h] * factor, vg[j][0][2 * h]), by.exponent));
            value.y = times(value.y, POWER(quotient(p[j][m][2 * h + 1] * factor, vg[j][0][2 * h + 1]), by.exponent));
            *at = empty ? make_float2(0.f, 0.f) : value;
        }
    }
}

// v·p and v·(Gv) of 16 rows over the columns of this warp; the first half waits for the other and has the residuals.
__device__ __forceinline__ void measure_rows(const float (&p)[HALF][2][4], const float (&vg)[HALF][1][4], int m, const float* v,
                                             count first, count n, const Sweep& by, Dots& dots) {
    int lane = threadIdx.x % WARP, g = lane / 4, t = lane % 4;
    double cross[2] = {0.0, 0.0}, fitted[2] = {0.0, 0.0};
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        count i = first + g + 8 * h;
        float factor = i < n ? by.factor[i] : 1.f;
#pragma unroll
        for (int j = 0; j < HALF; ++j) {
            float2 value = *(const float2*)(v + (g + 8 * h) * V_APART + (half() * HALF + j) * 8 + 2 * t);
            cross[h] += (double)value.x * (double)(p[j][m][2 * h] * factor);
            cross[h] += (double)value.y * (double)(p[j][m][2 * h + 1] * factor);
            fitted[h] += (double)value.x * (double)vg[j][0][2 * h];
            fitted[h] += (double)value.y * (double)vg[j][0][2 * h + 1];
        }
        for (int apart = 1; apart < 4; apart *= 2) {
            cross[h] += __shfl_xor_sync(ALL, cross[h], apart);
            fitted[h] += __shfl_xor_sync(ALL, fitted[h], apart);
        }
        int row = group() * 32 + m * 16 + g + 8 * h;
        if (t == 0 && half()) {
            dots.cross[row] = cross[h];
            dots.fitted[row] = fitted[h];
        }
    }
    meet();
#pragma unroll
    for (int h = 0; h < 2; ++h) {
        int row = group() * 32 + m * 16 + g + 8 * h;
        count i = first + g + 8 * h;
        if (t == 0 && !half() && i < n)
            by.r[i] = gram_form(by.norms_sq[i], cross[h] + dots.cross[row], fitted[h] + dots.fitted[row], by.smoothing);
    }
}

// The V step and the residuals of the rows of a block, whose P is in the accumulators; `tile` is room for V.
__device__ __forceinline__ void step_of_block(const float (&p)[HALF][2][4], float* tile, count n, const Sweep& by) {
    __shared__ Dots dots;
    count first = blockIdx.x * (count)ROWS;
    for (int at = threadIdx.x; at < ROWS * (LD / 4); at += THREADS) {
        int row = at / (LD / 4), k = at % (LD / 4) * 4;
        float4 value = make_float4(0.f, 0.f, 0.f, 0.f);
        if (first + row < n) value = *(const float4*)(by.v + (first + row) * LD + k);
        *(float4*)(tile + row * V_APART + k) = value;
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < 2; ++m) {
        int row = group() * 32 + m * 16;
        float* v = tile + row * V_APART;
        float vg[HALF][1][4];
        times_gram(v, by.g, vg);
        meet();
        move_rows(p, vg, m, v, first + row, n, by);
        meet();
        times_gram(v, by.g, vg);
        measure_rows(p, vg, m, v, first + row, n, by, dots);
    }
    __syncthreads();
    for (int at = threadIdx.x; at < ROWS * (LD / 4); at += THREADS) {
        int row = at / (LD / 4), k = at % (LD / 4) * 4;
        if (first + row < n) *(float4*)(by.v + (first + row) * LD + k) = *(const float4*)(tile + row * V_APART + k);
    }
}
