import type { EnvVar } from "../../../cri/runtime-types.ts";

const defaultPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

interface EnvSources {
  readonly tty: boolean;
  readonly hostname: string;
  /** `NAME=VALUE` each. */
  readonly image: readonly string[];
  readonly container: readonly EnvVar[];
}

/** The environment of a container of a pod: its own variables win over the image's, and these over the defaults. */
export function processEnv({ tty, hostname, image, container }: EnvSources): readonly string[] {
  return mergeEnv(
    [defaultPath, ...(tty ? ["TERM=xterm"] : []), `HOSTNAME=${hostname}`],
    [...image, ...container.map(({ name, value }) => `${name}=${value}`)],
  );
}

/** Replaces variables at their place, appends others, and removes those that are given without a value. */
export function mergeEnv(
  defaults: readonly string[],
  overrides: readonly string[],
): readonly string[] {
  const env = new Map(defaults.map((entry) => [nameOf(entry), entry]));
  for (const entry of overrides) {
    if (entry.includes("=")) env.set(nameOf(entry), entry);
    else env.delete(entry);
  }
  return [...env.values()];
}

function nameOf(entry: string): string {
  return entry.split("=", 1)[0] ?? "";
}
