// VᵀQV of every piece: a block of 16×16 threads, each with some of the entries on and above the diagonal, over rows that are in shared memory.
// A row of V is short, so it is read but once, and sums are plain fused multiplications and additions.
#if LD <= 128
#define GRAM_ROWS (128 / (int)sizeof(real))
#define GRAM_EACH (LD / 16)

extern "C" __global__ void __launch_bounds__(256) gram_pieces(const real* v, const real* q, count n, count part, count piece, real* out) {
    __shared__ real rows[GRAM_ROWS][LD + 1];
    __shared__ real weighted[GRAM_ROWS][LD + 1];
    count begin, end;
    piece_rows(n, part, piece, blockIdx.x, &begin, &end);
    int down = threadIdx.x / 16, across = threadIdx.x % 16;
    real sums[GRAM_EACH][GRAM_EACH];
#pragma unroll
    for (int e = 0; e < GRAM_EACH * GRAM_EACH; ++e) sums[e / GRAM_EACH][e % GRAM_EACH] = 0;
    for (count first = begin; first < end; first += GRAM_ROWS) {
        __syncthreads();
        for (int at = threadIdx.x; at < GRAM_ROWS * LD; at += 256) {
            count i = first + at / LD;
            real value = i < end ? v[i * LD + at % LD] : (real)0;
            rows[at / LD][at % LD] = value;
            weighted[at / LD][at % LD] = i < end ? q[i] * value : (real)0;
        }
        __syncthreads();
#pragma unroll 4
        for (int row = 0; row < GRAM_ROWS; ++row) {
            real left[GRAM_EACH], right[GRAM_EACH];
#pragma unroll
            for (int e = 0; e < GRAM_EACH; ++e) {
                left[e] = weighted[row][down + 16 * e];
                right[e] = rows[row][across + 16 * e];
            }
#pragma unroll
            for (int e = 0; e < GRAM_EACH; ++e)
#pragma unroll
                for (int f = e; f < GRAM_EACH; ++f) sums[e][f] += left[e] * right[f];
        }
    }
    out += blockIdx.x * (count)LD * LD;
#pragma unroll
    for (int e = 0; e < GRAM_EACH; ++e)
#pragma unroll
        for (int f = e; f < GRAM_EACH; ++f) {
            int k = down + 16 * e, l = across + 16 * f;
            out[k * LD + l] = sums[e][f];
            if (e < f) out[l * LD + k] = sums[e][f];
        }
}
#endif
