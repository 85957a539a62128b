import { isStatus } from "../../client/decode-response.ts";
import type { KubernetesObject, ObjectKey } from "../../client/resource-kind.ts";
import type { TransportRequest } from "../../client/transport.ts";
import { type WrittenPath, writtenPath } from "./written-path.ts";

/** The effect of a call, as far as its response shows it. */
export type OwnWrite = OwnWriteTarget &
  (
    | {
        /** The object has this version now. */
        readonly type: "written";
        readonly key: ObjectKey;
        readonly uid: string;
        readonly resourceVersion: string;
        /** Undefined if the response has another kind, such as Scale. */
        readonly object: KubernetesObject | undefined;
      }
    | {
        /** The object with this uid is gone; undefined if the response does not name a uid. */
        readonly type: "gone";
        readonly key: ObjectKey;
        readonly uid: string | undefined;
        /** The last known write to it: a cache that does not show that write yet cannot show the deletion. */
        readonly last?: OwnWrite | undefined;
      }
    | {
        /** The effect is unknown: there was no response, or one that does not show it. */
        readonly type: "unknown";
        readonly namespace: string | undefined;
        /** Undefined if it may be any object. */
        readonly name: string | undefined;
      }
  );

export interface OwnWriteTarget {
  readonly group: string;
  readonly plural: string;
  /** `create`, `update`, `patch` or `delete`, with the subresource after a slash. */
  readonly verb: string;
}

/** A call that may write; its effect is known from its response, if there is one. */
export interface WriteCall {
  /** The effect that a response shows; undefined if nothing changed. */
  answered(status: number, value: unknown): OwnWrite | undefined;
  /** The effect if there was no response. */
  unanswered(): OwnWrite;
}

/** The write that a request asks for; undefined for a request that writes nothing. */
export function writeCall(request: TransportRequest): WriteCall | undefined {
  const { method, path, query } = request;
  const verb = verbs[method];
  const target = verb && writtenPath(path);
  if (!target || /(?:^|&)dryRun=All(?:&|$)/.test(query)) return undefined;
  const { group, plural, namespace, subresource } = target;
  const name = target.name ?? nameIn(request);
  const isMany = method === "DELETE" && name === undefined;
  const isPart = subresource !== undefined;
  const base = {
    group,
    plural,
    verb: `${verb}${isMany ? "collection" : ""}${isPart ? `/${subresource}` : ""}`,
  };
  const unanswered = (): OwnWrite => ({ ...base, type: "unknown", namespace, name });
  const isSilent = isMany || subresource === "eviction" || subresource === "binding";
  return {
    unanswered,
    answered(status, value) {
      if (status >= 500) return unanswered();
      const isRefused = status >= 400;
      if (method === "DELETE" && name !== undefined) {
        const gone = status === 404 ? { uid: undefined } : isRefused ? undefined : isGone(value);
        const key = { namespace, name };
        if (gone) return { ...base, type: "gone", key, uid: gone.uid, last: undefined };
      }
      if (isRefused) return undefined;
      const written = writtenIn(value, { ...target, base });
      return written ?? (isSilent ? unanswered() : undefined);
    },
  };
}

const verbs: Partial<Record<TransportRequest["method"], string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** The name of the object to create, unless the server generates it. */
function nameIn({ method, body }: TransportRequest): string | undefined {
  if (method !== "POST" || typeof body !== "object" || body instanceof Uint8Array) return undefined;
  return (body as Partial<KubernetesObject>).metadata?.name || undefined;
}

/** The object in a response, with its new version. */
function writtenIn(
  value: unknown,
  { base, namespace, subresource }: WrittenPath & { readonly base: OwnWriteTarget },
): OwnWrite | undefined {
  const answer = value as (KubernetesObject & { readonly items?: unknown }) | undefined;
  const { metadata } = answer ?? {};
  if (answer?.items !== undefined || !metadata?.resourceVersion || !metadata.name) return undefined;
  return {
    ...base,
    type: "written",
    key: { namespace: metadata.namespace ?? namespace, name: metadata.name },
    uid: metadata.uid ?? "",
    resourceVersion: metadata.resourceVersion,
    object: subresource === undefined || subresource === "status" ? answer : undefined,
  };
}

/** The object that the response to a deletion shows as gone; undefined if the object still exists. */
function isGone(value: unknown): { readonly uid: string | undefined } | undefined {
  if (isStatus(value)) return { uid: value.details?.uid };
  const { metadata } = (value ?? {}) as Partial<KubernetesObject>;
  return isStillThere(metadata) ? undefined : { uid: metadata?.uid };
}

/** Whether a deleted object still exists, because of finalizers or its grace period. */
const isStillThere = (metadata: KubernetesObject["metadata"] | undefined): boolean =>
  metadata?.deletionTimestamp !== undefined &&
  ((metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0);
