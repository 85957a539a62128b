import { parseApiVersion } from "../../client/discovery/server-apis.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import { decodeJson } from "../../schema/json/decode.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import type { Kind } from "../../schema/language/kind.ts";
import { canonicalise } from "../../schema/language/normalise.ts";
import type { Shape } from "../../schema/language/shape.ts";
import { quote } from "../../schema/values/quote.ts";

/**
 * An object as the original's commands with Go types see it: only declared fields, in the order of the struct, with
 * zero values as Go writes them. Throws for kinds that the original's scheme does not have.
 */
export async function typedObject(object: DynamicObject): Promise<DynamicObject> {
  const { struct } = await schemeKind(object);
  const { value } = decodeJson(struct, stringifyJson(object));
  return canonicalise(struct, value) as DynamicObject;
}

/** How strategic merge patches merge such objects. */
export async function typedShape(object: DynamicObject): Promise<Shape> {
  const { shapeOf } = await import("../../schema/language/shape.ts");
  return shapeOf((await schemeKind(object)).struct);
}

/** The same for a kind; undefined if the original's scheme does not have it. */
export async function typedShapeOf(kind: KindName): Promise<Shape | undefined> {
  const { shapeOf } = await import("../../schema/language/shape.ts");
  const found = await findSchemeKind(kind);
  return found && shapeOf(found.struct);
}

type KindName = Pick<Kind, "group" | "version" | "kind">;

async function findSchemeKind({ group, version, kind }: KindName): Promise<Kind | undefined> {
  if (otherGroups.has(group)) return undefined;
  // Loaded on use: the declarations of all kinds would double the time that every command takes to start.
  const { kinds } = await import("../../api/kinds.generated.ts");
  return kinds.find((one) => one.group === group && one.version === version && one.kind === kind);
}

async function schemeKind({
  apiVersion = "",
  kind,
}: Pick<DynamicObject, "apiVersion" | "kind">): Promise<Kind> {
  const found = await findSchemeKind({ ...parseApiVersion(apiVersion), kind });
  if (found) return found;
  throw unregisteredKind(kind, apiVersion);
}

/** The scheme of most commands, as errors name it. */
export const kubectlScheme = "k8s.io/kubectl/pkg/scheme/scheme.go:28";

/** The error of a kind that a scheme of the original does not have. */
export const unregisteredKind = (
  kind: string,
  apiVersion: string,
  scheme: string = kubectlScheme,
): Error =>
  new Error(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`,
  );

/** Throws for objects of groups that the original has no Go types of. */
export function requireKnownGroup(
  { apiVersion = "", kind }: Pick<DynamicObject, "apiVersion" | "kind">,
  scheme: string,
): void {
  if (!knownGroup.test(parseApiVersion(apiVersion).group))
    throw unregisteredKind(kind, apiVersion, scheme);
}

/** The groups of the client's schemes: without those of definitions and of other API servers. */
const knownGroup =
  /^(|apps|autoscaling|batch|extensions|policy|(admissionregistration|authentication|authorization|certificates|coordination|discovery|events|(flowcontrol|internal)\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage|storagemigration)\.k8s\.io)$/;

/** Built-in kinds of groups that the original's scheme does not have. */
const otherGroups: ReadonlySet<string> = new Set([
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
]);
