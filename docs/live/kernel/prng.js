/* Random numbers and elementary functions with the bits of experiments/prng.py: only + - * / sqrt and 32-bit integers. */
(function (course) {
  "use strict";
  const STEP = 0x6d2b79f5;
  const LN2_HIGH = 6.9314718036912381649e-1;
  const LN2_LOW = 1.90821492927058770002e-10;
  const SQRT_HALF = 0.7071067811865476;
  const LOG = [
    6.66666666666673513e-1, 3.999999999940941908e-1, 2.857142874366239149e-1, 2.222219843214978396e-1,
    1.818357216161805012e-1, 1.531383769920937332e-1, 1.479819860511658591e-1,
  ];
  const TURN = 1.4629180792671596e-9; // 2 pi / 2^32
  const SIN = [
    -1.66666666666666324348e-1, 8.33333333332248946124e-3, -1.98412698298579493134e-4, 2.75573137070700676789e-6,
    -2.50507602534068634195e-8, 1.58969099521155010221e-10,
  ];
  const COS = [
    4.16666666666666019037e-2, -1.38888888888741095749e-3, 2.48015872894767294178e-5, -2.75573143513906633035e-7,
    2.0875723212981748279e-9, -1.13596475577881948265e-11,
  ];
  const TANH_P = [-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3];
  const TANH_Q = [1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3];

  function word(seed, index) {
    const a = (seed + Math.imul(index + 1, STEP)) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = t ^ (t + Math.imul(t ^ (t >>> 7), t | 61));
    return (t ^ (t >>> 14)) >>> 0;
  }

  function logUnit(w) {
    const bits = 32 - Math.clz32(w);
    let m = w / 2 ** bits;
    let k = bits - 32;
    if (m < SQRT_HALF) {
      m = m + m;
      k = k - 1;
    }
    const f = m - 1;
    const s = f / (2 + f);
    const z = s * s;
    const q = z * z;
    const even = q * (LOG[1] + q * (LOG[3] + q * LOG[5]));
    const odd = z * (LOG[0] + q * (LOG[2] + q * (LOG[4] + q * LOG[6])));
    const half = 0.5 * f * f;
    return k * LN2_HIGH - (half - (s * (half + (even + odd)) + k * LN2_LOW) - f);
  }

  function cosTurn(w) {
    const moved = (w + 0x20000000) >>> 0;
    const quarter = moved >>> 30; // the nearest quarter turn
    const x = ((moved & 0x3fffffff) - 0x20000000) * TURN;
    const z = x * x;
    if (quarter & 1) {
      const r = SIN[1] + z * (SIN[2] + z * (SIN[3] + z * (SIN[4] + z * SIN[5])));
      const y = x + z * x * (SIN[0] + z * r);
      return quarter === 1 ? -y : y;
    }
    const r = z * (COS[0] + z * (COS[1] + z * (COS[2] + z * (COS[3] + z * (COS[4] + z * COS[5])))));
    const y = 1 - (0.5 * z - z * r);
    return quarter === 2 ? -y : y;
  }

  function tanh(x) {
    if (x > 20) return 1;
    if (x < -20) return -1;
    const y = x * 0.03125;
    const z = y * y;
    const p = (TANH_P[0] * z + TANH_P[1]) * z + TANH_P[2];
    const q = ((z + TANH_Q[0]) * z + TANH_Q[1]) * z + TANH_Q[2];
    let t = y + y * (z * (p / q));
    for (let i = 0; i < 5; i++) t = (2 * t) / (1 + t * t);
    return t;
  }

  function normal(seed, index) {
    const u = word(seed, 2 * index) || 1; // a word of 0 would have no logarithm
    const v = word(seed, 2 * index + 1);
    return Math.sqrt(-2 * logUnit(u)) * cosTurn(v);
  }

  function normals(seed, start, count) {
    const z = new Float64Array(count);
    for (let i = 0; i < count; i++) z[i] = normal(seed, start + i);
    return z;
  }

  course.prng = { word, logUnit, cosTurn, tanh, normal, normals };
})((globalThis.course = globalThis.course || {}));
