/*
 * A stand-in for the OpenCL library, so that kogge builds and starts without one.
 *
 * The `ocl` crate asks the linker for `-lOpenCL`. With the system's library that would make the development package
 * necessary to build and the loader necessary to start, even for someone who only counts on the CPU. This file becomes
 * a static library of the same name. Each function opens the real library once, at run time, and forwards its call.
 *
 * If the real library cannot be opened, every function that reports a status reports CL_PLATFORM_NOT_FOUND_KHR.
 * If an older version of the library lacks a function, this function reports CL_INVALID_OPERATION.
 *
 * KOGGE_OPENCL_LIBRARY, if set and not empty, names the only library to try, instead of the usual ones. On Windows it is a full
 * path, or the name of a library in the system's folder.
 *
 * The library is never closed: vendors' drivers keep threads that run in it.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define CL_CALL __stdcall
#else
#include <dlfcn.h>
#include <pthread.h>
#define CL_CALL
#endif

#define CL_INVALID_OPERATION (-59)
#define CL_PLATFORM_NOT_FOUND_KHR (-1001)

/* The OpenCL types, as far as a calling convention distinguishes them: handles, arrays and callbacks are all pointers. */
typedef void *P;    /* any pointer */
typedef int32_t I;  /* cl_int */
typedef uint32_t U; /* cl_uint, cl_bool and every enumeration */
typedef uint64_t L; /* cl_bitfield */
typedef size_t Z;

/*
 * Every function that `ocl` can reach under its default features: number of arguments, name, types of the arguments.
 * A missing function is an error of the linker, never a wrong call.
 *
 * STATUS returns its error, CREATE returns an object and stores its error through its last argument, OBJECT returns
 * an object or null.
 */
