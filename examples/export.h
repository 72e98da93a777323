/* A model as C source, `static const sneppp_model NAME`, for programs without files or malloc (SNEPPP_INFERENCE_ONLY). What
   is written is all that sneppp_model holds; numbers have as many digits as identify them, with a point in every locale.
      export_model(&model, "trees", write, user, &err)
   write gets the text in pieces and returns 0; another answer ends it. Written in the common subset of C99 and C++. */
#ifndef EXPORT_H
#define EXPORT_H
#ifndef SNEPPP_H /* yours, wherever it is, if it was included before */
#include "../sneppp.h"
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct export_source {
   int       (*write)(const char *text, size_t bytes, void *user);
   void       *user;
   const char *name, *part;   /* arrays are called NAME_partF_field, with the number of the factor */
   int         f;
   int         stopped, bad;  /* by the writer; a number is not finite                            */
   size_t      used;
   char        buf[1024];
} export_source;

static void export_flush(export_source *o)
{
   if (!o->stopped && o->write(o->buf, o->used, o->user)) o->stopped = 1;
   o->used = 0;
}

static void export_text(export_source *o, const char *text)
{
   for (; *text; text++) {
      if (o->used == sizeof o->buf) export_flush(o);
      o->buf[o->used++] = *text;
   }
}

/* x to that many digits, as a constant with a point: 17 identify a double, 9 a float. text: 64 characters. */
static const char *export_number(double x, int digits, char *text)
{
   char  raw[64], *to = text;
   int   point = 0;
   snprintf(raw, sizeof raw, "%.*g", digits, x);
   for (const char *c = raw; *c; c++) {
      if (c > raw + 1 && c[-2] == 'e' && *c == '0') continue; /* e-05 */
      if (strchr("0123456789+-", *c)) { *to++ = *c; continue; }
      if (!point) *to++ = '.';               /* whatever the locale has, perhaps in several bytes */
      if (!point && *c == 'e') *to++ = '0';
      if (*c == 'e') *to++ = 'e';
      point = 1;
   }
   *to = 0;
   return point ? text : strcat(text, ".0");
}

/* %d int, %z size_t, %s string; constants of C: %e a double and %r a sneppp_real; %R so many doubles in braces (int,
   const double *); %N the array of a field (const char *), or 0 where there is none (int). */
static void export_put(export_source *o, const char *format, ...)
{
   char    text[64];
   va_list list;
   va_start(list, format);
   for (; *format; format++) {
      text[0] = *format, text[1] = 0;
      if (*format == '%') switch (*++format) {
         case 'd': snprintf(text, sizeof text, "%d", va_arg(list, int)); break;
         case 'z': snprintf(text, sizeof text, "%lu", (unsigned long)va_arg(list, size_t)); break;
         case 's': export_text(o, va_arg(list, const char *)), text[0] = 0; break;
         case 'e': case 'r': {
            const int    narrow = *format == 'r' && sizeof(sneppp_real) == 4;
            const double x = va_arg(list, double);
            uint64_t     bits;
            memcpy(&bits, &x, sizeof bits); /* which -ffast-math does not think away */
            if ((bits >> 52 & 0x7ff) == 0x7ff) o->bad = 1, text[0] = 0;
            else export_number(x, narrow ? 9 : 17, text);
            if (narrow) strcat(text, "f");
            break;
         }
         case 'R': {
            const int     count = va_arg(list, int);
            const double *x = va_arg(list, const double *);
            for (int r = 0; r < count; r++) export_put(o, r ? ", %e" : "{%e", x[r]);
            text[0] = '}';
            break;
         }
         case 'N': {
            const char *field = va_arg(list, const char *);
            text[0] = '0';
            if (va_arg(list, int)) export_put(o, "%s_%s%d_%s", o->name, o->part, o->f, field), text[0] = 0;
            break;
         }
         default: break;
      }
      export_text(o, text);
   }
   va_end(list);
}

