/* What weight decay alone does to a gain; the twin of experiments/decay.py. */
(function (course) {
  "use strict";

  function power(base, exponent) {
    let result = 1;
    while (exponent > 0) {
      if (exponent % 2 === 1) result = result * base;
      base = base * base;
      exponent = Math.floor(exponent / 2);
    }
    return result;
  }

  function storedGain(g0, steps, lr, decay) {
    return g0 * power(1 - lr * decay, steps);
  }

  function zeroCenteredGain(g0, steps, lr, decay) {
    return 1 + (g0 - 1) * power(1 - lr * decay, steps);
  }

  function curves(g0, steps, lr, decay) {
    return {
      stored: steps.map((t) => storedGain(g0, t, lr, decay)),
      zeroCentered: steps.map((t) => zeroCenteredGain(g0, t, lr, decay)),
    };
  }

  course.decay = { power, storedGain, zeroCenteredGain, curves };
})((globalThis.course = globalThis.course || {}));