#define FUNCTIONS(STATUS, CREATE, OBJECT) \
    STATUS(3, clGetPlatformIDs, (U, P, P)) \
    STATUS(5, clGetPlatformInfo, (P, U, Z, P, P)) \
    STATUS(5, clGetDeviceIDs, (P, L, U, P, P)) \
    STATUS(5, clGetDeviceInfo, (P, U, Z, P, P)) \
    STATUS(1, clRetainDevice, (P)) \
    STATUS(1, clReleaseDevice, (P)) \
    CREATE(6, clCreateContext, (P, U, P, P, P, P)) \
    CREATE(5, clCreateContextFromType, (P, L, P, P, P)) \
    STATUS(1, clRetainContext, (P)) \
    STATUS(1, clReleaseContext, (P)) \
    STATUS(5, clGetContextInfo, (P, U, Z, P, P)) \
    CREATE(4, clCreateCommandQueue, (P, P, L, P)) \
    STATUS(1, clRetainCommandQueue, (P)) \
    STATUS(1, clReleaseCommandQueue, (P)) \
    STATUS(5, clGetCommandQueueInfo, (P, U, Z, P, P)) \
    CREATE(5, clCreateBuffer, (P, L, Z, P, P)) \
    CREATE(5, clCreateSubBuffer, (P, L, U, P, P)) \
    CREATE(6, clCreateImage, (P, L, P, P, P, P)) \
    STATUS(1, clRetainMemObject, (P)) \
    STATUS(1, clReleaseMemObject, (P)) \
    STATUS(6, clGetSupportedImageFormats, (P, L, U, U, P, P)) \
    STATUS(5, clGetMemObjectInfo, (P, U, Z, P, P)) \
    STATUS(5, clGetImageInfo, (P, U, Z, P, P)) \
    CREATE(5, clCreateSampler, (P, U, U, U, P)) \
    STATUS(1, clRetainSampler, (P)) \
    STATUS(1, clReleaseSampler, (P)) \
    STATUS(5, clGetSamplerInfo, (P, U, Z, P, P)) \
    CREATE(5, clCreateProgramWithSource, (P, U, P, P, P)) \
    CREATE(7, clCreateProgramWithBinary, (P, U, P, P, P, P, P)) \
    STATUS(1, clRetainProgram, (P)) \
    STATUS(1, clReleaseProgram, (P)) \
    STATUS(6, clBuildProgram, (P, U, P, P, P, P)) \
    STATUS(9, clCompileProgram, (P, U, P, P, U, P, P, P, P)) \
    CREATE(9, clLinkProgram, (P, U, P, P, U, P, P, P, P)) \
    STATUS(5, clGetProgramInfo, (P, U, Z, P, P)) \
    STATUS(6, clGetProgramBuildInfo, (P, P, U, Z, P, P)) \
    CREATE(3, clCreateKernel, (P, P, P)) \
    STATUS(1, clRetainKernel, (P)) \
    STATUS(1, clReleaseKernel, (P)) \
    STATUS(4, clSetKernelArg, (P, U, Z, P)) \
    STATUS(5, clGetKernelInfo, (P, U, Z, P, P)) \
    STATUS(6, clGetKernelArgInfo, (P, U, U, Z, P, P)) \
    STATUS(6, clGetKernelWorkGroupInfo, (P, P, U, Z, P, P)) \
    STATUS(2, clWaitForEvents, (U, P)) \
    STATUS(5, clGetEventInfo, (P, U, Z, P, P)) \
    CREATE(2, clCreateUserEvent, (P, P)) \
    STATUS(1, clRetainEvent, (P)) \
    STATUS(1, clReleaseEvent, (P)) \
    STATUS(2, clSetUserEventStatus, (P, I)) \
    STATUS(4, clSetEventCallback, (P, I, P, P)) \
    STATUS(5, clGetEventProfilingInfo, (P, U, Z, P, P)) \
    STATUS(1, clFlush, (P)) \
    STATUS(1, clFinish, (P)) \
    STATUS(9, clEnqueueReadBuffer, (P, P, U, Z, Z, P, U, P, P)) \
    STATUS(14, clEnqueueReadBufferRect, (P, P, U, P, P, P, Z, Z, Z, Z, P, U, P, P)) \
    STATUS(9, clEnqueueWriteBuffer, (P, P, U, Z, Z, P, U, P, P)) \
    STATUS(14, clEnqueueWriteBufferRect, (P, P, U, P, P, P, Z, Z, Z, Z, P, U, P, P)) \
    STATUS(9, clEnqueueFillBuffer, (P, P, P, Z, Z, Z, U, P, P)) \
    STATUS(9, clEnqueueCopyBuffer, (P, P, P, Z, Z, Z, U, P, P)) \
    STATUS(13, clEnqueueCopyBufferRect, (P, P, P, P, P, P, Z, Z, Z, Z, U, P, P)) \
    STATUS(11, clEnqueueReadImage, (P, P, U, P, P, Z, Z, P, U, P, P)) \
    STATUS(11, clEnqueueWriteImage, (P, P, U, P, P, Z, Z, P, U, P, P)) \
    STATUS(8, clEnqueueFillImage, (P, P, P, P, P, U, P, P)) \
    STATUS(9, clEnqueueCopyImage, (P, P, P, P, P, P, U, P, P)) \
    STATUS(9, clEnqueueCopyImageToBuffer, (P, P, P, P, P, Z, U, P, P)) \
    STATUS(9, clEnqueueCopyBufferToImage, (P, P, P, Z, P, P, U, P, P)) \
    CREATE(10, clEnqueueMapBuffer, (P, P, U, L, Z, Z, U, P, P, P)) \
    CREATE(12, clEnqueueMapImage, (P, P, U, L, P, P, P, P, U, P, P, P)) \
    STATUS(6, clEnqueueUnmapMemObject, (P, P, P, U, P, P)) \
    STATUS(7, clEnqueueMigrateMemObjects, (P, U, P, L, U, P, P)) \
    STATUS(9, clEnqueueNDRangeKernel, (P, P, U, P, P, P, U, P, P)) \
    STATUS(5, clEnqueueTask, (P, P, U, P, P)) \
    STATUS(4, clEnqueueMarkerWithWaitList, (P, U, P, P)) \
    STATUS(4, clEnqueueBarrierWithWaitList, (P, U, P, P)) \
    OBJECT(2, clGetExtensionFunctionAddressForPlatform, (P, P)) \
    CREATE(4, clCreateFromGLBuffer, (P, L, U, P)) \
    CREATE(6, clCreateFromGLTexture, (P, L, U, I, U, P)) \
    CREATE(4, clCreateFromGLRenderbuffer, (P, L, U, P)) \
    STATUS(6, clEnqueueAcquireGLObjects, (P, U, P, U, P, P)) \
    STATUS(6, clEnqueueReleaseGLObjects, (P, U, P, U, P, P)) \
    STATUS(5, clGetGLContextInfoKHR, (P, U, Z, P, P)) \
    CREATE(6, clCreateFromGLTexture2D, (P, L, U, I, U, P)) \
    CREATE(6, clCreateFromGLTexture3D, (P, L, U, I, U, P))

