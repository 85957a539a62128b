import { isStatus } from "../../client/answer.ts";
import type { KubernetesObject, ObjectKey } from "../../client/resource-kind.ts";
import type { TransportRequest } from "../../client/transport.ts";
import { type WrittenPath, writtenPath } from "./written-path.ts";

/** What a call did, as far as its answer says. */
export type OwnWrite = OwnWriteTarget &
  (
    | {
        /** The object has this version now. */
        readonly type: "written";
        readonly key: ObjectKey;
        readonly uid: string;
        readonly resourceVersion: string;
        /** Undefined where the answer was of another kind: a Scale. */
        readonly object: KubernetesObject | undefined;
      }
    | {
        /** The object with this uid is gone; undefined where the answer does not say which it was. */
        readonly type: "gone";
        readonly key: ObjectKey;
        readonly uid: string | undefined;
        /** What was last known of it: a cache that does not show that yet is not past its end. */
        readonly last?: OwnWrite | undefined;
      }
    | {
        /** Something may have happened to these: there was no answer, or none that says it. */
        readonly type: "unknown";
        readonly namespace: string | undefined;
        /** Undefined: any of them. */
        readonly name: string | undefined;
      }
  );

export interface OwnWriteTarget {
  readonly group: string;
  readonly plural: string;
  /** What was asked: `create`, `update`, `patch`, `delete`, with the subresource after a slash. */
  readonly verb: string;
}

/** A call that may change something: what it changes is known when it is answered, or not at all. */
export interface WriteCall {
  /** What an answer means; undefined where nothing has changed. */
  answered(status: number, value: unknown): OwnWrite | undefined;
  /** What it means that there was none. */
  unanswered(): OwnWrite;
}

/** What a call is about to write; undefined for one that writes nothing. */
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

/** The name of an object that is to be created, if it has one already. */
function nameIn({ method, body }: TransportRequest): string | undefined {
  if (method !== "POST" || typeof body !== "object" || body instanceof Uint8Array) return undefined;
  return (body as Partial<KubernetesObject>).metadata?.name || undefined;
}

/** The object that an answer says has this version now. */
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

/** Which object the answer to a deletion says is gone; undefined where it waits for something. */
function isGone(value: unknown): { readonly uid: string | undefined } | undefined {
  if (isStatus(value)) return { uid: value.details?.uid };
  const { metadata } = (value ?? {}) as Partial<KubernetesObject>;
  return isStillThere(metadata) ? undefined : { uid: metadata?.uid };
}

/** Whether an object that was deleted waits: for somebody, or until its time of grace is over. */
const isStillThere = (metadata: KubernetesObject["metadata"] | undefined): boolean =>
  metadata?.deletionTimestamp !== undefined &&
  ((metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0);
