import type { At } from "../../../../../schema/language/report.ts";

/** A rule that asks for these fields and for nothing else. */
export const requiredFields =
  <T>(...names: readonly (keyof T & string)[]) =>
  (value: T, at: At): void => {
    for (const name of names) {
      const given = value[name] as string | readonly unknown[] | null | undefined;
      if (!given || given.length === 0) at.required(name);
    }
  };
