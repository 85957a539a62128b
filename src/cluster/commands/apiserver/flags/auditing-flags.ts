import {
  boolFlag,
  durationFlag,
  floatFlag,
  intFlag,
  stringFlag,
  type Values,
} from "../../../../cli/flag.ts";
import { readGiven } from "../../../../platform/given-files.ts";
import {
  type AuditLogSettings,
  type AuditMode,
  type AuditWebhookSettings,
  auditModes,
  type DeliverySettings,
} from "../../../auditing/audit-settings.ts";
import { parseAuditPolicy } from "../../../auditing/parse-audit-policy.ts";
import { flagGroup } from "./apiserver-flag.ts";

/** The flags of an audit backend; both have the same ones with other defaults. */
const backendFlags = (defaults: {
  readonly mode: AuditMode;
  readonly maxSize: number;
  readonly maxWait: number;
  readonly throttle: boolean;
  readonly qps: number;
  readonly burst: number;
}) => ({
  mode: stringFlag({
    usage:
      "whether requests wait until events are written: batch, blocking, or blocking-strict, where a request fails if its first event cannot be written",
    default: defaults.mode,
  }),
  "batch-buffer-size": intFlag({ usage: "how many events may be queued", default: 10000 }),
  "batch-max-size": intFlag({
    usage: "how many events are written at a time",
    default: defaults.maxSize,
  }),
  "batch-max-wait": durationFlag({
    usage: "how long an event may be queued",
    default: defaults.maxWait,
  }),
  "batch-throttle-enable": boolFlag({
    usage: "whether to limit the rate of writes",
    default: defaults.throttle,
  }),
  "batch-throttle-qps": floatFlag({
    usage: "how many batches a second are written",
    default: defaults.qps,
  }),
  "batch-throttle-burst": intFlag({
    usage: "how many batches may be written at once",
    default: defaults.burst,
  }),
  "truncate-enabled": boolFlag({ usage: "whether to truncate large events" }),
  "truncate-max-batch-size": intFlag({
    usage: "how many bytes a batch has at most",
    default: 10 * 1024 * 1024,
  }),
  "truncate-max-event-size": intFlag({
    usage: "how many bytes an event has at most",
    default: 100 * 1024,
  }),
});

const logFlags = backendFlags({
  mode: "blocking",
  maxSize: 1,
  maxWait: 0,
  throttle: false,
  qps: 0,
  burst: 0,
});
const webhookFlags = backendFlags({
  mode: "batch",
  maxSize: 400,
  maxWait: 30_000,
  throttle: true,
  qps: 10,
  burst: 15,
});

const flags = {
  "audit-policy-file": stringFlag({
    usage: "the `FILE` with the audit policy; without it, nothing is audited",
  }),
  "audit-log-path": stringFlag({
    usage: "the `FILE` to write events to; - for standard output",
  }),
  "audit-log-maxage": intFlag({
    usage: "how many days old files are kept; 0 for ever",
    default: 366,
  }),
  "audit-log-maxbackup": intFlag({
    usage: "how many old files are kept; 0 for all",
    default: 100,
  }),
  "audit-log-maxsize": intFlag({
    usage: "how many megabytes a file has at most; 0 for no limit",
    default: 100,
  }),
  "audit-log-format": stringFlag({ usage: "json or legacy", default: "json" }),
  "audit-log-version": stringFlag({
    usage: "the version of events in the file",
    default: "audit.k8s.io/v1",
  }),
  "audit-log-compress": boolFlag({ usage: "whether old files are compressed" }),
  ...prefixed("audit-log-", logFlags),
  "audit-webhook-config-file": stringFlag({
    usage: "the kubeconfig `FILE` of the server that events are sent to",
  }),
  "audit-webhook-initial-backoff": durationFlag({
    usage: "how long to wait before a retry",
    default: 10_000,
  }),
  "audit-webhook-batch-initial-backoff": durationFlag({
    usage: "the old name of --audit-webhook-initial-backoff",
    default: 10_000,
    deprecated: "Deprecated, use --audit-webhook-initial-backoff instead.",
  }),
  "audit-webhook-version": stringFlag({
    usage: "the version of events that are sent",
    default: "audit.k8s.io/v1",
  }),
  ...prefixed("audit-webhook-", webhookFlags),
};

type AuditFlags = Values<typeof flags>;
type BackendFlags = Values<typeof logFlags>;

export const auditingFlags = flagGroup("Auditing flags", flags, {
  problems: (values: AuditFlags) => [...logProblems(values), ...webhookProblems(values)],
  async sets(values: AuditFlags) {
    const path = values["audit-policy-file"];
    if (path === "") return {};
    const { policy, warnings } = await readPolicy(path);
    return {
      audit: { policy, log: logSettings(values), webhook: webhookSettings(values) },
      warnings,
    };
  },
});

async function readPolicy(path: string) {
  const text = await readGiven({ flag: "audit-policy-file", path });
  try {
    return parseAuditPolicy(text);
  } catch (error) {
    throw new Error(`loading audit policy file: ${(error as Error).message}: from file ${path}`);
  }
}

