import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../../../api/core/v1/service-account.ts";
import type { ServiceAccountTokenProjection } from "../../../../api/core/v1/volume/volume-projection.ts";
import type { Clock } from "../../../../base/clock.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { Log } from "../../../../base/log.ts";
import type { Random } from "../../../../base/random.ts";
import type { Client } from "../../../../client/client.ts";
import { TokenRequest } from "../../../../client/subresource-kinds.ts";

/** Tokens of service accounts that are valid as long as a pod exists. */
export interface ServiceAccountTokens {
  /** A token of the pod's service account, which is renewed when it gets old. */
  get(pod: Pod, request: PodTokenRequest): Promise<PodToken>;
  /** Forgets the tokens of a pod. */
  forget(podUid: string): void;
}

export interface PodTokenRequest
  extends Pick<ServiceAccountTokenProjection, "audience" | "expirationSeconds"> {
  /** The UID that the service account must have; by default any. */
  readonly accountUid?: string | undefined;
}

export interface PodToken {
  readonly token: string;
  readonly renewAt: number;
  /** When it expires, as the API server says it. */
  readonly expirationTimestamp: string;
}

export interface TokensOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Requests tokens, and keeps them in memory until they must be renewed. */
export function serviceAccountTokens(options: TokensOptions): ServiceAccountTokens {
  const { clock, log } = options;
  const ofPods = new Map<string, Map<string, KnownToken>>();
  return {
    async get(pod, request) {
      const { uid = "" } = pod.metadata;
      const known = ofPods.get(uid) ?? new Map<string, KnownToken>();
      ofPods.set(uid, known);
      const key = `${request.audience ?? ""}/${request.expirationSeconds}`;
      const knownAs = `${key}/${request.accountUid ?? ""}`;
      const old = known.get(knownAs);
      if (old && clock.now() < old.renewAt) return old;
      try {
        const token = await requestToken(pod, request, options);
        known.set(knownAs, token);
        return token;
      } catch (error) {
        const why = errorMessage(error);
        if (!old) throw new Error(`failed to fetch token: ${why}`);
        if (clock.now() > old.expiresAt)
          throw new Error(`token ${key} expired and refresh failed: ${why}`);
        log.warn("renewing a token failed", { pod: pod.metadata.name, error });
        return { ...old, renewAt: clock.now() + retryMs };
      }
    },
    forget: (podUid) => void ofPods.delete(podUid),
  };
}

interface KnownToken extends PodToken {
  readonly expiresAt: number;
}

async function requestToken(
  { metadata, spec: { serviceAccountName = "" } }: Pod,
  { audience, expirationSeconds, accountUid }: PodTokenRequest,
  { client, random }: TokensOptions,
): Promise<KnownToken> {
  const { name = "", namespace, uid = "" } = metadata;
  const { spec, status } = await client
    .subresource(ServiceAccount, { name: serviceAccountName, namespace }, "token")
    .create(TokenRequest, {
      ...(accountUid && { metadata: { uid: accountUid } }),
      spec: {
        audiences: audience ? [audience] : [],
        expirationSeconds,
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
      },
    });
  const expiresAt = Date.parse(status.expirationTimestamp);
  const lifeMs = (spec.expirationSeconds ?? expirationSeconds) * 1000;
  return {
    token: status.token,
    expirationTimestamp: status.expirationTimestamp,
    expiresAt,
    renewAt: renewalTime(expiresAt, lifeMs) - random.next() * jitterMs,
  };
}

/** When four fifths of a token's life are over, or a day. */
const renewalTime = (expiresAt: number, lifeMs: number): number =>
  expiresAt - lifeMs + Math.min(0.8 * lifeMs, dayMs);

const dayMs = 24 * 3_600_000;
const jitterMs = 10_000;
const retryMs = 60_000;