/* An array of one of the types that models have. A list that is absent makes nothing here and a 0 in the struct. */
static void export_array(export_source *o, const char *type, const char *field, const void *list, size_t count, int d)
{
   const size_t row = !strcmp(type, "sneppp_wide") ? 4 : !strcmp(type, "sneppp_real") ? 6 : 1;
   if (!list || !count) return;
   export_put(o, "static const %s %N[%z] = {", type, field, 1, count);
   for (size_t i = 0; i < count && !o->stopped; i++) {
      export_put(o, i % row ? " " : "\n   ");
      if (row == 4) export_put(o, "%e", ((const double *)list)[i]);
      else if (row == 6) export_put(o, "%r", (double)((const sneppp_real *)list)[i]);
      else if (!strcmp(type, "size_t")) export_put(o, "%zu", ((const size_t *)list)[i]);
      else if (!strcmp(type, "sneppp_unit")) {
         const sneppp_unit *u = (const sneppp_unit *)list + i;
         export_put(o, "{(sneppp_act)%d, %e, %e}", (int)u->act, u->p, u->q);
      } else {
         const sneppp_node *q = (const sneppp_node *)list + i;
         export_put(o, "{%zu, %zu, %zu, %zu, %e, %R, %R}", q->first, q->count, q->kid, q->from, q->reach2, d, q->lo, d,
                    q->hi);
      }
      export_put(o, i + 1 < count ? "," : "\n};\n");
   }
}

/* The lists of a window, in the order of the struct; then the window itself, which refers to them. */
static void export_lists(export_source *o, const char *part, int f, const sneppp_window *w)
{
   size_t d = (size_t)w->dim, vertices = w->rings ? 0 : w->count,
          cells = w->space == SNEPPP_SPACE_RASTER ? w->cells[0] * (w->dim > 1 ? w->cells[1] : 1) : w->count;
   for (size_t k = 0; k < w->rings; k++) vertices += w->ring_size[k];
   o->part = part, o->f = f;
   export_array(o, "sneppp_wide", "weight", w->weight, cells, 0);
   export_array(o, "sneppp_wide", "mean", w->mean, w->count * d, 0);
   export_array(o, "sneppp_wide", "scale", w->scale, w->count * d, 0);
   export_array(o, "sneppp_wide", "ends", w->ends, 2 * w->count, 0);
   export_array(o, "sneppp_wide", "point", w->point, w->count * d, 0);
   export_array(o, "size_t", "ring_size", w->ring_size, w->rings, 0);
   export_array(o, "sneppp_wide", "xy", w->xy, 2 * vertices, 0);
   export_array(o, "sneppp_wide", "z", w->z, cells * (size_t)w->covariates, 0);
   export_array(o, "sneppp_wide", "tilt", w->tilt, 2 * SNEPPP_BENDS * (size_t)w->covariates, 0);
}

/* Coordinates that the arrays of the struct must have room for: families on the line have two parameters. */
static int export_room(const sneppp_window *w)
{
   return w->dim < 2 && SNEPPP_MAX_DIM > 1 && w->space >= SNEPPP_SPACE_GAMMA ? 2 : w->dim;
}

static void export_window(export_source *o, const char *part, int f, const sneppp_window *w)
{
   o->part = part, o->f = f;
   export_put(o, "      {(sneppp_space)%d, %d, %R, %R, %R, %e, %R, (sneppp_measure)%d, %zu,\n", (int)w->space, w->dim,
              w->dim, w->lo, w->dim, w->hi, w->dim, w->centre, w->radius, export_room(w), w->param, (int)w->measure,
              w->count);
   export_put(o, "       %N, %N, %N, %N, %N, %zu, %N, %N,\n", "weight", w->weight != NULL, "mean", w->mean != NULL,
              "scale", w->scale != NULL, "ends", w->ends != NULL, "point", w->point != NULL, w->rings, "ring_size",
              w->rings > 0, "xy", w->xy != NULL);
   export_put(o, "       %R, %R, {%zu, %zu}, %d, %d, %N, %N},\n", 2, w->origin, 2, w->cell, w->cells[0], w->cells[1],
              w->covariates, w->no_place, "z", w->z != NULL, "tilt", w->tilt != NULL);
}

/* What would make the constants wrong stops the compiler. Larger limits than needed are harmless; of features, only a
   full readout or a mix that is no product holds all at once. */
