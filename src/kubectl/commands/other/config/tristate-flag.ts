import { boolFlag, type Flag } from "../../../../cli/flag.ts";

/** A flag that is true, false, or was not given. */
export function tristateFlag(usage: string): Flag<boolean | undefined> {
  const { read, ...flag } = boolFlag({ usage });
  return { ...flag, default: undefined, read: (text) => read(text, undefined) };
}
