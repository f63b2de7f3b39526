/* Rust's standard library takes random bytes from this library of Windows, which Wine 8 lacks. For tests only; kogge ships no copy. */
__declspec(dllimport) unsigned char SystemFunction036(void *bytes, unsigned long length);

__declspec(dllexport) int ProcessPrng(unsigned char *bytes, unsigned long long length) {
    return SystemFunction036(bytes, (unsigned long)length);
}
