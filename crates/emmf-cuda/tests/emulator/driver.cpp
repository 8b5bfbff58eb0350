// The driver, cuBLAS and NVRTC of a card that is not there, in one library: memory is memory of the processor, every order is done at
// once, and kernels are compiled by g++ (see translate.py). New memory holds NaN, and nothing beyond its ends can be read.
//
// EMULATED_MEMORY: bytes of the card [8 GB]; EMULATED_CARDS [1]; EMULATED_ARCH [90]. SOURCE (the folder of this file) and CACHE are given
// by the compiler.
#include <dlfcn.h>
#include <functional>
#include <map>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <vector>

typedef unsigned long long address;

// What the driver answers.
enum { DONE = 0, INVALID = 1, NO_MEMORY = 2, NO_IMAGE = 200, NOT_FOUND = 500 };
// What it is asked about.
enum { MAJOR = 75, MINOR = 76, MOST_SHARED = 97, HAS_POOLS = 115 };

static const size_t PAGE = 4096;

static size_t said(const char* name, size_t otherwise) {
    const char* text = getenv(name);
    return text ? strtoull(text, nullptr, 10) : otherwise;
}

struct Memory {
    char* base;
    size_t bytes, all;
};

static std::mutex memory_lock, work_lock, compile_lock;
static std::map<address, Memory> memories;
static size_t used;

