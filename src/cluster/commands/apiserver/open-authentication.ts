import type {
  AnonymousAuthConfig,
  AuthenticationConfiguration,
} from "../../../apiserver/authentication/jwt/authentication-configuration.ts";
import {
  type CheckedAuthentication,
  checkAuthentication,
  readAuthenticationConfiguration,
} from "../../../apiserver/authentication/jwt/read-authentication-configuration.ts";
import { signingAlgorithms } from "../../../apiserver/authentication/jwt/web-key.ts";
import type { TokenReviewVersion } from "../../../apiserver/authentication/token-webhook.ts";
import type { SelectedEgress } from "../../../apiserver/connect/egress.ts";
import type { ApiServer } from "../../../apiserver/server.ts";
import type { ApiServerOptions } from "../../../apiserver/server-options.ts";
import type { Log } from "../../../base/log.ts";
import { readGiven } from "../../../platform/given-files.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { followConfiguration } from "../../serving/follow-configuration.ts";
import { openReviewServer } from "../../serving/review-server.ts";

/** How callers are authenticated by others, as flags say it. */
export interface AuthenticationFlags {
  /** The file with an AuthenticationConfiguration. */
  readonly file?: string | undefined;
  /** Whether a flag, too, says if requests may be anonymous. */
  readonly setsAnonymous?: boolean;
  /** One issuer, and the algorithms of its tokens, instead of a file. */
  readonly issuer?: {
    readonly configuration: AuthenticationConfiguration;
    readonly algorithms: readonly string[];
  };
  readonly webhook?: {
    readonly file: string;
    readonly version: TokenReviewVersion;
    readonly cacheTtlMs: number;
  };
}

/** Authentication by others, ready to be a part of a server. */
export interface OpenedAuthentication {
  readonly options: Pick<ApiServerOptions, "jwt" | "tokenWebhook" | "anonymousAuth">;
  /** Follows the file from now on. */
  follow(core: ApiServer, log: Log): { close(): void };
}

/** Reads the files of authentication; throws if one cannot be used. */
export async function openAuthentication(
  { file, setsAnonymous = false, issuer, webhook }: AuthenticationFlags,
  {
    issuers: disallowedIssuers,
    egress,
  }: { readonly issuers: readonly string[]; readonly egress?: SelectedEgress | undefined },
): Promise<OpenedAuthentication> {
  const tokenWebhook = webhook && {
    server: await openReviewServer(webhook.file),
    version: webhook.version,
    cacheTtlMs: webhook.cacheTtlMs,
  };
  const reviewed = tokenWebhook ? { tokenWebhook } : {};
  if (file === undefined || file === "") {
    if (!issuer) return { options: reviewed, follow: notFollowed };
    const { configuration, algorithms } = issuer;
    const { jwt } = checked(() =>
      checkAuthentication(configuration, { disallowedIssuers, egress }),
    );
    return {
      options: { ...reviewed, jwt: { authenticators: jwt, algorithms } },
      follow: notFollowed,
    };
  }
  const text = await readGiven({ flag: "authentication-config", path: file });
  const initial = read(text, file);
  if (initial.anonymous && setsAnonymous)
    throw new Error(
      "anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file",
    );
  const { jwt, anonymous } = checked(() =>
    checkAuthentication(initial, { disallowedIssuers, egress }),
  );
  return {
    options: {
      ...reviewed,
      jwt: { authenticators: jwt, algorithms: signingAlgorithms },
      ...(anonymous && { anonymousAuth: anonymousAccess(anonymous) }),
    },
    follow: (core, log) =>
      followConfiguration({
        path: file,
        text,
        check: (next) =>
          checkAuthentication(readAuthenticationConfiguration(next), {
            disallowedIssuers,
            egress,
            initial,
          }),
        use: (next: CheckedAuthentication) => core.replaceJwtIssuers(next),
        metrics: core.reloadMetrics("authentication"),
        clock: realClock,
        log,
      }),
  };
}

const notFollowed = () => ({ close: () => {} });

function read(text: string, file: string): AuthenticationConfiguration {
  try {
    return readAuthenticationConfiguration(text);
  } catch (cause) {
    throw new Error(
      `failed to load authentication configuration from file ${JSON.stringify(file)}`,
      {
        cause,
      },
    );
  }
}

function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw new Error("invalid authentication configuration", { cause });
  }
}

function anonymousAccess({ enabled = false, conditions = [] }: AnonymousAuthConfig) {
  if (!enabled || conditions.length === 0) return enabled;
  return { paths: new Set(conditions.map(({ path = "" }) => path)) };
}
