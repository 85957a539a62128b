import type { Toleration } from "../../../api/core/v1/scheduling/toleration.ts";

/**
 * All tolerations but those that another one makes needless; of equal ones the first stays.
 *
 *     {key: a, operator: Exists, effect: NoSchedule}, {key: a, operator: Exists}  →  the second
 */
export function mergeTolerations(
  first: readonly Toleration[],
  second: readonly Toleration[],
): readonly Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    const isNeedless =
      merged.some((kept) => covers(kept, one)) ||
      all.slice(i + 1).some((later) => !isSame(later, one) && covers(later, one));
    if (!isNeedless) merged.push(one);
  }
  return merged;
}

/** Whether every toleration is one of those that are allowed, or less than one of them. */
export const areWithin = (
  tolerations: readonly Toleration[],
  allowed: readonly Toleration[],
): boolean => tolerations.every((one) => allowed.some((wide) => covers(wide, one)));

/** Whether one toleration tolerates all that another does. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isSame(wide, narrow)) return true;
  const { key = "", operator = "", effect = "" } = wide;
  const isOfAllKeys = key === "" && operator === "Exists";
  if ((narrow.key ?? "") !== key && !isOfAllKeys) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && isShorter(wide, narrow)) return false;
  if (operator === "Exists") return true;
  const isEqual = operator === "Equal" || operator === "";
  return isEqual && narrow.operator === "Equal" && (narrow.value ?? "") === (wide.value ?? "");
}

const isShorter = ({ tolerationSeconds }: Toleration, other: Toleration): boolean =>
  tolerationSeconds !== undefined &&
  (other.tolerationSeconds === undefined || other.tolerationSeconds > tolerationSeconds);

const isSame = (a: Toleration, b: Toleration): boolean =>
  a.tolerationSeconds === b.tolerationSeconds &&
  (["key", "operator", "value", "effect"] as const).every(
    (field) => (a[field] ?? "") === (b[field] ?? ""),
  );
