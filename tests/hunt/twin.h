/* The other precision, behind functions whose types do not depend on it: descriptions are double in both. */
#ifndef HUNT_TWIN_H
#define HUNT_TWIN_H
#include <stddef.h>

/* Loads a saved model and evaluates it: intensities at x (points, D) and the expected number. 0: done; 1: a point fell
   outside its window when it was rounded, or the model cannot be had; nothing can be compared. */
int twin_ask(const void *saved, size_t bytes, const double *x, size_t points, int D, double *lambda,
             double *count);

/* Makes a model from a sneppp_desc and fits it to events x (count, D), weight (count) or NULL, by a sneppp_method. */
int twin_fit(const void *desc, const double *x, size_t count, const double *weight, int D, int method,
             double *nll, double *gap, double *expected);
#endif