static void export_guards(export_source *o, const sneppp_model *m)
{
   static const char *const limit[3] = {"DIM", "FACTORS", "WIDTH"};
   const int                narrow = sizeof(sneppp_real) == 4,
                            wide = m->desc.readout == SNEPPP_READOUT_FULL || m->desc.mix != SNEPPP_MIX_PRODUCT;
   int                      least[3];
   least[0] = 1, least[1] = m->factors, least[2] = m->n;
   for (int f = 0; f < m->factors; f++) {
      int room = export_room(&m->desc.factor[f].window);
      if (m->layer[f].d > room) room = m->layer[f].d;
      if (room > least[0]) least[0] = room;
   }
   export_put(o, "/* %s: a model with %d features of %d coordinates, written by examples/export.h of sneppp.h.\n",
              o->name, m->n, m->D);
   export_put(o, "   C99 and C++; include sneppp.h first, and evaluate with sneppp_intensity(&%s, x). */\n", o->name);
   export_put(o, "#ifndef SNEPPP_MODEL_%s\n#define SNEPPP_MODEL_%s\n", o->name, o->name);
   export_put(o, "#if !defined(SNEPPP_VERSION)\n   #error \"%s: include sneppp.h first\"\n", o->name);
   export_put(o, "#elif SNEPPP_VERSION / 100 != %d\n   #error \"%s was exported by another version of sneppp.h: "
              "export it again\"\n", SNEPPP_VERSION / 100, o->name);
   export_put(o, "#elif %sdefined(SNEPPP_REAL_FLOAT)\n   #error \"%s was exported in %s precision: %s "
              "SNEPPP_REAL_FLOAT, or export it in the other\"\n", narrow ? "!" : "", o->name,
              narrow ? "float" : "double", narrow ? "define" : "do not define");
   for (int k = 0; k < 2 + wide; k++)
      export_put(o, "#elif SNEPPP_MAX_%s < %d\n   #error \"%s needs SNEPPP_MAX_%s to be at least %d\"\n", limit[k],
                 least[k], o->name, limit[k], least[k]);
   export_put(o, "#endif\nSNEPPP__CONSTANTS\n\n");
}

static void export_arrays(export_source *o, const sneppp_model *m)
{
   int d = 0;
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      size_t                    n = (size_t)L->n;
      d += L->d;
      export_lists(o, "window", f, &m->desc.factor[f].window);
      export_lists(o, "inside", f, &L->inside);
      o->part = "layer";
      export_array(o, "sneppp_real", "W", L->W, n * (size_t)L->d, 0);
      export_array(o, "sneppp_real", "b", L->b, n, 0);
      export_array(o, "sneppp_real", "width", L->width, n * (size_t)L->d, 0);
      export_array(o, "sneppp_unit", "units", L->units, n, 0);
   }
   for (o->part = "readout", o->f = 0; o->f < m->readouts; o->f++) {
      const sneppp_readout_state *R = &m->readout[o->f];
      export_array(o, "sneppp_real", "V", R->V, (size_t)R->m * (size_t)R->n, 0);
   }
   if (!m->nodes) return;
   o->part = "tree", o->f = 0;
   export_array(o, "sneppp_wide", "centre", m->centre, (size_t)m->n / (size_t)m->desc.group * (size_t)d, 0);
   export_array(o, "sneppp_real", "peak", m->peak, (size_t)m->n, 0);
   export_array(o, "sneppp_real", "sharp", m->sharp, (size_t)m->n, 0);
   if (m->table_top >= 0)
      export_array(o, "sneppp_wide", "table", m->table, (d == 1 ? (size_t)SNEPPP__CHEB : (size_t)SNEPPP__CHEB * SNEPPP__CHEB)
                   << (d * m->table_top + m->table_more[0] + (d == 2 ? m->table_more[1] : 0)), 0);
   export_array(o, "sneppp_node", "node", m->node, m->nodes, d);
}

