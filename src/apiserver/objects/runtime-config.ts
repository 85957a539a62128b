import type { Kind } from "../../schema/language/kind.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";

/** Enables and disables versions and resources: `api/all`, `api/beta`, `batch/v1`, `batch/v1/cronjobs`. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

/** The served kinds: stable ones, changed by the configuration, whose most specific entry counts. */
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
 * or `=false`; v1 is the core group's. Throws, with upstream's message, for other entries.
 */
export function parseRuntimeConfig(
  pairs: Readonly<Record<string, string>>,
  kinds: readonly Kind[],
): RuntimeConfig {
  if (pairs["api/all"] === "false" && Object.keys(pairs).length === 1)
    throw new Error("invalid runtime-config with only api/all=false");
  const config: Record<string, boolean> = {};
  const unknown = new Set<string>();
  for (const [word, value] of Object.entries(pairs)) {
    if (word === "api/legacy") continue;
    if (all.includes(word)) {
      if (value !== "true" && value !== "false") throw new Error(`invalid value ${word}=${value}`);
      config[word] = value === "true";
      continue;
    }
    const { group, version, resource } = parseWord(word);
    const versions = versionsOf(kinds, group);
    if (versions.size === 0) unknown.add(`${group}/${version}`);
    else if (!versions.has(version))
      throw new Error(`group version ${group}/${version} that has not been registered`);
    const apiVersion = group === "" ? version : `${group}/${version}`;
    config[resource === undefined ? apiVersion : `${apiVersion}/${resource}`] = isOn(word, value);
  }
  if (unknown.size > 0) throw new Error(`unknown api groups ${[...unknown].sort().join(",")}`);
  return config;
}

const all = ["api/all", "api/ga", "api/beta", "api/alpha"];

const versionsOf = (kinds: readonly Kind[], wanted: string): ReadonlySet<string> =>
  new Set(kinds.flatMap(({ group, version }) => (group === wanted ? [version] : [])));

interface Word {
  readonly group: string;
  readonly version: string;
  readonly resource: string | undefined;
}

function parseWord(word: string): Word {
  const [, core] = /^(?:api\/)?(v1(?:\/.*)?)$/.exec(word) ?? [];
  const parts = (core === undefined ? word : `/${core}`).split("/");
  const [group = "", version = "", resource] = parts;
  if (parts.length < 2 || parts.length > 3) throw new Error(`runtime-config invalid key ${word}`);
  if (resource !== undefined && resource.toLowerCase() !== resource)
    throw new Error(
      `invalid key ${word}: group/version/resource and resource is always lowercase plural, not ${quote(resource)}`,
    );
  return { group, version, resource };
}

/** An entry without a value enables. */
function isOn(word: string, value: string): boolean {
  if (value === "" || /^(1|t|T|TRUE|true|True)$/.test(value)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(value)) return false;
  throw new Error(
    `invalid value of ${word}: ${value}, err: strconv.ParseBool: parsing ${quote(value)}: invalid syntax`,
  );
}
