// Products with X, which is kept as halves: EXACT ones, or as the sum of two.

#ifdef EXACT
#define TERMS 2
#else
#define TERMS 3
#endif

// Bytes of a step of one of the halves of X, of all of them, and of the other factor.
#define HALF_BYTES (ROWS * STEP * 2)
#define LEFT_BYTES (HALF_BYTES * (TERMS - 1))
#define PACKED_BYTES (STEP / 16 * TILES * WARP * 16)
#define STAGE (LEFT_BYTES + PACKED_BYTES)

// Two numbers as halves, the first one low, and what is left of them.
__device__ __forceinline__ void halve(float x, float y, unsigned& high, unsigned& low) {
    float back_x, back_y;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(high) : "f"(y), "f"(x));
    asm("{.reg .f16 l, h;\n mov.b32 {l, h}, %2;\n cvt.f32.f16 %0, l;\n cvt.f32.f16 %1, h;}"
        : "=f"(back_x), "=f"(back_y)
        : "r"(high));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(low) : "f"(y - back_y), "f"(x - back_x));
}

template <bool FIRST>
__device__ __forceinline__ void add_halves(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    if (FIRST)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
            : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.f));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <bool TURNED> __device__ __forceinline__ void load_left(unsigned (&a)[4], unsigned at) {
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(at));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                     : "r"(at));
}

// Where 16 bytes of halves are: rows of X as rows of 64 bytes, or TURNED, samples as rows of 256 bytes. No eight that are read together
// meet in a bank.
template <bool TURNED> __device__ __forceinline__ int place(int row, int chunk) {
    return TURNED ? row * (ROWS * 2) + (chunk ^ (row & 7)) * 16 : row * (STEP * 2) + (chunk ^ (row >> 1 & 3)) * 16;
}

// X, n×ldx.
struct Entries {
    const bits* x;
    count ldx;
};

// Rows from `row` on, or TURNED samples, and columns from `column` on, which are zero from `rows` and ldx on.
template <bool TURNED>
__device__ __forceinline__ void fetch_left(const Entries& x, count row, count rows, count column, unsigned char* stage) {
    constexpr int CHUNKS = (TURNED ? ROWS : STEP) / 8;
#pragma unroll
    for (int c = threadIdx.x; c < ROWS * STEP / 8; c += THREADS) {
        int i = c / CHUNKS, j = c % CHUNKS;
        bool there = row + i < rows && column + j * 8 < x.ldx;
        const bits* from = x.x + (there ? half_place(row + i, column + j * 8, x.ldx) : 0);
        fetch(stage + place<TURNED>(i, j), from, there);
#ifndef EXACT
        fetch(stage + HALF_BYTES + place<TURNED>(i, j), from + BESIDES, there);
#endif
    }
}

__device__ __forceinline__ void fetch_packed(const uint4* from, unsigned char* stage) {
    for (int c = threadIdx.x; c < PACKED_BYTES / 16; c += THREADS) fetch(stage + LEFT_BYTES + c * 16, from + c, true);
}

// sums += A·B over a step. Accumulators of tensor cores, which cut digits off, begin anew at each step, and for X·U twice: residuals are
// small differences of such sums.
template <bool TURNED>
__device__ __forceinline__ void multiply_step(float (&sums)[HALF][2][4], const unsigned char* left) {
    int lane = threadIdx.x % WARP;
    const uint4* packed = (const uint4*)(left + LEFT_BYTES) + half() * HALF * WARP + lane;
    unsigned a[STEP / 16][2][TERMS - 1][4];
#pragma unroll
    for (int k = 0; k < STEP / 16; ++k)
#pragma unroll
        for (int m = 0; m < 2; ++m) {
            int row = group() * 32 + m * 16;
            int at = TURNED ? place<true>(k * 16 + lane % 8 + lane / 16 * 8, row / 8 + lane / 8 % 2)
                            : place<false>(row + lane % 16, k * 2 + lane / 16);
#pragma unroll
            for (int part = 0; part < TERMS - 1; ++part)
                load_left<TURNED>(a[k][m][part], shared_address(left + part * HALF_BYTES + at));
        }
#pragma unroll
    for (int first = 0; first < HALF; first += BESIDE) {
        float now[BESIDE][2][4];
#pragma unroll
        for (int k = 0; k < STEP / 16; ++k) {
            uint4 b[BESIDE];
#pragma unroll
            for (int j = 0; j < BESIDE; ++j)
                if (first + j < HALF) b[j] = packed[(k * TILES + first + j) * WARP];
            // The small products first.
#pragma unroll
            for (int term = 0; term < TERMS; ++term)
#pragma unroll
                for (int j = 0; j < BESIDE; ++j)
#pragma unroll
                    for (int m = 0; m < 2; ++m)
                        if (first + j < HALF) {
                            const unsigned(&by)[4] = a[k][m][TERMS == 3 && term == 0 ? TERMS - 2 : 0];
                            bool low = term == TERMS - 2;
                            unsigned b0 = low ? b[j].z : b[j].x, b1 = low ? b[j].w : b[j].y;
                            if (term == 0 && (k == 0 || !TURNED)) add_halves<true>(now[j][m], by, b0, b1);
                            else add_halves<false>(now[j][m], by, b0, b1);
                        }
            if (TURNED && k + 1 < STEP / 16) continue;
#pragma unroll
            for (int j = 0; j < BESIDE; ++j)
#pragma unroll
                for (int e = 0; e < 8; ++e)
                    if (first + j < HALF) sums[first + j][e / 4][e % 4] += now[j][e / 4][e % 4];
        }
    }
}

