import { compareText, mapStrings } from "../values.ts";
import type { Scenario } from "./scenario.ts";
import type { ScenarioRun, SeenObject } from "./scenario-run.ts";

/** Replaces the names and values of a scenario that differ from run to run, in whole values. */
export function masksOf(
  { seen }: ScenarioRun,
  { placement = false }: Scenario,
  nodes: readonly string[],
): (value: unknown) => unknown {
  const objects = [...seen.values()];
  const generated = objects.flatMap(({ object: { metadata } }) => {
    const { name, generateName = "" } = metadata;
    const isGenerated =
      generateName !== "" &&
      name.startsWith(generateName) &&
      name.length === generateName.length + 5;
    return isGenerated ? [[name, `${generateName}<s>`] as const] : [];
  });
  const masked = (placement ? [] : nodes).map((name) => [name, "<node>"] as const);
  const replaced = [
    ...generated.sort(longestFirst),
    ...hashesOf(objects).map((hash, i) => [hash, `<hash${i + 1}>`] as const),
    ...masked.sort(longestFirst),
  ];
  const mask = (text: string) => {
    let result = text;
    for (const [from, to] of replaced) result = result.replaceAll(from, () => to);
    for (const [pattern, to] of patterns) result = result.replaceAll(pattern, to);
    return result;
  };
  return (value) => mapStrings(value, mask);
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uid>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "<time>"],
  [/\b10\.244\.\d+\.\d+\b/g, "<ip>"],
  [/kube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<s>"],
  [/("[a-z0-9.<>-]+-)[a-z0-9]{5}(" is forbidden)/g, "$1<s>$2"],
  [/-\d{8}\b/g, "-<minute>"],
  [/-----BEGIN [A-Z ]+-----[\s\S]*-----END [A-Z ]+-----\n?/g, "<pem>"],
];

const longestFirst = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  b.length - a.length;

/** Template and revision hashes: by owner, in the order in which they appeared. */
function hashesOf(objects: readonly SeenObject[]): readonly string[] {
  const hashes = objects.flatMap(({ resource, object: { metadata }, order }) => {
    const owner = metadata.ownerReferences?.[0]?.name ?? "";
    if (resource === "controllerrevisions") {
      const hash = metadata.name.slice(metadata.name.lastIndexOf("-") + 1);
      return [{ owner: `x/${owner}`, order, hash }];
    }
    const hash = metadata.labels?.["pod-template-hash"];
    return resource === "replicasets" && owner !== "" && hash !== undefined
      ? [{ owner: `replicasets/${owner}`, order, hash }]
      : [];
  });
  hashes.sort((a, b) => compareText(a.owner, b.owner) || a.order - b.order);
  return [...new Set(hashes.map(({ hash }) => hash))];
}
