import type { ApiResource, ServerApis } from "./server-apis.ts";

/** A resource whose names are derived from its kind, unless others are given. */
export function apiResource(
  at: string,
  kind: string,
  other: Partial<ApiResource> = {},
): ApiResource {
  const [group = "", version = ""] = at.includes("/") ? at.split("/") : ["", at];
  const singular = kind.toLowerCase();
  return {
    group,
    version,
    kind,
    plural: `${singular}s`,
    singular,
    scope: "Namespaced",
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
    shortNames: [],
    categories: [],
    subresources: [],
    ...other,
  };
}

/** The APIs of a server with these resources; groups and versions in order of first appearance. */
export function serverApis(
  resources: readonly ApiResource[],
  preferred: Readonly<Record<string, string>> = {},
): ServerApis {
  const versions = new Map<string, Set<string>>();
  for (const { group, version } of resources)
    versions.set(group, (versions.get(group) ?? new Set()).add(version));
  return {
    groups: [...versions].map(([name, found]) => ({
      name,
      versions: [...found],
      preferredVersion: preferred[name] ?? [...found][0] ?? "",
    })),
    resources,
    failures: new Map(),
    isFromCache: false,
  };
}
