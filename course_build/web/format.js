/* Numbers as text: the twin of course_build/value.py, digit for digit.

   course.format(value, spec)        a number by a display rule such as ".3g" or ",d"; RangeError for a bad rule or a value
                                     that is not finite (text and true / false are not shown here)
   course.formatVector(values, spec) "[1, 2, 3, 6]" */
(function (course) {
  "use strict";
  const SHORT = 4;
  const SPEC = /^(\+)?(,)?(?:\.(\d{1,3}))?([fg%ed万亿])$/;
  const SHIFT = { "%": 2, 万: -4, 亿: -8 };
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  function parse(spec) {
    const found = SPEC.exec(spec);
    const digits = found && found[3] !== undefined ? Number(found[3]) : null;
    const bad = !found || digits > 20 || (found[4] === "f" && digits === null) || (found[4] === "g" && digits === 0);
    if (bad || (found[4] === "d" && digits !== null)) throw new RangeError(`display rule ${spec} is not understood`);
    return { sign: found[1], thousands: found[2], digits, kind: found[4] };
  }

  /* Exact decimal digits of size >= 0, rounded to `count` significant ones, ties away from zero: size = 0.d1d2… × 10^(e + 1). */
  function significant(size, count) {
    if (count <= 100) {
      const [mantissa, exponent] = size.toExponential(count - 1).split("e");
      return { digits: mantissa.replace(".", ""), e: Number(exponent) };
    }
    const whole = BigInt(size); // so large a number is whole
    const over = String(whole).length - count;
    if (over <= 0) return { digits: String(whole).padEnd(count, "0"), e: String(whole).length - 1 };
    const digits = String((whole + 5n * 10n ** BigInt(over - 1)) / 10n ** BigInt(over));
    return { digits, e: digits.length - 1 + over };
  }

  /* Digits and exponent as plain notation with `decimals` places. */
  function plain({ digits, e }, decimals) {
    const text = e < 0 ? "0".repeat(-e) + digits : digits.padEnd(e + 1, "0");
    const whole = Math.max(e, 0) + 1;
    return decimals > 0 ? `${text.slice(0, whole)}.${text.slice(whole).padEnd(decimals, "0").slice(0, decimals)}` : text.slice(0, whole);
  }

  function fixed(size, decimals, shift) {
    if (size === 0) return plain({ digits: "0", e: 0 }, decimals);
    const e = significant(size, 40).e; // 40 digits: no double rounds up to the next power of ten
    const count = e + shift + decimals + 1;
    if (count > 0) {
      const found = significant(size, count);
      return plain({ digits: found.digits, e: found.e + shift }, decimals);
    }
    const up = count === 0 && significant(size, 40).digits >= "5";
    return plain({ digits: up ? "1" : "0", e: up ? -decimals : 0 }, decimals);
  }

  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

  function short(size, count, shift) {
    if (size === 0) return "0";
    const found = significant(size, count);
    const e = found.e + shift;
    return trimmed(plain({ digits: found.digits, e }, Math.max(count - 1 - e, 0)));
  }

  function power(size, count, keep) {
    if (size === 0) return "0";
    const { digits, e } = significant(size, count);
    const mantissa = plain({ digits, e: 0 }, count - 1);
    const exponent = String(e).replace("-", "⁻").replace(/\d/g, (d) => SUPERSCRIPT[d]);
    return `${keep ? mantissa : trimmed(mantissa)} × 10${exponent}`;
  }

  function magnitude(size, { kind, digits, thousands }) {
    if (kind === "e") return power(size, digits === null ? SHORT : digits + 1, digits !== null);
    const count = digits === null ? SHORT : digits;
    if (kind === "g" && size !== 0) {
      const { e } = significant(size, count);
      if (e < -4 || e >= 16) return power(size, count, false);
    }
    const shift = SHIFT[kind] || 0;
    const free = kind === "g" || (digits === null && kind !== "d");
    const [whole, rest] = (free ? short(size, count, shift) : fixed(size, digits || 0, shift)).split(".");
    const grouped = thousands ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
    return grouped + (rest === undefined ? "" : `.${rest}`) + (shift ? kind : "");
  }

  course.format = function (value, spec) {
    const rule = parse(spec);
    if (typeof value !== "number" || !Number.isFinite(value)) throw new RangeError(`${value} cannot be shown as a number`);
    if (rule.kind === "d" && !Number.isInteger(value)) throw new RangeError(`${value} is not whole, so ${spec} cannot show it`);
    const text = magnitude(Math.abs(value), rule);
    if (!/[1-9]/.test(text.split(" × ")[0])) return text;
    return (value < 0 ? "\u2212" : rule.sign || "") + text;
  };
  course.formatVector = (values, spec) => {
    // An exact zero is `0`, what was rounded to it `0.000`.
    return `[${Array.from(values, (value) => (value === 0 ? "0" : course.format(value, spec))).join(", ")}]`;
  };
})((globalThis.course = globalThis.course || {}));
