/** Reads labels as `KEY=VALUE,KEY=VALUE`, in the words of commands that make objects. */
export function parseLabelSpec(text: string): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const spec of text.split(",")) {
    const [key = "", value, ...others] = spec.split("=");
    if (value === undefined || others.length > 0) throw new Error(`unexpected label spec: ${spec}`);
    if (key === "") throw new Error("unexpected empty label key");
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}

/** The same text for labels of an object. */
export const labelSpec = (labels: Readonly<Record<string, string>> = {}): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
