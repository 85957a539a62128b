/** Whether an object has all labels of a filter. */
export const hasLabels = (
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>> | undefined,
): boolean =>
  wanted === undefined ||
  Object.entries(wanted).every(
    ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
  );
