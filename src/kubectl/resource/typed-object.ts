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

async function schemeKind({
  apiVersion = "",
  kind,
}: Pick<DynamicObject, "apiVersion" | "kind">): Promise<Kind> {
  // Loaded on use: the declarations of all kinds would double the time that every command takes to start.
  const { kinds } = await import("../../api/kinds.generated.ts");
  const { group, version } = parseApiVersion(apiVersion);
  const found = kinds.find(
    (one) => one.group === group && one.version === version && one.kind === kind,
  );
  if (found && schemeGroups.has(apiVersion)) return found;
  throw new Error(
    `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "k8s.io/kubectl/pkg/scheme/scheme.go:28"`,
  );
}

/** The API groups with versions that the original's scheme has, as far as they still exist. */
const schemeGroups: ReadonlySet<string> = new Set([
  "v1",
  "admissionregistration.k8s.io/v1",
  "admissionregistration.k8s.io/v1beta1",
  "apps/v1",
  "authentication.k8s.io/v1",
  "authorization.k8s.io/v1",
  "autoscaling/v1",
  "autoscaling/v2",
  "batch/v1",
  "certificates.k8s.io/v1",
  "certificates.k8s.io/v1beta1",
  "networking.k8s.io/v1",
  "policy/v1",
  "rbac.authorization.k8s.io/v1",
  "storage.k8s.io/v1",
  "storage.k8s.io/v1alpha1",
  "storage.k8s.io/v1beta1",
]);
