/* For the suites of the closed forms. */
#ifndef SNEPPP_TEST_PAIR_H
#define SNEPPP_TEST_PAIR_H
/* One entry of the Gram matrix by the function of its pair, where sneppp_gram may take a tile. */
SNEPPP__UNUSED static sneppp_status one_pair(const sneppp_window *win, const sneppp_layer *layer, int i, int j, double *k)
{
   sneppp__plan  plan;
   sneppp__pair  p;
   int           unit[2];
   sneppp_status st = sneppp__plan_make(&plan, win, 0, layer, 0, 0, NULL);
   if (st != SNEPPP_OK) return st;
   sneppp__plan_pair(&plan, i < j ? i : j, i < j ? j : i, &p, unit);
   *k = sneppp__pair_value(&p, NULL);
   return SNEPPP_OK;
}
#endif
