import { formatDuration } from "../../../schema/values/duration.ts";
import type { ReviewServer } from "../../connect/webhooks/review-webhook.ts";

/** The configuration of the plugin, whose kubeconfig was read. */
export interface ImagePolicyConfiguration {
  /** The fields of the file below `imagePolicy`. */
  readonly imagePolicy: {
    readonly kubeConfigFile?: string;
    /** Seconds, -1 for no cache. */
    readonly allowTTL?: number;
    readonly denyTTL?: number;
    /** Milliseconds. */
    readonly retryBackoff?: number;
    readonly defaultAllow?: boolean;
  };
  readonly server: ReviewServer;
}

/** What the plugin goes by, in milliseconds. */
export interface ImagePolicySettings {
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly retryMs: number;
  /** Whether pods are admitted if the webhook fails. */
  readonly defaultAllow: boolean;
}

const second = 1000;
const minute = 60 * second;

/** The settings of a configuration; throws, in upstream's words, if a duration is out of its range. */
export function imagePolicySettings({
  imagePolicy,
}: Pick<ImagePolicyConfiguration, "imagePolicy">): ImagePolicySettings {
  const { retryBackoff, allowTTL, denyTTL, defaultAllow = false } = imagePolicy;
  const ttl = { scale: second, least: second, most: 30 * minute };
  return {
    retryMs: duration(retryBackoff, { scale: 1, least: 1e-6, most: 5 * minute, usual: second / 2 }),
    allowTtlMs: duration(allowTTL, { ...ttl, usual: 5 * minute }),
    denyTtlMs: duration(denyTTL, { ...ttl, usual: minute / 2 }),
    defaultAllow,
  };
}

function duration(
  value = 0,
  { scale, least, most, usual }: { scale: number; least: number; most: number; usual: number },
): number {
  if (value === -1) return 0;
  if (value === 0) return usual;
  const ms = value * scale;
  if (ms >= least && ms <= most) return ms;
  throw new Error(`valid value is between ${shown(least)} and ${shown(most)}, got ${shown(ms)}`);
}

const shown = (ms: number): string => formatDuration(BigInt(Math.round(ms * 1e6)));