static size_t all_memory() { return said("EMULATED_MEMORY", 8'000'000'000); }

extern "C" {
int cuInit(unsigned) { return DONE; }
int cuDeviceGet(int* device, int number) { return *device = number, DONE; }
int cuDeviceGetCount(int* count) { return *count = (int)said("EMULATED_CARDS", 1), DONE; }
int cuDeviceGetName(char* name, int room, int) { return snprintf(name, room, "emulated"), DONE; }

int cuDeviceGetAttribute(int* value, int what, int) {
    int arch = (int)said("EMULATED_ARCH", 90);
    *value = what == MAJOR ? arch / 10 : what == MINOR ? arch % 10 : what == MOST_SHARED ? 232448 : what == HAS_POOLS;
    return DONE;
}

int cuDevicePrimaryCtxRetain(void** context, int) { return *context = (void*)1, DONE; }
int cuDevicePrimaryCtxRelease_v2(int) { return DONE; }
int cuCtxSetCurrent(void*) { return DONE; }
int cuCtxGetCurrent(void** context) { return *context = (void*)1, DONE; }
int cuCtxSynchronize() { return DONE; }
int cuStreamCreate(void** stream, unsigned) { return *stream = (void*)1, DONE; }
int cuStreamDestroy_v2(void*) { return DONE; }
int cuStreamSynchronize(void*) { return DONE; }
int cuStreamWaitEvent(void*, void*, unsigned) { return DONE; }
int cuEventCreate(void** event, unsigned) { return *event = calloc(1, sizeof(double)), DONE; }
int cuEventDestroy_v2(void* event) { return free(event), DONE; }
int cuEventSynchronize(void*) { return DONE; }

int cuEventRecord(void* event, void*) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *(double*)event = now.tv_sec * 1e3 + now.tv_nsec / 1e6;
    return DONE;
}

int cuEventElapsedTime_v2(float* ms, void* from, void* to) { return *ms = (float)(*(double*)to - *(double*)from), DONE; }

int cuMemAlloc_v2(address* out, size_t bytes) {
    std::lock_guard<std::mutex> guard(memory_lock);
    if (bytes == 0) return INVALID;
    if (used + bytes > all_memory()) return NO_MEMORY;
    size_t all = (bytes + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
    char* base = (char*)mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return NO_MEMORY;
    memset(base, 0xff, all);
    mprotect(base, PAGE, PROT_NONE);
    mprotect(base + all - PAGE, PAGE, PROT_NONE);
    *out = (address)(base + all - PAGE - (bytes + 15) / 16 * 16);
    memories[*out] = {base, bytes, all};
    used += bytes;
    return DONE;
}

int cuMemFree_v2(address at) {
    std::lock_guard<std::mutex> guard(memory_lock);
    auto found = memories.find(at);
    if (found == memories.end()) return INVALID;
    used -= found->second.bytes;
    munmap(found->second.base, found->second.all);
    memories.erase(found);
    return DONE;
}

int cuMemAllocAsync(address* out, size_t bytes, void*) { return cuMemAlloc_v2(out, bytes); }
int cuMemFreeAsync(address at, void*) { return cuMemFree_v2(at); }
int cuMemGetInfo_v2(size_t* free, size_t* all) { return *all = all_memory(), *free = *all - used, DONE; }

int cuMemHostAlloc(void** out, size_t bytes, unsigned) {
    *out = malloc(bytes + 1);
    if (*out) memset(*out, 0xff, bytes);
    return *out ? DONE : NO_MEMORY;
}

int cuMemFreeHost(void* at) { return free(at), DONE; }
int cuMemsetD8Async(address at, unsigned char value, size_t bytes, void*) { return memset((void*)at, value, bytes), DONE; }
int cuMemcpyHtoDAsync_v2(address to, const void* from, size_t bytes, void*) { return memcpy((void*)to, from, bytes), DONE; }
int cuMemcpyDtoHAsync_v2(void* to, address from, size_t bytes, void*) { return memcpy(to, (void*)from, bytes), DONE; }
int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void*) { return memcpy((void*)to, (void*)from, bytes), DONE; }

// Machine code is the name of a library.
int cuModuleLoadData(void** module, const void* code) {
    *module = dlopen((const char*)code, RTLD_NOW | RTLD_LOCAL);
    return *module ? DONE : NO_IMAGE;
}

int cuModuleUnload(void*) { return DONE; }

struct Function {
    void (*launch)(void**, const unsigned*);
    unsigned most_shared;
};

int cuModuleGetFunction(void** out, void* module, const char* name) {
    void* launch = dlsym(module, (std::string("emulator_launch_") + name).c_str());
    *out = new Function{(void (*)(void**, const unsigned*))launch, 48 << 10};
    return launch ? DONE : NOT_FOUND;
}

int cuFuncSetAttribute(void* function, int, int bytes) { return ((Function*)function)->most_shared = bytes, DONE; }

int cuLaunchKernel(void* function, unsigned width, unsigned height, unsigned, unsigned threads, unsigned, unsigned, unsigned room, void*,
                   void** given, void**) {
    std::lock_guard<std::mutex> guard(work_lock);
    if (room > ((Function*)function)->most_shared) return INVALID;
    unsigned sizes[4] = {width, height, threads, room};
    ((Function*)function)->launch(given, sizes);
    return DONE;
}

int cuGetErrorName(int, const char** name) { return *name = "an error of the emulator", DONE; }
int cuGetErrorString(int, const char** text) { return *text = "", DONE; }

int cublasCreate_v2(void** handle) { return *handle = (void*)1, DONE; }
int cublasDestroy_v2(void*) { return DONE; }
int cublasSetStream_v2(void*, void*) { return DONE; }
int cublasSetMathMode(void*, int) { return DONE; }
}

// C = alpha·A·B + beta·C of column-major matrices, either turned; the sums are in double precision.
template <class T>
static void product(bool turn_a, bool turn_b, int m, int n, int k, T alpha, const T* a, size_t lda, const T* b, size_t ldb, T beta, T* c,
                    size_t ldc) {
    std::vector<double> sums(m);
    for (int j = 0; j < n; ++j) {
        sums.assign(m, 0.0);
        for (int l = 0; l < k; ++l) {
            double by = turn_b ? b[l * ldb + j] : b[j * ldb + l];
            for (int i = 0; i < m; ++i) sums[i] += by * (turn_a ? a[i * lda + l] : a[l * lda + i]);
        }
        for (int i = 0; i < m; ++i) c[j * ldc + i] = (T)(alpha * sums[i] + (beta == 0 ? 0.0 : (double)beta * c[j * ldc + i]));
    }
}

#define PRODUCTS(letter, T)                                                                                                               \
    extern "C" int cublas##letter##gemm_v2(void*, int turn_a, int turn_b, int m, int n, int k, const T* alpha, const T* a, int lda,       \
                                           const T* b, int ldb, const T* beta, T* c, int ldc) {                                           \
        product<T>(turn_a, turn_b, m, n, k, *alpha, a, lda, b, ldb, *beta, c, ldc);                                                       \
        return DONE;                                                                                                                      \
    }                                                                                                                                     \
    extern "C" int cublas##letter##gemmStridedBatched(void*, int turn_a, int turn_b, int m, int n, int k, const T* alpha, const T* a,     \
                                                      int lda, long long of_a, const T* b, int ldb, long long of_b, const T* beta, T* c,  \
                                                      int ldc, long long of_c, int many) {                                                \
        for (int at = 0; at < many; ++at)                                                                                                 \
            product<T>(turn_a, turn_b, m, n, k, *alpha, a + at * of_a, lda, b + at * of_b, ldb, *beta, c + at * of_c, ldc);               \
        return DONE;                                                                                                                      \
    }

