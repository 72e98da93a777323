# Two estimates of spatstat for one pattern of the unit square: Rscript truth.R events side out, called by truth.c.
# events has x and y of an event in each line. Written are the kernel estimate of likelihood bandwidth with Diggle's
# edge correction, and the adaptive kernel estimate: each at side x side midpoints, x running fastest, and then at
# the events.
suppressPackageStartupMessages(library(spatstat))
arg <- commandArgs(TRUE)
xy <- as.matrix(read.table(arg[1]))
side <- as.integer(arg[2])
p <- ppp(xy[, 1], xy[, 2], c(0, 1), c(0, 1))
h <- bw.ppl(p)
adaptive <- function(...) densityAdaptiveKernel(p, ...)
write(c(t(density(p, sigma = h, dimyx = side, diggle = TRUE, positive = TRUE)$v),
        density(p, sigma = h, at = "points", leaveoneout = FALSE, diggle = TRUE, positive = TRUE),
        t(adaptive(dimyx = side)$v), adaptive(at = "points")), arg[3], ncolumns = 1)
