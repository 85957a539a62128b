import type { Kind } from "../schema/kind.ts";
import { apiVersionOf } from "../schema/kind.ts";

/** What is switched on and off: `api/all`, `api/beta`, `batch/v1`, `resource.k8s.io/v1beta1/deviceclasses`. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/** The kinds that are served: stable ones, and what the configuration says, the finest word winning. */
export function servedKinds(kinds: readonly Kind[], config: RuntimeConfig): Kind[] {
  return kinds.filter((kind) => {
    const version = apiVersionOf(kind);
    const words = [
      `${version}/${kind.plural}`,
      version,
      `api/${kind.stability === "stable" ? "ga" : kind.stability}`,
      "api/all",
    ];
    const decided = words.find((word) => Object.hasOwn(config, word));
    return decided === undefined ? kind.stability === "stable" : config[decided];
  });
}

/**
 * Reads `--runtime-config`: `group/version[/resource]` or `api/all|ga|beta|alpha`, each with `=true`
 * or `=false`. Throws where a word names nothing that there is.
 */
export function parseRuntimeConfig(
  pairs: Readonly<Record<string, string>>,
  kinds: readonly Kind[],
): RuntimeConfig {
  const config: Record<string, boolean> = {};
  const known = new Set(["api/all", "api/ga", "api/beta", "api/alpha"]);
  for (const kind of kinds) {
    known.add(apiVersionOf(kind));
    known.add(`${apiVersionOf(kind)}/${kind.plural}`);
  }
  for (const [word, value] of Object.entries(pairs)) {
    if (!known.has(word))
      throw new Error(
        `unknown API ${word} in --runtime-config: give group/version, group/version/resource, or api/all, api/ga, api/beta, api/alpha`,
      );
    if (value !== "true" && value !== "false" && value !== "")
      throw new Error(`invalid value ${word}=${value} in --runtime-config: give true or false`);
    config[word] = value !== "false";
  }
  return config;
}
