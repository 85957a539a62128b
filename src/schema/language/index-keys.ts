/**
 * JavaScript puts keys that look like whole numbers first, whatever the order in which they were
 * set. Once a map with such a key was seen, objects are looked through for them when written.
 */
let indexKeys = false;
export const sawIndexKeys = (): boolean => indexKeys;

/** Notes a key of a map that comes from outside. */
export function noteKey(key: string): void {
  if (isIndex(key)) indexKeys = true;
}

/** Whether a key looks like a whole number. */
export function isIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57 && /^(0|[1-9]\d*)$/.test(key);
}
