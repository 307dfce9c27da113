/* The normalizations of experiments/norms.py, with the same bits. Without eps a zero vector gives NaN: there is no answer. */
(function (course) {
  "use strict";

  function mean(x) {
    const unit = unitOf(x);
    let total = 0;
    for (const v of x) total += v / unit;
    return (total / x.length) * unit;
  }

  function rootMeanSquare(x, eps = 0) {
    const [unit, size] = sizeOf(x, eps);
    return unit * size;
  }

  function rmsNorm(x, eps = 0, gain) {
    const [unit, size] = sizeOf(x, eps);
    return x.map((v, i) => (v / unit / size) * (gain ? gain[i] : 1));
  }

  function zeroCenteredRmsNorm(x, w, eps = 1e-6) {
    return rmsNorm(x, eps, w.map((v) => 1 + v));
  }

  function layerNorm(x, eps = 0, gain, shift) {
    const mu = mean(x);
    const centered = rmsNorm(x.map((v) => v - mu), eps, gain);
    return centered.map((v, i) => v + (shift ? shift[i] : 0));
  }

  function batchNorm(batch, eps = 0) {
    const columns = batch[0].map((_, j) => {
      const column = batch.map((row) => row[j]);
      const mu = mean(column);
      const centered = column.map((v) => v - mu);
      const [unit, size] = sizeOf(centered, eps);
      return centered.map((v) => (size ? v / unit / size : 0));
    });
    return batch.map((_, i) => columns.map((column) => column[i]));
  }

  function sizeOf(x, eps) {
    const unit = eps ? Math.max(unitOf(x), unitOf([Math.sqrt(eps)])) : unitOf(x);
    let total = 0;
    for (const v of x) {
      const r = v / unit;
      total += r * r;
    }
    return [unit, Math.sqrt(total / x.length + eps / unit / unit)];
  }

  /* Any power of two near the largest element will do: the division is exact. */
  function unitOf(x) {
    let m = 0;
    for (const v of x) m = Math.max(m, Math.abs(v));
    return m ? 2 ** Math.max(Math.floor(Math.log2(m)), -1022) : 1;
  }

  course.norms = { mean, rootMeanSquare, rmsNorm, zeroCenteredRmsNorm, layerNorm, batchNorm };
})((globalThis.course = globalThis.course || {}));
