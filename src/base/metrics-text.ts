import type { MetricDefinition } from "./metrics.ts";

/** A metric whose values were read just now, with its definition. */
export interface ReadFamily extends MetricDefinition {
  readonly type: "counter" | "gauge";
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** When it was measured, in milliseconds since the epoch, if that was not just now. */
  readonly at?: number | undefined;
}

/** Writes metrics in Prometheus' text format 0.0.4, in the order in which they are given; empty ones are left out. */
export const familiesText = (families: readonly ReadFamily[]): string =>
  families
    .filter(({ samples }) => samples.length > 0)
    .map(
      (family) => familyHead(family, family.type) + family.samples.map(sampleText(family)).join(""),
    )
    .join("");

const sampleText =
  ({ name }: ReadFamily) =>
  ({ labels, value, at }: Sample): string => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
    const braces = pairs.length === 0 ? "" : `{${pairs.sort().join(",")}}`;
    // The format has whole milliseconds only; a virtual clock may stand between two.
    const time = at === undefined ? "" : ` ${Math.floor(at)}`;
    return `${name}${braces} ${formatNumber(value)}${time}\n`;
  };

/** The lines before the values of a metric. */
export function familyHead(
  { name, help, stability, deprecated }: MetricDefinition,
  type: string,
): string {
  const since = deprecated ? `(Deprecated since ${deprecated}) ` : "";
  const full = stability ? `[${stability}] ${since}${help}` : help;
  return `# HELP ${name} ${escapeHelp(full)}\n# TYPE ${name} ${type}\n`;
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
/** Escapes the value of a label. */
export const escapeLabel = (text: string): string =>
  /[\\"\n]/.test(text) ? escapeHelp(text).replaceAll('"', '\\"') : text;

/** A number as Go prints it: the shortest form, with an exponent below 0.0001 and from a million on. */
export function formatNumber(value: number): string {
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const power = Number(exponent);
  const sign = power < 0 ? "-" : "+";
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, "0")}`;
}