function logSettings(values: AuditFlags): AuditLogSettings | undefined {
  const path = values["audit-log-path"];
  if (path === "") return undefined;
  return {
    ...delivery(backendOf(values, "log")),
    path,
    format: values["audit-log-format"] as AuditLogSettings["format"],
    maxAgeDays: values["audit-log-maxage"],
    maxBackups: values["audit-log-maxbackup"],
    maxMegabytes: values["audit-log-maxsize"],
    compress: values["audit-log-compress"],
  };
}

function webhookSettings(values: AuditFlags): AuditWebhookSettings | undefined {
  const kubeconfig = values["audit-webhook-config-file"];
  if (kubeconfig === "") return undefined;
  const standard = flags["audit-webhook-initial-backoff"].default;
  const named = values["audit-webhook-initial-backoff"];
  return {
    ...delivery(backendOf(values, "webhook")),
    kubeconfig,
    initialBackoffMs: named === standard ? values["audit-webhook-batch-initial-backoff"] : named,
  };
}

const delivery = (values: BackendFlags): DeliverySettings => ({
  mode: values.mode as AuditMode,
  batch: {
    bufferSize: values["batch-buffer-size"],
    maxBatchSize: values["batch-max-size"],
    maxBatchWaitMs: values["batch-max-wait"],
    throttle: values["batch-throttle-enable"]
      ? { qps: values["batch-throttle-qps"], burst: values["batch-throttle-burst"] }
      : undefined,
  },
  truncation: values["truncate-enabled"]
    ? {
        maxEventSize: values["truncate-max-event-size"],
        maxBatchSize: values["truncate-max-batch-size"],
      }
    : undefined,
});

const formats = ["legacy", "json"];

function logProblems(values: AuditFlags): string[] {
  if (values["audit-log-path"] === "") return [];
  const format = values["audit-log-format"];
  const limits = ["maxage", "maxbackup", "maxsize"] as const;
  return [
    ...backendProblems("log", backendOf(values, "log")),
    ...versionProblems(values["audit-log-version"]),
    ...(formats.includes(format)
      ? []
      : [`invalid audit log format ${format}, allowed formats are "${formats.join(",")}"`]),
    ...limits.flatMap((limit) => {
      const value = values[`audit-log-${limit}`];
      return value < 0 ? [`--audit-log-${limit} ${value} can't be a negative number`] : [];
    }),
  ];
}

function webhookProblems(values: AuditFlags): string[] {
  if (values["audit-webhook-config-file"] === "") return [];
  return [
    ...backendProblems("webhook", backendOf(values, "webhook")),
    ...versionProblems(values["audit-webhook-version"]),
  ];
}

function backendProblems(name: string, values: BackendFlags): string[] {
  const event = values["truncate-max-event-size"];
  const batch = values["truncate-max-batch-size"];
  const truncation =
    event <= 0
      ? `invalid audit truncate ${name} max event size ${event}, must be a positive number`
      : batch < event &&
        `invalid audit truncate ${name} max batch size ${batch}, must be greater than max event size (${event})`;
  return [batchProblem(name, values), truncation].filter((problem) => typeof problem === "string");
}

/** The first problem of the options of batches, which do not count in other modes. */
function batchProblem(name: string, values: BackendFlags): string | undefined {
  const { mode } = values;
  if (!(auditModes as readonly string[]).includes(mode))
    return `invalid audit ${name} mode ${mode}, allowed modes are "${auditModes.join(",")}"`;
  if (mode !== "batch") return undefined;
  const checked: [what: string, value: number][] = [
    ["buffer size", values["batch-buffer-size"]],
    ["max batch size", values["batch-max-size"]],
  ];
  if (values["batch-throttle-enable"])
    checked.push(
      ["throttle QPS", values["batch-throttle-qps"]],
      ["throttle burst", values["batch-throttle-burst"]],
    );
  const [what, value] = checked.find(([, one]) => one <= 0) ?? [];
  return what && `invalid audit batch ${name} ${what} ${value}, must be a positive number`;
}

const versionProblems = (version: string): string[] =>
  version === "audit.k8s.io/v1"
    ? []
    : [`invalid group version, allowed versions are [{"audit.k8s.io" "v1"}]`];

/** The values of a backend's flags, without the prefix. */
function backendOf(values: AuditFlags, name: "log" | "webhook"): BackendFlags {
  const own = Object.keys(logFlags).map((flag) => [
    flag,
    values[`audit-${name}-${flag}` as keyof AuditFlags],
  ]);
  return Object.fromEntries(own) as BackendFlags;
}

function prefixed<P extends string, F extends object>(
  prefix: P,
  named: F,
): { readonly [Name in keyof F & string as `${P}${Name}`]: F[Name] } {
  const entries = Object.entries(named).map(([name, flag]) => [`${prefix}${name}`, flag]);
  return Object.fromEntries(entries) as never;
}
