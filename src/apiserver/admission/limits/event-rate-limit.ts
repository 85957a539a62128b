import type { Event } from "../../../api/core/v1/event/event.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Clock } from "../../../base/clock.ts";
import { TokenBucket } from "../../../base/queue/token-bucket.ts";
import { At } from "../../../schema/language/report.ts";
import type { AdmissionPlugin, Attributes } from "../admission.ts";

/** How many events are taken: of all, or of each namespace, user, or source with its object. */
export interface EventLimit {
  readonly type: "Server" | "Namespace" | "User" | "SourceAndObject";
  /** Per second. */
  readonly qps: number;
  readonly burst: number;
  /** How many namespaces, users or sources have a bucket at a time; 4096 if not given. */
  readonly cacheSize?: number;
}

const defaultCacheSize = 4096;

/** No more events are written than the limits allow. */
export function eventRateLimit(limits: readonly EventLimit[], clock: Clock): AdmissionPlugin {
  checkLimits(limits);
  const enforced = limits.map((limit) => ({ limit, take: buckets(limit, clock) }));
  return {
    name: "EventRateLimit",
    operations: ["CREATE", "UPDATE"],

    validate(attributes) {
      const { address, objectKind = address.kind, context } = attributes;
      if (objectKind.group !== "" || objectKind.kind !== "Event" || context.dryRun) return;
      const reached = enforced.flatMap(({ limit, take }) => {
        const key = keys[limit.type](attributes);
        return take(key) ? [] : [`limit reached on type ${limit.type} for key ${key}`];
      });
      if (reached.length === 0) return;
      const all = [...new Set(reached)].join(", ");
      throw new StatusError(
        "TooManyRequests",
        `Too many requests: ${all === reached[0] ? all : `[${all}]`}`,
      );
    },
  };
}

/** Takes a token from the bucket of a key; drops the least recently used bucket if there are too many. */
function buckets({ qps, burst, cacheSize }: EventLimit, clock: Clock): (key: string) => boolean {
  const most = cacheSize || defaultCacheSize;
  const known = new Map<string, TokenBucket>();
  return (key) => {
    const bucket = known.get(key) ?? new TokenBucket({ clock, rate: qps, burst });
    known.delete(key);
    known.set(key, bucket);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return bucket.tryTake();
  };
}

const keys: Readonly<Record<EventLimit["type"], (attributes: Attributes) => string>> = {
  Server: () => "",
  Namespace: ({ address }) => address.namespace,
  User: ({ context }) => context.user.name,
  SourceAndObject({ object }) {
    const { source, involvedObject: about } = object as unknown as Event;
    const parts = [
      source?.component,
      source?.host,
      about.kind,
      about.namespace,
      about.name,
      about.uid,
      about.apiVersion,
    ];
    return parts.map((part) => part ?? "").join("");
  },
};

const types = ["Server", "Namespace", "User", "SourceAndObject"];

/** Throws for invalid limits, with which the server does not start. */
function checkLimits(limits: readonly EventLimit[]): void {
  const at = At.root();
  if (limits.length === 0) at.invalid("limits", null, "must not be empty");
  for (const [i, { type, burst, qps, cacheSize = 0 }] of limits.entries()) {
    const here = at.child("limits").index(i);
    if (!types.includes(type)) here.notSupported("type", type, types);
    if (!(burst > 0)) here.invalid("burst", burst, "must be positive");
    if (!(qps > 0)) here.invalid("qps", qps, "must be positive");
    if (type !== "Server" && cacheSize < 0)
      here.invalid("cacheSize", cacheSize, "must not be negative");
  }
  if (at.errors.length === 0) return;
  const all = [...new Set(at.errors.map(({ field, message }) => `${field}: ${message}`))];
  throw new Error(all.length === 1 ? all[0] : `[${all.join(", ")}]`);
}
