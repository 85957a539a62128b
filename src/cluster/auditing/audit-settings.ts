import type { AuditPolicy } from "../../apiserver/audit/audit-policy.ts";
import type { BatchOptions } from "../../apiserver/audit/sinks/batching-sink.ts";
import type { TruncationLimits } from "../../apiserver/audit/sinks/truncating-sink.ts";

/** Which requests are audited, and the logs and webhooks to which events go. */
export interface AuditSettings {
  readonly policy: AuditPolicy;
  readonly log?: AuditLogSettings | undefined;
  readonly webhook?: AuditWebhookSettings | undefined;
}

/** Whether requests wait until events are written, and fail if the first one cannot be. */
export const auditModes = ["batch", "blocking", "blocking-strict"] as const;
export type AuditMode = (typeof auditModes)[number];

/** How events reach a log or a webhook. */
export interface DeliverySettings {
  readonly mode: AuditMode;
  readonly batch: Omit<BatchOptions, "concurrent">;
  readonly truncation: TruncationLimits | undefined;
}

export interface AuditLogSettings extends DeliverySettings {
  /** A file; - for standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  readonly maxAgeDays: number;
  readonly maxBackups: number;
  readonly maxMegabytes: number;
  readonly compress: boolean;
}

export interface AuditWebhookSettings extends DeliverySettings {
  /** The kubeconfig whose current context is the webhook. */
  readonly kubeconfig: string;
  readonly initialBackoffMs: number;
}