/* The parameter list and the argument list of a function with n arguments. */
#define PARAMETERS_1(t1) (t1 a1)
#define PARAMETERS_2(t1, t2) (t1 a1, t2 a2)
#define PARAMETERS_3(t1, t2, t3) (t1 a1, t2 a2, t3 a3)
#define PARAMETERS_4(t1, t2, t3, t4) (t1 a1, t2 a2, t3 a3, t4 a4)
#define PARAMETERS_5(t1, t2, t3, t4, t5) (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5)
#define PARAMETERS_6(t1, t2, t3, t4, t5, t6) (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6)
#define PARAMETERS_7(t1, t2, t3, t4, t5, t6, t7) (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7)
#define PARAMETERS_8(t1, t2, t3, t4, t5, t6, t7, t8) (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8)
#define PARAMETERS_9(t1, t2, t3, t4, t5, t6, t7, t8, t9) (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9)
#define PARAMETERS_10(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10) \
    (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10)
#define PARAMETERS_11(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11) \
    (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11)
#define PARAMETERS_12(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12) \
    (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11, t12 a12)
#define PARAMETERS_13(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13) \
    (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11, t12 a12, t13 a13)
#define PARAMETERS_14(t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14) \
    (t1 a1, t2 a2, t3 a3, t4 a4, t5 a5, t6 a6, t7 a7, t8 a8, t9 a9, t10 a10, t11 a11, t12 a12, t13 a13, t14 a14)
#define ARGUMENTS_1 (a1)
#define ARGUMENTS_2 (a1, a2)
#define ARGUMENTS_3 (a1, a2, a3)
#define ARGUMENTS_4 (a1, a2, a3, a4)
#define ARGUMENTS_5 (a1, a2, a3, a4, a5)
#define ARGUMENTS_6 (a1, a2, a3, a4, a5, a6)
#define ARGUMENTS_7 (a1, a2, a3, a4, a5, a6, a7)
#define ARGUMENTS_8 (a1, a2, a3, a4, a5, a6, a7, a8)
#define ARGUMENTS_9 (a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define ARGUMENTS_10 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define ARGUMENTS_11 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define ARGUMENTS_12 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)
#define ARGUMENTS_13 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13)
#define ARGUMENTS_14 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14)
#define LAST_2 a2
#define LAST_3 a3
#define LAST_4 a4
#define LAST_5 a5
#define LAST_6 a6
#define LAST_7 a7
#define LAST_9 a9
#define LAST_10 a10
#define LAST_12 a12

#ifdef _WIN32
typedef HMODULE library_t;
#else
typedef void *library_t;
#endif
typedef void (*function_t)(void);

static library_t library = NULL;

/* The reason why the library could not be opened; empty if it was opened. */
static char failure[512] = "";

