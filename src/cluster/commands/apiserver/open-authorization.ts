import { statSync } from "node:fs";
import type { AuthorizerEntry } from "../../../apiserver/authorization/configured-authorizer.ts";
import { modeEntries } from "../../../apiserver/authorization/configured-authorizer.ts";
import type { AuthorizationMode } from "../../../apiserver/authorization/modes.ts";
import {
  type CheckedAuthorizer,
  readAuthorizers,
} from "../../../apiserver/authorization/webhook/read-authorization-configuration.ts";
import type { WebhookRules } from "../../../apiserver/authorization/webhook/webhook-authorizer.ts";
import type { ApiServer } from "../../../apiserver/server.ts";
import type { Log } from "../../../base/log.ts";
import { readGiven } from "../../../platform/given-files.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { followConfiguration } from "../../serving/follow-configuration.ts";
import { openReviewServer } from "../../serving/review-server.ts";

/** Which authorizers decide, as flags say it. */
export interface AuthorizationFlags {
  /** The file with an AuthorizationConfiguration, instead of modes. */
  readonly file: string;
  readonly modes: readonly (AuthorizationMode | "Webhook")[];
  /** The webhook of that mode. */
  readonly webhook: {
    readonly file: string;
    readonly version: WebhookRules["version"];
    readonly allowedTtlMs: number;
    readonly otherTtlMs: number;
  };
}

/** The authorizers of a server, and what follows their file. */
export interface OpenedAuthorization {
  readonly authorizers: readonly AuthorizerEntry[];
  follow(core: ApiServer, log: Log): { close(): void };
}

/** Reads the files of authorization; throws if one cannot be used. */
export async function openAuthorization({
  file,
  modes,
  webhook,
}: AuthorizationFlags): Promise<OpenedAuthorization> {
  if (file === "") {
    const authorizers = await Promise.all(
      modes.map((mode) =>
        mode === "Webhook" ? legacyWebhook(webhook) : (modeEntries([mode])[0] as AuthorizerEntry),
      ),
    );
    return { authorizers, follow: () => ({ close: () => {} }) };
  }
  const text = await readGiven({ flag: "authorization-config", path: file });
  const initial = readAuthorizers(text, { fileFault });
  const required = initial.flatMap(({ type }) => (type === "Webhook" ? [] : [type]));
  return {
    authorizers: await opened(initial),
    follow: (core, log) =>
      followConfiguration({
        path: file,
        text,
        check: async (next) => {
          const checked = readAuthorizers(next, { fileFault, required });
          for (const { type } of checked)
            if (needsStart.has(type) && !required.some((mode) => mode === type))
              throw new Error(
                `authorizer type ${type} is not allowed if it was not enabled at initial server startup`,
              );
          return opened(checked);
        },
        use: (entries) => core.replaceAuthorizers(entries),
        metrics: core.reloadMetrics("authorization"),
        clock: realClock,
        log,
      }),
  };
}

/** Modes with state of their own, which is made when the server starts. */
const needsStart: ReadonlySet<string> = new Set(["Node", "RBAC", "ABAC"]);

const opened = (checked: readonly CheckedAuthorizer[]): Promise<AuthorizerEntry[]> =>
  Promise.all(
    checked.map(async (authorizer): Promise<AuthorizerEntry> => {
      if (authorizer.type !== "Webhook") return authorizer;
      const { type, name, rules, kubeconfig } = authorizer;
      return { type, name, rules, server: await openReviewServer(kubeconfig) };
    }),
  );

async function legacyWebhook({
  file,
  version,
  allowedTtlMs,
  otherTtlMs,
}: AuthorizationFlags["webhook"]): Promise<AuthorizerEntry> {
  return {
    type: "Webhook",
    name: "default",
    server: await openReviewServer(file),
    rules: { version, timeoutMs: 30_000, allowedTtlMs, otherTtlMs, onFailure: "no opinion" },
  };
}

function fileFault(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? undefined : "must be a regular file";
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return `error loading file: stat ${path}: ${words[code] ?? code}`;
  }
}

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  ENOTDIR: "not a directory",
};
