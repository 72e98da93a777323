/* The shared library, for other languages: the header as it is, what writes models as C source, and a function that says
   where the fields of its structs lie, so that a binding need not guess what a compiler did. `make shared` builds it.
      cc -O2 -fPIC -shared -o libsneppp.so examples/python/library.c -lm -lpthread */
#define SNEPPP_PTHREADS
#define SNEPPP_IMPLEMENTATION
#include "../../sneppp.h"
#include "../export.h"

extern sneppp_status sneppp_export_c(const sneppp_model *model, const char *name,
                                     int (*write)(const char *text, size_t bytes, void *user), void *user, sneppp_error *err);
sneppp_status sneppp_export_c(const sneppp_model *model, const char *name,
                              int (*write)(const char *text, size_t bytes, void *user), void *user, sneppp_error *err)
{
   return export_model(model, name, write, user, err);
}

typedef struct sneppp_field {
   const char *name;         /* "sneppp_desc.width", or "sneppp_desc" for a whole struct                             */
   char        kind;         /* i, u: integers with and without a sign; d: double; p: pointer; c: text; s: a struct  */
   size_t      offset, size; /* bytes from the start of the struct, and of the field or, if it is a list, all of it  */
} sneppp_field;

/* The rows of the table from 0 on; NULL behind the last. */
extern const sneppp_field *sneppp_layout(size_t index);

#define WHOLE(type)             {#type, 's', 0, sizeof(type)}
#define FIELD(type, kind, name) {#type "." #name, kind, offsetof(type, name), sizeof(((type *)0)->name)}

const sneppp_field *sneppp_layout(size_t index)
{
   static const sneppp_field table[] = {
      WHOLE(sneppp_error), FIELD(sneppp_error, 'i', status), FIELD(sneppp_error, 'u', event), FIELD(sneppp_error, 'c', why),
      WHOLE(sneppp_parallel), FIELD(sneppp_parallel, 'p', run), FIELD(sneppp_parallel, 'p', user),
      WHOLE(sneppp_window), FIELD(sneppp_window, 'i', space), FIELD(sneppp_window, 'i', dim), FIELD(sneppp_window, 'd', lo),
      FIELD(sneppp_window, 'd', hi), FIELD(sneppp_window, 'd', centre), FIELD(sneppp_window, 'd', radius),
      FIELD(sneppp_window, 'u', count), FIELD(sneppp_window, 'p', ends), FIELD(sneppp_window, 'u', rings),
      FIELD(sneppp_window, 'p', ring_size), FIELD(sneppp_window, 'p', xy),
      WHOLE(sneppp_factor), FIELD(sneppp_factor, 's', window), FIELD(sneppp_factor, 'i', unit.act),
      WHOLE(sneppp_desc), FIELD(sneppp_desc, 's', factor), FIELD(sneppp_desc, 'i', readout), FIELD(sneppp_desc, 'i', width),
      FIELD(sneppp_desc, 'i', rank), FIELD(sneppp_desc, 'u', seed),
      WHOLE(sneppp_region), FIELD(sneppp_region, 'p', factor),
      WHOLE(sneppp_events), FIELD(sneppp_events, 'p', x), FIELD(sneppp_events, 'u', count), FIELD(sneppp_events, 'p', weight),
      WHOLE(sneppp_fit_desc), FIELD(sneppp_fit_desc, 'p', events), FIELD(sneppp_fit_desc, 'u', realisations),
      FIELD(sneppp_fit_desc, 'i', method), FIELD(sneppp_fit_desc, 'u', steps), FIELD(sneppp_fit_desc, 'd', tol),
      FIELD(sneppp_fit_desc, 'd', eps1), FIELD(sneppp_fit_desc, 'd', eps2), FIELD(sneppp_fit_desc, 'd', trace),
      FIELD(sneppp_fit_desc, 'd', floor), FIELD(sneppp_fit_desc, 'u', batch), FIELD(sneppp_fit_desc, 'd', rate),
      FIELD(sneppp_fit_desc, 'i', schedule), FIELD(sneppp_fit_desc, 'd', holdout), FIELD(sneppp_fit_desc, 'i', tune),
      FIELD(sneppp_fit_desc, 'u', seed), FIELD(sneppp_fit_desc, 'd', resolution), FIELD(sneppp_fit_desc, 's', parallel),
      WHOLE(sneppp_report), FIELD(sneppp_report, 'i', method), FIELD(sneppp_report, 'i', ending), FIELD(sneppp_report, 'u', events),
      FIELD(sneppp_report, 'u', step), FIELD(sneppp_report, 'u', steps), FIELD(sneppp_report, 'd', nll),
      FIELD(sneppp_report, 'd', held_out), FIELD(sneppp_report, 'd', gap), FIELD(sneppp_report, 'd', gradient),
      FIELD(sneppp_report, 'd', expected), FIELD(sneppp_report, 'd', seconds), FIELD(sneppp_report, 'i', width),
      FIELD(sneppp_report, 'i', rank), FIELD(sneppp_report, 'u', copies), FIELD(sneppp_report, 'u', rounded),
      WHOLE(sneppp_model), FIELD(sneppp_model, 's', desc), FIELD(sneppp_model, 'i', factors), FIELD(sneppp_model, 'i', D),
      FIELD(sneppp_model, 'i', n), FIELD(sneppp_model, 'd', alpha), FIELD(sneppp_model, 'd', floor),
      WHOLE(sneppp_sure), FIELD(sneppp_sure, 'd', mean), FIELD(sneppp_sure, 'd', lower), FIELD(sneppp_sure, 'd', upper),
      FIELD(sneppp_sure, 'd', error), FIELD(sneppp_sure, 'u', count_lower), FIELD(sneppp_sure, 'u', count_upper),
      WHOLE(sneppp_place), FIELD(sneppp_place, 'i', shape), FIELD(sneppp_place, 'p', within), FIELD(sneppp_place, 'i', factor),
      FIELD(sneppp_place, 'd', tol), FIELD(sneppp_place, 'd', lon), FIELD(sneppp_place, 'd', lat), FIELD(sneppp_place, 'd', radius),
      FIELD(sneppp_place, 'd', west), FIELD(sneppp_place, 'd', east), FIELD(sneppp_place, 'd', south), FIELD(sneppp_place, 'd', north),
      WHOLE(sneppp_sample_desc), FIELD(sneppp_sample_desc, 'p', region), FIELD(sneppp_sample_desc, 'u', count),
      FIELD(sneppp_sample_desc, 'u', seed),
      WHOLE(sneppp_sample_info), FIELD(sneppp_sample_info, 'u', count), FIELD(sneppp_sample_info, 'd', expected)};
   return index < sizeof table / sizeof *table ? &table[index] : NULL;
}
