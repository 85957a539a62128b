import type { Description } from "../description.ts";

interface Term {
  readonly level: number;
  readonly requirements: readonly {
    /** The key and the operator. */
    readonly start: string;
    readonly values?: readonly string[] | undefined;
  }[];
}

/** The requirements of a term that selects nodes, one a line. */
export function termLines(d: Description, title: string, { level, requirements }: Term): void {
  d.write(`${title}:\t`, level);
  if (requirements.length === 0) d.line("<none>");
  for (const [at, { start, values = [] }] of requirements.entries()) {
    if (at > 0) d.write("\t", level);
    d.line(values.length === 0 ? start : `${start} [${values.join(", ")}]`);
  }
}
