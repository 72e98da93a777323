/* Macros that windows.h and what it includes define under names that a C programmer might choose for a variable. A file
   that includes windows.h first must still be able to include sneppp.h. The system's headers come before them, as
   they do on Windows, where they know these macros. */
#include <assert.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef SNEPPP_PTHREADS
   #include <pthread.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
   #include <immintrin.h>
#endif
#define near
#define far
#define small char
#define hyper long
#define pascal
#define cdecl
#define interface struct
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define rad1 0x0420
#define rad2 0x0421
#define stc1 0x0440
#define lst1 0x0460
#define scr1 0x0490
#define IN
#define OUT
#define OPTIONAL
#define NEAR
#define FAR
#define CONST const
#define VOID void
#define PASCAL
#define CALLBACK
#define STRICT 1
#define ERROR 0
#define NO_ERROR 0
#define TRUE 1
#define FALSE 0
#define DELETE 0x00010000L
#define INFINITE 0xFFFFFFFFu
#define IGNORE 0
#define ABSOLUTE 1
#define RELATIVE 2
#define OPAQUE 2
#define TRANSPARENT 1
#define DIFFERENCE 11
#define THIS void
