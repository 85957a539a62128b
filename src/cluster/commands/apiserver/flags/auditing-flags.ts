import {
  boolFlag,
  durationFlag,
  type Flag,
  floatFlag,
  intFlag,
  stringFlag,
} from "../../../../cli/flag.ts";
import { later, type ServerFlag } from "../../../flags/server-flag.ts";
import { flagGroup } from "./apiserver-flag.ts";

const audit = <T>(flag: Flag<T>): ServerFlag<T> => later("auditing", flag);

/** The flags of an audit backend; both have the same ones with other defaults. */
const backendFlags = (defaults: {
  readonly mode: string;
  readonly maxSize: number;
  readonly maxWait: number;
  readonly throttle: boolean;
  readonly qps: number;
  readonly burst: number;
}) => ({
  mode: audit(
    stringFlag({
      usage: "whether requests wait until events are written: batch, blocking or blocking-strict",
      default: defaults.mode,
    }),
  ),
  "batch-buffer-size": audit(intFlag({ usage: "how many events may be queued", default: 10000 })),
  "batch-max-size": audit(
    intFlag({ usage: "how many events are written at a time", default: defaults.maxSize }),
  ),
  "batch-max-wait": audit(
    durationFlag({ usage: "how long an event may be queued", default: defaults.maxWait }),
  ),
  "batch-throttle-enable": audit(
    boolFlag({ usage: "whether to limit the rate of writes", default: defaults.throttle }),
  ),
  "batch-throttle-qps": audit(
    floatFlag({ usage: "how many batches a second are written", default: defaults.qps }),
  ),
  "batch-throttle-burst": audit(
    intFlag({ usage: "how many batches may be written at once", default: defaults.burst }),
  ),
  "truncate-enabled": audit(boolFlag({ usage: "whether to truncate large events" })),
  "truncate-max-batch-size": audit(
    intFlag({ usage: "how many bytes a batch has at most", default: 10 * 1024 * 1024 }),
  ),
  "truncate-max-event-size": audit(
    intFlag({ usage: "how many bytes an event has at most", default: 100 * 1024 }),
  ),
});

export const auditingFlags = flagGroup("Auditing flags", {
  "audit-policy-file": audit(stringFlag({ usage: "the `FILE` with the audit policy" })),
  "audit-log-path": audit(
    stringFlag({ usage: "the `FILE` to write events to; - for standard output" }),
  ),
  "audit-log-maxage": audit(intFlag({ usage: "how many days old files are kept", default: 366 })),
  "audit-log-maxbackup": audit(intFlag({ usage: "how many old files are kept", default: 100 })),
  "audit-log-maxsize": audit(
    intFlag({ usage: "how many megabytes a file has at most", default: 100 }),
  ),
  "audit-log-format": audit(stringFlag({ usage: "json or legacy", default: "json" })),
  "audit-log-version": audit(
    stringFlag({ usage: "the version of events in the file", default: "audit.k8s.io/v1" }),
  ),
  "audit-log-compress": audit(boolFlag({ usage: "whether old files are compressed" })),
  ...prefixed(
    "audit-log-",
    backendFlags({ mode: "blocking", maxSize: 1, maxWait: 0, throttle: false, qps: 0, burst: 0 }),
  ),
  "audit-webhook-config-file": audit(
    stringFlag({ usage: "the kubeconfig `FILE` of the server that events are sent to" }),
  ),
  "audit-webhook-initial-backoff": audit(
    durationFlag({ usage: "how long to wait before a retry", default: 10_000 }),
  ),
  "audit-webhook-batch-initial-backoff": audit(
    durationFlag({
      usage: "the old name of --audit-webhook-initial-backoff",
      default: 10_000,
      deprecated: "Deprecated, use --audit-webhook-initial-backoff instead.",
    }),
  ),
  "audit-webhook-version": audit(
    stringFlag({ usage: "the version of events that are sent", default: "audit.k8s.io/v1" }),
  ),
  ...prefixed(
    "audit-webhook-",
    backendFlags({
      mode: "batch",
      maxSize: 400,
      maxWait: 30_000,
      throttle: true,
      qps: 10,
      burst: 15,
    }),
  ),
});

function prefixed<P extends string, F extends Readonly<Record<string, ServerFlag>>>(
  prefix: P,
  flags: F,
): { readonly [Name in keyof F & string as `${P}${Name}`]: F[Name] } {
  const entries = Object.entries(flags).map(([name, flag]) => [`${prefix}${name}`, flag]);
  return Object.fromEntries(entries) as never;
}
