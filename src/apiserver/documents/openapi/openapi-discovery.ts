import { string } from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import type { Path } from "./openapi-operation.ts";
import { groupWord, objectTypes, rootOf, title } from "./openapi-paths.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

const text = (description: string) => string(0).always().expected().doc(description);

/** The schema of the response of `/version`. */
export const VersionInfo = struct("io.k8s.apimachinery.pkg.version.Info", {
  major: text("The major version."),
  minor: text("The minor version."),
  emulationMajor: string(0).doc("The major version that is emulated."),
  emulationMinor: string(0).doc("The minor version that is emulated."),
  minCompatibilityMajor: string(0).doc("The oldest major version that it works with."),
  minCompatibilityMinor: string(0).doc("The oldest minor version that it works with."),
  gitVersion: text("The whole version, such as `v1.36.0`."),
  gitCommit: text("The commit it was built from."),
  gitTreeState: text("`clean`, or `dirty` with changes that were not committed."),
  buildDate: text("When it was built."),
  goVersion: text("The language it is written in, and its version."),
  compiler: text("What runs it."),
  platform: text("Operating system and processor."),
}).doc("The version of a server.");

/** The path at which the resources of a version of a group are listed. */
export function resourcesPath(group: string, version: string): Path {
  const word = groupWord(group);
  return discovery(`${rootOf({ group, version })}/`, {
    id: `get${title(word)}${title(version)}APIResources`,
    tag: `${word}_${version}`,
    description: `The resources of ${rootOf({ group, version })}.`,
    schema: `${meta}.APIResourceList`,
  });
}

/** The path at which a group is described. */
export function groupPath(group: string): Path {
  const word = groupWord(group);
  return discovery(`/apis/${group}/`, {
    id: `get${title(word)}APIGroup`,
    tag: word,
    description: `The group ${group} and its versions.`,
    schema: `${meta}.APIGroup`,
  });
}

/** The paths that belong to no group, by the name of their document. */
export const commonPaths: ReadonlyMap<string, Path> = new Map([
  [
    "api",
    discovery("/api/", {
      id: "getCoreAPIVersions",
      tag: "core",
      description: "The versions of the group without a name.",
      schema: `${meta}.APIVersions`,
    }),
  ],
  [
    "apis",
    discovery("/apis/", {
      id: "getAPIVersions",
      tag: "apis",
      description: "The groups and their versions.",
      schema: `${meta}.APIGroupList`,
    }),
  ],
  [
    "version",
    discovery("/version/", {
      id: "getCodeVersion",
      tag: "version",
      description: "The version of the server.",
      schema: VersionInfo.name,
      types: ["application/json"],
    }),
  ],
]);

/** The paths of the issuer of service account tokens, by the name of their document. */
export const openIdMetadataPaths: ReadonlyMap<string, Path> = new Map([
  [
    ".well-known/openid-configuration",
    discovery("/.well-known/openid-configuration/", {
      id: "getServiceAccountIssuerOpenIDConfiguration",
      tag: "WellKnown",
      description: "How the issuer of service account tokens is found and its tokens are verified.",
      consumes: [],
      types: ["application/json"],
    }),
  ],
  [
    "openid/v1/jwks",
    discovery("/openid/v1/jwks/", {
      id: "getServiceAccountIssuerOpenIDKeyset",
      tag: "openid",
      description: "The public keys that verify service account tokens.",
      consumes: [],
      types: ["application/jwk-set+json"],
    }),
  ],
]);

interface DiscoveryOperation {
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** Without one, the response is text. */
  readonly schema?: string;
  readonly types?: readonly string[];
  /** By default the same as `types`. */
  readonly consumes?: readonly string[];
}

function discovery(
  path: string,
  { schema, types = objectTypes, consumes = types, ...operation }: DiscoveryOperation,
): Path {
  const responses = [{ code: 200, schema }] as const;
  return {
    path,
    operations: [
      { ...operation, method: "get", parameters: [], consumes, produces: types, responses },
    ],
  };
}