PRODUCTS(S, float)
PRODUCTS(D, double)

struct Program {
    std::string source, log, library;
};

static void write(const std::string& path, const std::string& text) {
    FILE* file = fopen(path.c_str(), "w");
    if (!file) return;
    fwrite(text.data(), 1, text.size(), file);
    fclose(file);
}

static std::string read(const std::string& path) {
    std::string text;
    FILE* file = fopen(path.c_str(), "r");
    for (int c; file && (c = fgetc(file)) != EOF;) text += (char)c;
    if (file) fclose(file);
    return text;
}

extern "C" {
int nvrtcCreateProgram(void** out, const char* source, const char*, int, const char* const*, const char* const*) {
    return *out = new Program{source, "", ""}, DONE;
}

int nvrtcDestroyProgram(void** program) { return delete (Program*)*program, DONE; }

int nvrtcCompileProgram(void* of, int many, const char* const* options) {
    std::lock_guard<std::mutex> guard(compile_lock);
    Program& program = *(Program*)of;
    std::string macros;
    for (int at = 0; at < many; ++at)
        if (!strncmp(options[at], "-D", 2)) macros += std::string(" ") + options[at];
    std::string base = CACHE "/" + std::to_string(std::hash<std::string>()(program.source + macros));
    program.library = base + ".so";
    struct stat there;
    if (!stat(program.library.c_str(), &there)) return DONE;
    // Another process may make the same one.
    std::string own = base + "." + std::to_string(getpid());
    write(own + ".cu", program.source);
    std::string command = "python3 " SOURCE "/translate.py < " + own + ".cu > " + own + ".cpp 2> " + own + ".log && g++ -w -std=c++17 -O2 "
                          "-march=native -ffp-contract=off -fno-strict-aliasing -fno-stack-protector -shared -fPIC -I" SOURCE + macros + " " +
                          own + ".cpp -o " + own + ".so 2> " + own + ".log && mv " + own + ".so " + program.library;
    if (!system(("env -u LD_LIBRARY_PATH sh -c '" + command + "'").c_str())) return DONE;
    program.log = read(own + ".log");
    return INVALID;
}

int nvrtcGetProgramLogSize(void* program, size_t* size) { return *size = ((Program*)program)->log.size() + 1, DONE; }
int nvrtcGetProgramLog(void* program, char* log) { return strcpy(log, ((Program*)program)->log.c_str()), DONE; }
int nvrtcGetCUBINSize(void* program, size_t* size) { return *size = ((Program*)program)->library.size() + 1, DONE; }
int nvrtcGetCUBIN(void* program, char* code) { return strcpy(code, ((Program*)program)->library.c_str()), DONE; }
int nvrtcGetNumSupportedArchs(int* many) { return *many = 1, DONE; }
int nvrtcGetSupportedArchs(int* all) { return *all = 90, DONE; }
}
