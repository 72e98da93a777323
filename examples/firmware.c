/* cc -Os -o firmware examples/firmware.c -lm && ./firmware
   A learned map in a small device: the model is a constant in flash, float, without malloc, files or fitting code.
   `make size` prints what it takes on a Cortex-M. The model was made, on a large machine, by

      cc -O2 -DFIRMWARE_MAKE -o make_model examples/firmware.c -lm && ./make_model < examples/data/bei.csv > examples/firmware_model.h

   which fits the 3604 trees of examples/data/bei.csv (1000 m x 500 m) with at most 32 features. */
#define SNEPPP_REAL_FLOAT
#ifndef FIRMWARE_MAKE
   #define SNEPPP_INFERENCE_ONLY
   #define SNEPPP_STATIC
   #define SNEPPP_MAX_DIM     2
   #define SNEPPP_MAX_FACTORS 1
   #define SNEPPP_MAX_WIDTH   32
#endif
#define SNEPPP_IMPLEMENTATION
#include "../sneppp.h"

#ifdef FIRMWARE_MAKE
#include "export.h"
static int print(const char *text, size_t bytes, void *user) { return fwrite(text, 1, bytes, (FILE *)user) != bytes; }

int main(void)
{
   static float    xy[2 * 10000];
   char            line[200];
   sneppp_events   events = { .x = xy };
   sneppp_desc     desc = { .width = 32, .factor = {{ .window = { .dim = 2, .hi = { 1000, 500 } } }} };
   sneppp_fit_desc fit = { .events = &events };
   sneppp_model    model;
   sneppp_error    err;
   while (events.count < 10000 && fgets(line, sizeof line, stdin))
      if (sscanf(line, "%f , %f", &xy[2 * events.count], &xy[2 * events.count + 1]) == 2) events.count++;
   if (sneppp_init(&model, &desc, &err) != SNEPPP_OK || sneppp_fit(&model, &fit, NULL, &err) != SNEPPP_OK ||
       export_model(&model, "firmware_model", print, stdout, &err) != SNEPPP_OK) {
      fprintf(stderr, "%s\n", err.why);
      return 1;
   }
   sneppp_free(&model);
   return 0;
}
#else
#include "firmware_model.h"

/* What a device would call: trees per hectare at a place in metres. 0 outside the map. */
float trees_per_hectare(float east, float north);
float trees_per_hectare(float east, float north)
{
   const float x[2] = { east, north };
   return 10000 * sneppp_intensity(&firmware_model, x);
}

#ifndef FIRMWARE_NO_MAIN /* the rest is for the desk: a device has no printf */
#include <stdio.h>
int main(void)
{
   printf("trees per hectare, from a model of %d features and %u bytes of struct\n\n north\n", firmware_model.n,
          (unsigned)sizeof firmware_model);
   for (int north = 450; north >= 50; north -= 100) {
      printf("%5d m ", north);
      for (int east = 50; east < 1000; east += 100) printf("%7.1f", (double)trees_per_hectare((float)east, (float)north));
      printf("\n");
   }
   printf("   east ");
   for (int east = 50; east < 1000; east += 100) printf("%7d", east);
   printf(" m\n\noutside the map: %.1f\n", (double)trees_per_hectare(-1, 20));
   return 0;
}
#endif
#endif
