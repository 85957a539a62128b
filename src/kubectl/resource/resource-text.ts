import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";

type Names = Pick<DiscoveredKind, "group" | "version" | "plural">;

/** A resource as Go prints it in errors: `"apps/v1, Resource=deployments"`. */
export const quoteResource = ({ group, version, plural }: Names): string =>
  `"${group}/${version}, Resource=${plural}"`;

/** The group and version of a resource, as in `apiVersion`. */
export const groupVersionOf = (kind: Pick<Names, "group" | "version">): string =>
  apiVersionOf(kind);
