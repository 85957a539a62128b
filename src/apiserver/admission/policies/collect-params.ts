import type { ParamKind, ParamRef } from "../../../api/admissionregistration/v1/param.ts";
import { labelSelector } from "../../../schema/selectors/label-selector.ts";
import { convertStored } from "../../objects/conversions.ts";
import type { AnyKind, ApiObject } from "../../objects/object.ts";
import type { ObjectReader } from "../../objects/reader.ts";
import type { Resources } from "../../objects/resources.ts";
import type { Stored } from "../../objects/stored.ts";

export type ParamReader = Pick<ObjectReader, "findCached" | "cacheOf">;

/** The parameters of one binding: each is evaluated on its own, and undefined stands for none. */
export type Params =
  | { readonly params: readonly (ApiObject | undefined)[] }
  | { readonly fault: string };

/** The kind of a policy's parameters; undefined if it has none, or the reason why it is not known. */
export function paramKindOf(
  resources: Pick<Resources, "findVersion">,
  paramKind: ParamKind | undefined,
): AnyKind | undefined | { readonly fault: string } {
  if (!paramKind) return undefined;
  const { apiVersion = "", kind = "" } = paramKind;
  const found = resources.findVersion(apiVersion, kind);
  if (found) return found;
  const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return {
    fault: `failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`,
  };
}

/** Finds the parameters that a binding refers to, for a request in a namespace. */
export async function collectParams(
  reader: ParamReader,
  kind: AnyKind | undefined,
  { ref, namespace }: { readonly ref: ParamRef | undefined; readonly namespace: string },
): Promise<Params> {
  if (!kind || !ref) return { params: [undefined] };
  const isNamespaced = kind.scope === "Namespaced";
  if (isNamespaced && !ref.namespace && namespace === "")
    return {
      fault:
        "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    };
  if (!isNamespaced && ref.namespace)
    return { fault: "paramRef.namespace must not be provided for a cluster-scoped `paramKind`" };
  const params = await read(reader, kind, { ref, namespace: ref.namespace || namespace });
  if (params.length === 0 && ref.parameterNotFoundAction === "Deny")
    return {
      fault: "no params found for policy binding with `Deny` parameterNotFoundAction",
    };
  return { params };
}

async function read(
  reader: ParamReader,
  kind: AnyKind,
  { ref, namespace }: { readonly ref: ParamRef; readonly namespace: string },
): Promise<readonly ApiObject[]> {
  if (ref.name) {
    const found = reader.findCached({ kind, namespace, name: ref.name });
    return found ? objects(kind, [found]) : [];
  }
  const cache = reader.cacheOf(kind);
  const prefix = kind.scope === "Namespaced" ? `${namespace}/` : "";
  const all = await objects(kind, cache?.list(`${cache.prefix}${prefix}`) ?? []);
  const selector = labelSelector(ref.selector);
  return all.filter(({ metadata }) => selector.matches(metadata.labels));
}

async function objects(kind: AnyKind, stored: readonly Stored[]): Promise<readonly ApiObject[]> {
  if (kind.converter) await convertStored(kind, stored);
  return stored.map((each) => each.as(kind).object);
}
