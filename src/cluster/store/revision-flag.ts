import { type Flag, intFlag } from "../../cli/flag.ts";

/** A flag that names a revision; 0 is the current one. */
export function revisionFlag(usage: string): Flag<number> {
  const flag = intFlag({ usage });
  return {
    ...flag,
    read(text, before) {
      const revision = flag.read(text, before);
      if (revision < 0) throw new Error("a revision must not be negative");
      return revision;
    },
  };
}
