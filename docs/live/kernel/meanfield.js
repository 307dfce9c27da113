/* Mean-field theory of the simulator with its finite-width band: the twin of experiments/meanfield.py, to 1e-12. */
(function (course) {
  "use strict";
  const Z95 = 1.645;
  const V_MAX = 4;
  const STEP = 0.1;
  const REACH_Z = 9;
  const REACH_U = 20;

  function integrals(s) {
    const h = STEP / Math.max(1, s);
    const reach = Math.min(REACH_Z, REACH_U / s);
    let slope = 0;
    let two = 0;
    let four = 0;
    let eight = 0;
    for (let k = 0; k * h <= reach; k++) {
      const z = k * h;
      const t = course.prng.tanh(s * z);
      const a = 1 - t * t;
      const weight = Math.exp(-0.5 * z * z) * (k === 0 ? 0.5 : 1);
      slope += weight * ((t / s) * (t / s));
      two += weight * a;
      four += weight * (a * a);
      eight += weight * (a * a * a * a);
    }
    const norm = h * 0.7978845608028654;
    const v = s < 1 ? slope * norm : (1 - two * norm) / (s * s);
    return [v, four * norm, eight * norm];
  }

  function theory({ n, gain, residual, norm, scale }) {
    const rho = residual ? 1 : 0;
    const s2 = scale ? 1 / n : 1;
    const g2 = gain * gain;
    const rms = [1];
    const factors = [];
    const spread = [];
    const fixed = norm ? integrals(gain) : null;
    for (let k = 0; k < n; k++) {
      const [v, c, e8] = fixed || integrals(gain * rms[k]);
      const a = (s2 * g2 * g2) / (norm ? rms[k] * rms[k] : 1);
      const chi = a * c;
      factors.push(rho + chi);
      spread.push((4 * rho * chi + chi * chi * (1 + (3 * e8) / (c * c))) / ((rho + chi) * (rho + chi)) / course.residual.D);
      rms.push(rms[k] * Math.sqrt(rho + a * v));
    }
    return curves(rms, factors, spread, residual);
  }

  function curves(rms, factors, spread, residual) {
    const ratio = [1];
    const variance = [0];
    for (let k = factors.length - 1; k >= 0; k--) {
      ratio.unshift(ratio[0] * Math.sqrt(factors[k]));
      variance.unshift(variance[0] + spread[k]);
    }
    const wide = rms.map((r) => (residual ? Z95 * Math.sqrt((1 - 1 / (r * r * r * r)) / (2 * course.residual.D)) : null));
    const median = ratio.map((r, i) => (variance[i] <= V_MAX ? r * Math.exp(-variance[i] / 4) : null));
    const widen = variance.map((v) => Math.exp((Z95 * Math.sqrt(v)) / 2));
    return {
      rms,
      rmsLow: rms.map((r, i) => (wide[i] === null ? null : r * (1 - wide[i]))),
      rmsHigh: rms.map((r, i) => (wide[i] === null ? null : r * (1 + wide[i]))),
      ratio,
      ratioLow: median.map((m, i) => (m === null ? null : m / widen[i])),
      ratioMedian: median,
      ratioHigh: median.map((m, i) => (m === null ? null : m * widen[i])),
    };
  }

  course.meanfield = { integrals, theory };
})((globalThis.course = globalThis.course || {}));
