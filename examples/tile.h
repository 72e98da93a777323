/* Tiles of a planar map, the same whatever was asked for before, with levels of detail: a map that is never stored.

   The process is the sum of depth + 1 independent ones, its layers, of intensities
      lambda 4^-depth,  3 lambda 4^-depth,  12 lambda 4^-depth, ...,  3/4 lambda,
   so that layers 0..l together have 4^(l - depth) lambda. Layer l is drawn tile by tile of level l, each tile from a
   stream of its own. A tile of level L is the part of layers 0..min(L, depth) that lies in it: its own points of layer L,
   and those of its ancestors that fall into it. So a tile's points are among those of its children, which add layer
   L + 1; tiles of one level are independent, because parts of a Poisson process are; and tiles of level `depth` and finer
   ones hold all points. A tile holds about as many points of its layer whatever the level, and a look at the whole plane
   costs no more than one at a corner of it: choose a depth at which tiles hold some dozens. A point that is on the border
   of two tiles belongs to that of the larger coordinates. */
#ifndef TILE_H
#define TILE_H
#ifndef SNEPPP_H /* yours, wherever it is, if it was included before */
#include "../sneppp.h"
#endif
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct tile_desc {   /* one of the 2^level x 2^level tiles of a planar box              */
   int      depth, level;    /* 0..28                                                           */
   uint32_t ix, iy;          /* along the two axes, from 0                                      */
   uint64_t seed;            /* all tiles of a seed belong to one realisation                   */
   void    *mem;             /* optional block of sneppp_sample_bytes(model, NULL, cap)         */
   size_t   mem_bytes;
} tile_desc;

static void tile_box(const sneppp_window *win, int level, const uint32_t *at, sneppp_window *box)
{
   memset(box, 0, sizeof *box);
   box->dim = 2;
   for (int r = 0; r < 2; r++) { /* a power of two divides without rounding */
      double side = win->hi[r] - win->lo[r];
      box->lo[r] = win->lo[r] + ldexp((double)at[r], -level) * side;
      box->hi[r] = (uint64_t)at[r] + 1 == (uint64_t)1 << level ? win->hi[r]
                                                               : win->lo[r] + ldexp((double)at[r] + 1, -level) * side;
   }
}

static sneppp_status tile_fail(sneppp_error *err, sneppp_status status, const char *format, ...)
{
   va_list list;
   if (!err) return status;
   va_start(list, format);
   err->status = status, err->event = 0;
   vsnprintf(err->why, sizeof err->why, format, list);
   va_end(list);
   return status;
}

/* The points of a tile into x (cap, 2), those of its ancestors first. Layers are drawn there before what lies outside is
   thrown away, so that x has room for a layer's points at a time. ERR_SIZE: info->count would have been needed so far. */
static sneppp_status tile_sample(const sneppp_model *model, const tile_desc *tile, sneppp_real *x, size_t cap,
                                 sneppp_sample_info *info, sneppp_error *err)
{
   const sneppp_window *win;
   sneppp_sample_info   own;
   sneppp_window        all, box;
   sneppp_region        region;
   sneppp_sample_desc   how;
   sneppp_status        st = SNEPPP_OK;
   size_t               have = 0, drawn = 0, tried = 0;
   uint32_t             at[2];
   int                  last;
   if (!info) info = &own;
   memset(info, 0, sizeof *info), memset(&region, 0, sizeof region), memset(&how, 0, sizeof how);
   if (!model || !model->factors || !tile)
      return tile_fail(err, SNEPPP_ERR_ARG, "the tile is NULL, or the model is or was never made");
   win = &model->desc.factor[0].window;
   if (model->factors > 1 || win->space != SNEPPP_SPACE_BOX || win->dim != 2)
      return tile_fail(err, SNEPPP_ERR_ARG, "tiles are for models of one planar box");
   if (tile->depth < 0 || tile->depth > 28)
      return tile_fail(err, SNEPPP_ERR_ARG, "depth = %d must be 0..28", tile->depth);
   if (tile->level < 0 || tile->level > 28)
      return tile_fail(err, SNEPPP_ERR_ARG, "level = %d must be 0..28", tile->level);
   if (tile->ix >> tile->level || tile->iy >> tile->level)
      return tile_fail(err, SNEPPP_ERR_ARG, "tile (%lu, %lu) is outside the level, which has %.0f a side",
                       (unsigned long)tile->ix, (unsigned long)tile->iy, ldexp(1, tile->level));
   at[0] = tile->ix, at[1] = tile->iy;
   tile_box(win, tile->level, at, &all);
   region.factor[0] = &box;
   last = tile->level < tile->depth ? tile->level : tile->depth;
   for (int l = 0; l <= last; l++) {
      sneppp_rng rng;
      double     edge[4];
      size_t     end;
      at[0] = tile->ix >> (tile->level - l), at[1] = tile->iy >> (tile->level - l);
      tile_box(win, l, at, &box);
      for (int r = 0; r < 2; r++) { /* only edges within the ancestor cut: what it drew on its own border stays */
         edge[2 * r] = all.lo[r] > box.lo[r] ? all.lo[r] : -1e300;
         edge[2 * r + 1] = all.hi[r] < box.hi[r] ? all.hi[r] : 1e300;
      }
      sneppp_rng_init(&rng, tile->seed, (uint64_t)l << 58 | (uint64_t)at[0] << 29 | at[1]);
      how.region = &region, how.rng = &rng, how.mem = tile->mem, how.mem_bytes = tile->mem_bytes;
      how.scale = ldexp(l ? 0.75 : 1, 2 * (l - tile->depth));
      st = sneppp_sample(model, &how, x ? x + 2 * have : x, cap - have, info, err);
      end = have + info->count, drawn += info->count, tried += info->candidates;
      if (st == SNEPPP_ERR_SIZE) {
         info->count = end;
         return tile_fail(err, st, "layer %d of the tile needs room for %.0f points; with a larger depth there are fewer",
                          l, (double)end);
      }
      if (st != SNEPPP_OK) return st;
      for (size_t i = have; i < end; i++) {
         double u = (double)x[2 * i], v = (double)x[2 * i + 1];
         if (u >= edge[0] && u < edge[1] && v >= edge[2] && v < edge[3]) memmove(x + 2 * have++, x + 2 * i, 2 * sizeof *x);
      }
      info->expected *= l ? 4.0 / 3 : 1; /* of layers 0 .. l */
   }
   if (last < tile->level) { /* its mean: a point without room for it needs no memory but the block */
      region.factor[0] = &all, how.count = 1, how.scale = 0, how.rng = NULL;
      st = sneppp_sample(model, &how, NULL, 0, info, NULL);
      if (st != SNEPPP_ERR_SIZE) return tile_fail(err, st, "the expected number of the tile cannot be computed");
      st = SNEPPP_OK;
   }
   info->count = have, info->candidates = tried;
   info->acceptance = tried ? (double)drawn / (double)tried : 1;
   return st;
}
#endif
