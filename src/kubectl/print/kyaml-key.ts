/** Whether a key needs no quotes: it is a plain name, and no reader could take it for another type. */
export function mayBeBare(key: string): boolean {
  if (key === "" || isAmbiguous(key)) return false;
  const chars = [...key];
  return chars.every(
    (char, i) =>
      /[\p{L}\p{N}_]/u.test(char) || (i > 0 && i < chars.length - 1 && /[-./]/.test(char)),
  );
}

const words = new Set(
  "null ~ t f 0 1 true y yes on false n no off .inf -.inf +.inf .nan".split(" "),
);
const integer = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
const float =
  /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)[pP][-+]?\d+|inf(?:inity)?)$|^nan$/i;
const base60 = /^[+-]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp =
  /^\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?:(?:[Tt](?:[01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d))|(?: (?:[01]?\d|2[0-3]):[0-5]?\d:[0-5]?\d(?:[.,]\d+)?))?$/;

function isAmbiguous(key: string): boolean {
  const digits = key.replaceAll("_", "");
  return (
    words.has(key.toLowerCase()) ||
    (integer.test(digits) && fits(digits)) ||
    (float.test(digits) && isInRange(digits)) ||
    base60.test(key) ||
    timestamp.test(key)
  );
}

/** A number that is too large for its type is still a number where it is a float. */
const fits = (digits: string): boolean => {
  const value = BigInt(digits.replace(/^[-+]/, "").replace(/^0(?=[0-7])/, "0o"));
  return value < 1n << 63n;
};

/** Go reads no float from digits that are beyond all floats. */
const isInRange = (digits: string): boolean =>
  !/^[-+]?[\d.]/.test(digits) || /x/i.test(digits) || Number.isFinite(Number(digits));
