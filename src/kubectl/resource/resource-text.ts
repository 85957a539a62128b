import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";

type Names = Pick<DiscoveredKind, "group" | "version" | "plural">;

/** A resource as Go prints it in errors: `apps/v1, Resource=deployments`. */
export const versionedResource = ({ group, version, plural }: Names): string =>
  `${group}/${version}, Resource=${plural}`;