__device__ __forceinline__ void clear(float (&sums)[HALF][2][4]) {
#pragma unroll
    for (int j = 0; j < HALF; ++j)
#pragma unroll
        for (int e = 0; e < 8; ++e) sums[j][e / 4][e % 4] = 0.f;
}

// The power of two that brings a maximum to between 2^14 and 2^15.
__device__ __forceinline__ float raise(float most) {
    if (!(most > 0.f)) return 1.f;
    int exponent = 14 - ((int)(__float_as_uint(most) >> 23) - 127);
    exponent = exponent > 100 ? 100 : exponent < -100 ? -100 : exponent;
    return __uint_as_float((unsigned)(exponent + 127) << 23);
}

// Factors that bring the columns of U, d×C, to such a maximum. A warp for each column.
extern "C" __global__ void raise_columns(const float* u, int d, float* up) {
    int k = blockIdx.x, lane = threadIdx.x;
    float most = 0.f;
    if (k < C)
        for (int j = lane; j < d; j += WARP) most = fmaxf(most, u[(count)j * C + k]);
    for (int apart = WARP / 2; apart > 0; apart /= 2) most = fmaxf(most, __shfl_xor_sync(ALL, most, apart));
    if (lane == 0) up[k] = raise(most);
}

// U, d×C, in the order in which threads need it, raised; rows up to a multiple of STEP are zero.
extern "C" __global__ void pack(const float* u, int d, const float* up, uint4* out, count many) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at >= many) return;
    int lane = at % WARP, column = at / WARP % TILES * 8 + lane / 4;
    count k = at / WARP / TILES * 16 + lane % 4 * 2;
    float x[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        count row = k + e % 2 + e / 2 * 8;
        x[e] = column < C && row < d ? u[row * C + column] * up[column] : 0.f;
    }
    uint4 b;
    halve(x[0], x[1], b.x, b.z);
    halve(x[2], x[3], b.y, b.w);
    out[at] = b;
}

// sums = Σ of products over so many steps; `fetch_step(step, stage)` begins to bring one. The next ones are on their way while one is
// worked on.
template <bool TURNED, class Fetch>
__device__ __forceinline__ void multiply_steps(float (&sums)[HALF][2][4], int steps, unsigned char* room, const Fetch& fetch_step) {
    clear(sums);
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) {
        if (s < steps) fetch_step(s, room + s * STAGE);
        fetched();
    }
    for (int at = 0; at < steps; ++at) {
        await<STAGES - 2>();
        int next = at + STAGES - 1;
        if (next < steps) fetch_step(next, room + next % STAGES * STAGE);
        fetched();
        multiply_step<TURNED>(sums, room + at % STAGES * STAGE);
    }
    await<0>();
}

// P = X·U of ROWS samples in the accumulators of their warps.
__device__ __forceinline__ void project_tile(const Entries& x, count n, const uint4* u, const float* up, unsigned char* room,
                                             float (&p)[HALF][2][4]) {
    int steps = (int)((x.ldx + STEP - 1) / STEP);
    multiply_steps<false>(p, steps, room, [&](int at, unsigned char* stage) {
        fetch_left<false>(x, blockIdx.x * (count)ROWS, n, (count)at * STEP, stage);
        fetch_packed(u + (count)at * (PACKED_BYTES / 16), stage);
    });
    int t = threadIdx.x % 4;
#pragma unroll
    for (int j = 0; j < HALF; ++j) {
        float2 raised = *(const float2*)(up + (half() * HALF + j) * 8 + 2 * t);
        raised = make_float2(1.f / raised.x, 1.f / raised.y);
#pragma unroll
        for (int e = 0; e < 8; ++e) p[j][e / 4][e % 4] *= e % 2 ? raised.y : raised.x;
    }
}

#ifdef PROJECT
// P alone.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    project_tiles(const bits* x, count ldx, count n, const uint4* u, const float* up, float* out) {
    extern __shared__ __align__(16) unsigned char room[];
    float p[HALF][2][4];
    project_tile({x, ldx}, n, u, up, room, p);
    count first = blockIdx.x * (count)ROWS + group() * 32;
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int m = 0; m < 2; ++m)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            count i = first + m * 16 + g + 8 * h;
            if (i >= n) continue;
#pragma unroll
            for (int j = 0; j < HALF; ++j)
                *(float2*)(out + i * LD + (half() * HALF + j) * 8 + 2 * t) = make_float2(p[j][m][2 * h], p[j][m][2 * h + 1]);
        }
}
#elif !defined(PULL)
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    sweep_tiles(const bits* x, count ldx, count n, const uint4* u, const float* up, const Right* g, const float* factor,
                const double* norms_sq, float* v, double* r, float exponent, double smoothing) {
    extern __shared__ __align__(16) unsigned char room[];
    float p[HALF][2][4];
    project_tile({x, ldx}, n, u, up, room, p);
    Sweep by = {g, factor, norms_sq, v, r, exponent, smoothing};
    step_of_block(p, (float*)room, n, by);
}
#endif