static void export_struct(export_source *o, const sneppp_model *m)
{
   const sneppp_desc *desc = &m->desc;
   const int          tree = m->nodes > 0;
   export_put(o, "\nstatic const sneppp_model %s = {\n   {0, {\n", o->name);
   for (int f = 0; f < m->factors; f++) {
      const sneppp_factor *x = &desc->factor[f];
      export_put(o, "      {\n");
      export_window(o, "window", f, &x->window);
      o->part = "layer";
      export_put(o, "       {(sneppp_act)%d, %e, %e}, %N, %d, %d, {NULL, NULL, NULL}},\n", (int)x->unit.act, x->unit.p,
                 x->unit.q, "units", m->layer[f].units != NULL, x->width, x->no_bias);
   }
   export_put(o, "   }, (sneppp_mix)%d, (sneppp_readout)%d, %d, %d, %e, (uint64_t)%zu << 32 | %zu, 0, 0, 0, %d, 0, "
              "0},\n   %d, %d, %d, %d, {\n", (int)desc->mix, (int)desc->readout, desc->width, desc->rank, desc->alpha,
              (size_t)(desc->seed >> 32), (size_t)(desc->seed & 0xffffffffu), desc->group, m->factors, m->D, m->n,
              m->readouts);
   for (int f = 0; f < m->factors; f++) {
      const sneppp_layer_state *L = &m->layer[f];
      export_put(o, "      {%d, %d, %d, %d, %R, %R,\n", L->n, L->d, L->D, L->first, L->d, L->shift, L->d, L->rate);
      export_window(o, "inside", f, &L->inside);
      o->part = "layer";
      export_put(o, "       (sneppp_real *)%N, (sneppp_real *)%N, (sneppp_real *)%N, (sneppp_unit *)%N},\n", "W", 1,
                 "b", L->b != NULL, "width", L->width != NULL, "units", L->units != NULL);
   }
   export_put(o, "   }, {");
   for (o->part = "readout", o->f = 0; o->f < m->readouts; o->f++)
      export_put(o, "\n      {%d, %d, %d, (sneppp_real *)%N},", m->readout[o->f].m, m->readout[o->f].n,
                 m->readout[o->f].first, "V", 1);
   o->part = "tree", o->f = 0;
   export_put(o, "\n   }, %e, %e, %d, %d, {%d, %d},\n   (sneppp_node *)%N, %zu, %R, (sneppp_wide *)%N, "
                 "(sneppp_real *)%N, (sneppp_real *)%N, (sneppp_wide *)%N, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}\n};\n"
                 "SNEPPP__CONSTANTS_END\n#endif\n",
              m->alpha, m->floor, m->budget, m->table_top, m->table_more[0], m->table_more[1], "node", tree, m->nodes,
              SNEPPP_RADIAL_DIM, m->metric, "centre", tree, "peak", tree, "sharp", tree, "table",
              tree && m->table_top >= 0);
   export_flush(o);
}

static sneppp_status export_fail(sneppp_error *err, sneppp_status status, const char *why)
{
   if (!err) return status;
   err->status = status, err->event = 0;
   snprintf(err->why, sizeof err->why, "%s", why);
   return status;
}

/* What is wrong with the name of a variable, in C and in C++; NULL: nothing. */
static const char *export_name(const char *name)
{
   static const char reserved[] =
      " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t"
      " class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue"
      " decltype default delete do double dynamic_cast else enum explicit export extern false far float for"
      " friend goto if inline int linux long main mutable namespace near new noexcept not not_eq nullptr"
      " operator or or_eq private protected public register reinterpret_cast requires restrict return short"
      " signed sizeof static static_assert static_cast std struct switch template this thread_local throw true"
      " try typedef typeid typename typeof typeof_unqual union unix unsigned using virtual void volatile wchar_t"
      " while xor xor_eq ";
   size_t length = 0;
   for (; name && name[length] && length < 65; length++) {
      char c = name[length];
      if (c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (!length || c < '0' || c > '9')) break;
   }
   if (!length || length > 64 || name[length]) return "is no name in C: at most 64 letters, digits and _, a letter first";
   if (name[0] == '_' || !strncmp(name, "sneppp_", 7) || !strncmp(name, "SNEPPP_", 7))
      return "is a name of the compiler's or of this header's: choose another";
   for (const char *at = strstr(reserved, name); at; at = strstr(at + 1, name))
      if (at[-1] == ' ' && at[length] == ' ') return "has a meaning of its own in C or C++: choose another name";
   return NULL;
}

static sneppp_status export_model(const sneppp_model *model, const char *name,
                              int (*write)(const char *text, size_t bytes, void *user), void *user, sneppp_error *err)
{
   export_source o;
   char          why[192];
   if (!model || !model->factors) return export_fail(err, SNEPPP_ERR_ARG, "the model is NULL or was never made");
   if (!write) return export_fail(err, SNEPPP_ERR_ARG, "write is NULL");
   for (int f = 0; f < model->factors; f++)
      if (model->desc.factor[f].own.psi)
         return export_fail(err, SNEPPP_ERR_NO_CLOSED_FORM, "a model with features of your own (factor.own) cannot be "
                            "exported: they are code, of which nothing is known");
   if (export_name(name)) {
      snprintf(why, sizeof why, "\"%.70s\" %s", name ? name : "", export_name(name));
      return export_fail(err, SNEPPP_ERR_ARG, why);
   }
   memset(&o, 0, sizeof o);
   o.write = write, o.user = user, o.name = name;
   export_guards(&o, model);
   export_arrays(&o, model);
   export_struct(&o, model);
   if (o.bad)
      return export_fail(err, SNEPPP_ERR_NOT_FINITE, "a parameter of the model is not finite: what was written is not complete");
   return o.stopped ? export_fail(err, SNEPPP_ERR_IO, "the writer returned an error") : SNEPPP_OK;
}
#endif
