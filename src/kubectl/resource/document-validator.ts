import { decodeResponse } from "../../client/decode-response.ts";
import { parseApiVersion } from "../../client/discovery/server-apis.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { isMap } from "../../schema/json/json-value.ts";
import type { Factory } from "../factory/factory.ts";
import { type OpenapiDocument, type OpenapiKind, patchOperation } from "../factory/openapi-v3.ts";
import { ErrorList, joinedErrors } from "../program/command-error.ts";
import { helper } from "./helper.ts";

/** Checks a document of a manifest before it becomes an object. */
export type ValidateDocument = (value: unknown) => Promise<void>;

/**
 * Checks that the server validates fields itself, which servers do for all kinds that they patch; undefined if fields
 * are not validated at all. What the server will say is not anticipated.
 */
export function documentValidator(
  factory: Factory,
  validation: "Strict" | "Warn" | "Ignore",
): ValidateDocument | undefined {
  const check = fieldCheck(factory, validation);
  if (!check) return undefined;
  return async (value) => {
    try {
      await check(value);
    } catch (error) {
      throw new Error(`error validating data: ${messageOf(error as Error)}; ${advice}`, {
        cause: error,
      });
    }
  };
}

/** The same check with plain errors, for documents that come from no file. */
export function fieldCheck(
  factory: Factory,
  validation: "Strict" | "Warn" | "Ignore",
): ValidateDocument | undefined {
  if (validation === "Ignore") return undefined;
  const hasSupport = fieldValidationSupport(factory);
  return async (value) => {
    const supported = await hasSupport(kindOfDocument(value));
    if (!supported && validation === "Strict") checkRepeatedItems(value);
  };
}

const advice = "if you choose to ignore these errors, turn validation off with --validate=false";

const messageOf = (error: Error): string =>
  error instanceof ErrorList && error.errors.length > 1
    ? `[${error.errors.map(({ message }) => message).join(", ")}]`
    : error.message;

function kindOfDocument(value: unknown): OpenapiKind {
  if (!isMap(value)) throw new Error("invalid object to validate");
  const { apiVersion, kind } = value;
  const errors: Error[] = [];
  if (apiVersion === undefined || apiVersion === null) errors.push(new Error("apiVersion not set"));
  else if (typeof apiVersion !== "string") errors.push(new Error("apiVersion isn't string type"));
  else if (apiVersion.split("/").length > 2)
    errors.push(new Error(`unexpected GroupVersion string: ${apiVersion}`));
  if (kind === undefined || kind === null) errors.push(new Error("kind not set"));
  else if (typeof kind !== "string") errors.push(new Error("kind isn't string type"));
  const error = joinedErrors(errors);
  if (error) throw error;
  return { ...parseApiVersion(String(apiVersion)), kind: String(kind) };
}

/** A list of other objects must at least have items. */
function checkRepeatedItems(value: unknown): void {
  const { apiVersion, kind, items } = value as Readonly<Record<string, unknown>>;
  if (apiVersion === "v1" && kind === "List" && !Array.isArray(items))
    throw new Error("invalid object to validate");
}

const parameter = "fieldValidation";

/** Finds out by its OpenAPI documents whether the server validates the fields of a kind. */
function fieldValidationSupport(factory: Factory): (kind: OpenapiKind) => Promise<boolean> {
  let customKinds: Promise<ReadonlySet<string>> | undefined;
  const isCustom = async ({ group, kind }: OpenapiKind): Promise<boolean> => {
    customKinds ??= listCustomKinds(factory);
    return (await customKinds).has(`${kind}.${group}`);
  };
  const inDocument = (document: OpenapiDocument, kind: OpenapiKind): boolean => {
    const operation = patchOperation(document, kind);
    if (!operation)
      throw new UnknownKindError(
        `Path not found for GVK (${kind.group}/${kind.version}, Kind=${kind.kind}) in OpenAPI V3 doc`,
      );
    return (operation.parameters ?? []).some((one) => one.name === parameter && one.in === "query");
  };
  const byVersion3 = async (kind: OpenapiKind): Promise<boolean> => {
    const openapi = await factory.openapi();
    const document = await openapi.document(kind);
    if (document) return inDocument(document, kind);
    if (!(await isCustom(kind).catch(() => false))) return false;
    const core = await openapi.document({ group: "", version: "v1" });
    return core !== undefined && inDocument(core, { group: "", version: "v1", kind: "Namespace" });
  };
  return async (kind) => {
    if (kind.group === "" && kind.version === "v1" && kind.kind === "List") return false;
    try {
      return await byVersion3(kind);
    } catch (error) {
      // The older document has the same parameters; a server without both is unreachable.
      await requestVersion2(factory);
      return error instanceof UnknownKindError && !isScale(kind) ? isCustom(kind) : true;
    }
  };
}

/** The one kind that the older document finds at the paths of other kinds. */
const isScale = ({ group, kind }: OpenapiKind): boolean =>
  group === "autoscaling" && kind === "Scale";

class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

const definitions = dynamicKind({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  scope: "Cluster",
});

async function listCustomKinds(factory: Factory): Promise<ReadonlySet<string>> {
  const list = await helper(await factory.client(), definitions).list("");
  const items = (list.items ?? []) as readonly {
    readonly spec?: { readonly group?: string; readonly names?: { readonly kind?: string } };
  }[];
  return new Set(items.map(({ spec }) => `${spec?.names?.kind}.${spec?.group}`));
}

async function requestVersion2(factory: Factory): Promise<void> {
  try {
    const client = await factory.client();
    const response = await client.raw({
      method: "GET",
      path: "/openapi/v2",
      query: { timeout: "32s" },
      headers: { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" },
    });
    if (response.status >= 300) await decodeResponse(response);
    else for await (const _ of response.bytes());
  } catch (error) {
    throw new Error(`failed to download openapi: ${(error as Error).message}`, { cause: error });
  }
}
