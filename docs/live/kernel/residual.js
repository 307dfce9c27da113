/* The residual simulator: the twin of experiments/residual.py, equal to the last bit.
   One seed's matrices are drawn once for 128 sublayers and kept: gain only scales them, N only moves start and direction. */
(function (course) {
  "use strict";
  const D = 32;
  const SIZE = D * D;
  const N_MAX = 128;
  const { tanh, normals } = course.prng;
  let drawn = null; // { seed, z }

  function draw(seed) {
    if (!drawn || drawn.seed !== seed) drawn = { seed, z: normals(seed, 0, 2 * N_MAX * SIZE + 2 * D) };
    return drawn.z;
  }

  function length(x) {
    let m = 0;
    for (const v of x) m = Math.max(m, Math.abs(v));
    if (m === 0) return 0;
    let total = 0;
    for (const v of x) {
      const r = v / m;
      total += r * r;
    }
    return m * Math.sqrt(total);
  }

  /* rows @ x, each sum from left to right; `at` is where the matrix begins in z */
  function times(z, at, x) {
    const out = new Float64Array(D);
    for (let i = 0; i < D; i++) {
      let total = 0;
      for (let j = 0; j < D; j++) total += z[at + i * D + j] * x[j];
      out[i] = total;
    }
    return out;
  }

  /* columns @ x: the same sums for the transposed matrix */
  function timesColumns(z, at, x) {
    const out = new Float64Array(D);
    for (let i = 0; i < D; i++) for (let j = 0; j < D; j++) out[j] += z[at + i * D + j] * x[i];
    return out;
  }

  /* Array.map on typed arrays is several times slower. */
  function map(x, f) {
    const out = new Float64Array(D);
    for (let i = 0; i < D; i++) out[i] = f(x[i], i);
    return out;
  }

  function simulate(setting) {
    const z = draw(setting.seed);
    const forth = forward(setting, z);
    const gradients = backward(setting, z, forth);
    const rmsCurve = forth.stream.map((x) => length(x) / Math.sqrt(D));
    const end = length(gradients[setting.n]);
    const gradientCurve = gradients.map((g) => length(g) / end);
    return { ratio: gradientCurve[0], rms: rmsCurve[setting.n], rmsCurve, gradientCurve };
  }

  function forward({ n, gain, residual, norm, scale }, z) {
    const c = gain / Math.sqrt(D);
    const s = scale ? 1 / Math.sqrt(n) : 1;
    const start = z.subarray(2 * n * SIZE, 2 * n * SIZE + D);
    const first = length(start) / Math.sqrt(D);
    let x = map(start, (v) => v / first);
    const forth = { stream: [x], inputs: [], hidden: [] };
    for (let k = 0; k < n; k++) {
      const size = norm ? length(x) / Math.sqrt(D) : 1;
      const y = norm ? map(x, (v) => v / size) : x;
      const h = map(times(z, 2 * k * SIZE, y), (v) => tanh(c * v));
      const f = map(times(z, (2 * k + 1) * SIZE, h), (v) => s * (c * v));
      x = residual ? map(x, (v, i) => v + f[i]) : f;
      forth.stream.push(x);
      forth.inputs.push([y, size]);
      forth.hidden.push(h);
    }
    return forth;
  }

  function backward({ n, gain, residual, norm, scale }, z, forth) {
    const c = gain / Math.sqrt(D);
    const s = scale ? 1 / Math.sqrt(n) : 1;
    let g = z.subarray(2 * n * SIZE + D, 2 * n * SIZE + 2 * D);
    const gradients = [g];
    for (let k = n - 1; k >= 0; k--) {
      const h = forth.hidden[k];
      const back = timesColumns(z, (2 * k + 1) * SIZE, g);
      const inner = map(back, (b, i) => s * (c * b) * (1 - h[i] * h[i]));
      let into = map(timesColumns(z, 2 * k * SIZE, inner), (v) => c * v);
      if (norm) into = normBackward(into, ...forth.inputs[k]);
      g = residual ? map(g, (a, i) => a + into[i]) : into;
      gradients.push(g);
    }
    return gradients.reverse();
  }

  function normBackward(into, y, size) {
    let total = 0;
    for (let i = 0; i < D; i++) total += into[i] * y[i];
    const mean = total / D;
    return map(into, (a, i) => (a - y[i] * mean) / size);
  }

  course.residual = { D, N_MAX, draw, length, simulate };
})((globalThis.course = globalThis.course || {}));