/* The real functions: null until `load` has run, and afterwards if the library has no such function. */
#define DECLARE(result, n, name, types) static result(CL_CALL *real_##name) types = NULL;
#define DECLARE_STATUS(n, name, types) DECLARE(I, n, name, types)
#define DECLARE_OBJECT(n, name, types) DECLARE(P, n, name, types)
FUNCTIONS(DECLARE_STATUS, DECLARE_OBJECT, DECLARE_OBJECT)

#ifdef _WIN32

static int open_library(const char *name) {
    /* A bare name is looked up in the system's folder only: the current folder and those in PATH may hold a stranger's
     * library. A path must be a full one, and the libraries that the named one needs may lie beside it. */
    const int is_path = strpbrk(name, "\\/:") != NULL;
    library = LoadLibraryExA(name, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32 | (is_path ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0));
    if (library == NULL) {
        snprintf(failure, sizeof failure, "%s: error %lu", name, (unsigned long)GetLastError());
    }
    return library != NULL;
}

static function_t find(const char *name) { return (function_t)GetProcAddress(library, name); }

#else

static int open_library(const char *name) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason != NULL ? reason : name);
    }
    return library != NULL;
}

static function_t find(const char *name) {
    /* ISO C has no conversion from an object's address to a function's; POSIX promises that they look alike. */
    union {
        void *object;
        function_t function;
    } address;
    address.object = dlsym(library, name);
    return address.function;
}

#endif

static void load(void) {
#ifdef _WIN32
    static const char *const usual[] = {"OpenCL.dll"};
#else
    static const char *const usual[] = {"libOpenCL.so.1", "libOpenCL.so"};
#endif
    const char *chosen = getenv("KOGGE_OPENCL_LIBRARY");
    if (chosen != NULL && chosen[0] != '\0') {
        open_library(chosen);
    } else {
        size_t i = 0;
        while (i < sizeof usual / sizeof usual[0] && !open_library(usual[i])) {
            i++;
        }
    }
    if (library == NULL) {
        return;
    }
    failure[0] = '\0';
#define FIND(result, n, name, types) real_##name = (result(CL_CALL *) types)find(#name);
#define FIND_STATUS(n, name, types) FIND(I, n, name, types)
#define FIND_OBJECT(n, name, types) FIND(P, n, name, types)
    FUNCTIONS(FIND_STATUS, FIND_OBJECT, FIND_OBJECT)
}

/* Loads the library on the first call of any thread; the other threads wait. */
#ifdef _WIN32
static BOOL CALLBACK load_callback(PINIT_ONCE once, PVOID parameter, PVOID *context) {
    (void)once, (void)parameter, (void)context;
    load();
    return TRUE;
}
static void ensure_loaded(void) {
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, load_callback, NULL, NULL);
}
#else
static void ensure_loaded(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}
#endif

/* The error of a function that cannot be forwarded. */
static I unavailable(void) { return library != NULL ? CL_INVALID_OPERATION : CL_PLATFORM_NOT_FOUND_KHR; }

/* Returns null if the library is open, else the system's reason why it is not. */
const char *kogge_opencl_failure(void) {
    ensure_loaded();
    return library != NULL ? NULL : failure;
}

#define FORWARD_STATUS(n, name, types) \
    I CL_CALL name PARAMETERS_##n types { \
        ensure_loaded(); \
        return real_##name != NULL ? real_##name ARGUMENTS_##n : unavailable(); \
    }
#define FORWARD_CREATE(n, name, types) \
    P CL_CALL name PARAMETERS_##n types { \
        ensure_loaded(); \
        if (real_##name != NULL) { \
            return real_##name ARGUMENTS_##n; \
        } \
        if (LAST_##n != NULL) { \
            *(I *)LAST_##n = unavailable(); \
        } \
        return NULL; \
    }
#define FORWARD_OBJECT(n, name, types) \
    P CL_CALL name PARAMETERS_##n types { \
        ensure_loaded(); \
        return real_##name != NULL ? real_##name ARGUMENTS_##n : NULL; \
    }
FUNCTIONS(FORWARD_STATUS, FORWARD_CREATE, FORWARD_OBJECT)
