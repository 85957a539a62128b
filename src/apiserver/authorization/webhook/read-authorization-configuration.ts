import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { At } from "../../../schema/language/report.ts";
import { formatDuration, parseDuration } from "../../../schema/values/duration.ts";
import { isDns1123Subdomain } from "../../../schema/values/names.ts";
import { readConfigurationFile } from "../../configuration/read-configuration-file.ts";
import { type AuthorizationMode, authorizationModes } from "../modes.ts";
import { compileAccessConditions } from "./access-conditions.ts";
import {
  AuthorizationConfiguration,
  type AuthorizerConfiguration,
  type WebhookConfiguration,
} from "./authorization-configuration.ts";
import type { WebhookRules } from "./webhook-authorizer.ts";

/** An authorizer that can be used, once the kubeconfig of a webhook was read. */
export type CheckedAuthorizer =
  | { readonly type: AuthorizationMode; readonly name: string }
  | {
      readonly type: "Webhook";
      readonly name: string;
      readonly kubeconfig: string;
      readonly rules: WebhookRules;
    };

export interface AuthorizationChecks {
  /** Why a file cannot be used; undefined if it can. */
  readonly fileFault: (path: string) => string | undefined;
  /** The modes that there were when the server started: they must stay. */
  readonly required?: readonly AuthorizationMode[];
}

/** Reads and checks the text of a file with an AuthorizationConfiguration; throws upstream's error. */
export function readAuthorizers(text: string, checks: AuthorizationChecks): CheckedAuthorizer[] {
  let configuration: AuthorizationConfiguration;
  try {
    // An empty file is a configuration without authorizers.
    configuration = text === "" ? {} : read(text);
  } catch (cause) {
    throw new Error("failed to load AuthorizationConfiguration from file", { cause });
  }
  const at = At.root();
  const checked = checkAuthorizers(at, configuration, checks);
  if (at.errors.length > 0)
    throw new Error(
      aggregateMessage(at.errors.map(({ field, message }) => `${field}: ${message}`)),
    );
  const problems = modeProblems(checked, checks.required ?? []);
  if (problems.length > 0) throw new Error(aggregateMessage(problems));
  return checked;
}

const read = (text: string): AuthorizationConfiguration =>
  readConfigurationFile(text, {
    struct: AuthorizationConfiguration,
    kind: "AuthorizationConfiguration",
    versions: ["v1", "v1beta1", "v1alpha1"],
    scheme: "k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32",
  });

/** The name of the authorizer of a mode. */
const nameOfMode = (mode: AuthorizationMode): string => mode.toLowerCase();

function modeProblems(
  authorizers: readonly CheckedAuthorizer[],
  required: readonly AuthorizationMode[],
): string[] {
  const problems = authorizers.flatMap(({ type, name }) => {
    if (type === "Webhook" || name === nameOfMode(type)) return [];
    return [`expected name ${nameOfMode(type)} for authorizer ${type} instead of ${name}`];
  });
  const missing = required.filter((mode) => !authorizers.some(({ type }) => type === mode)).sort();
  return missing.length === 0
    ? problems
    : [...problems, `missing required types: [${missing.join(" ")}]`];
}

function checkAuthorizers(
  root: At,
  { authorizers = [] }: AuthorizationConfiguration,
  checks: AuthorizationChecks,
): CheckedAuthorizer[] {
  const at = root.child("authorizers");
  if (authorizers.length === 0) at.required("", "at least one authorization mode must be defined");
  const seen = { types: new Set<string>(), names: new Set<string>() };
  return authorizers.flatMap((authorizer, i) => {
    const here = at.index(i);
    const { type = "", name = "" } = authorizer;
    if (!isUsableType(here, type, seen.types)) return [];
    checkName(here, name, seen.names);
    return checkWebhook(here, authorizer, checks);
  });
}

const knownTypes = [...authorizationModes, "Webhook"].sort();

function isUsableType(at: At, type: string, seen: Set<string>): boolean {
  if (type === "") at.required("type");
  else if (!knownTypes.includes(type)) at.notSupported("type", type, knownTypes);
  else if (seen.has(type) && type !== "Webhook") at.duplicate("type", type);
  else {
    seen.add(type);
    return true;
  }
  return false;
}

function checkName(at: At, name: string, seen: Set<string>): void {
  const faults = isDns1123Subdomain(name);
  if (name === "") at.required("name");
  else if (seen.has(name)) at.duplicate("name", name);
  else if (faults.length > 0)
    at.invalid("name", name, `authorizer name is invalid: ${faults.join(", ")}`);
  seen.add(name);
}

function checkWebhook(
  at: At,
  { type = "", name = "", webhook }: AuthorizerConfiguration,
  checks: AuthorizationChecks,
): CheckedAuthorizer[] {
  if (type !== "Webhook") {
    if (webhook) at.invalid("webhook", "non-null", "may only be specified when type=Webhook");
    return [{ type: type as AuthorizationMode, name }];
  }
  if (!webhook) {
    at.required("webhook", "required when type=Webhook");
    return [];
  }
  const rules = checkRules(at, webhook);
  const kubeconfig = checkConnection(at.child("connectionInfo"), webhook, checks);
  const conditions = compileAccessConditions(
    at.child("matchConditions"),
    webhook.matchConditions ?? [],
  );
  return [{ type, name, kubeconfig, rules: { ...rules, ...(conditions && { conditions }) } }];
}

const minute = 60_000;
const reviewVersions = ["v1", "v1beta1"] as const;

/** Errors are at the authorizer, as upstream has them, and not at its webhook. */
function checkRules(at: At, webhook: WebhookConfiguration): WebhookRules {
  const { cacheAuthorizedRequests = true, cacheUnauthorizedRequests = true } = webhook;
  const { subjectAccessReviewVersion: sent = "", failurePolicy = "" } = webhook;
  const timeout = durationOf(webhook.timeout);
  if (timeout === 0) at.required("timeout");
  else if (timeout > 30_000 || timeout < 0)
    at.invalid("timeout", textOf(webhook.timeout), "must be > 0s and <= 30s");
  const ttls = {
    authorizedTTL: durationOf(webhook.authorizedTTL) || 5 * minute,
    unauthorizedTTL: durationOf(webhook.unauthorizedTTL) || minute / 2,
  } as const;
  for (const name of ["authorizedTTL", "unauthorizedTTL"] as const)
    if (ttls[name] < 0) at.invalid(name, textOf(webhook[name]), "must be > 0s");
  const version = reviewVersions.find((known) => known === sent);
  if (sent === "") at.required("subjectAccessReviewVersion");
  else if (!version) at.notSupported("subjectAccessReviewVersion", sent, reviewVersions);
  checkConditionVersion(at, webhook);
  if (failurePolicy === "") at.required("failurePolicy");
  else if (failurePolicy !== "NoOpinion" && failurePolicy !== "Deny")
    at.notSupported("failurePolicy", failurePolicy, ["NoOpinion", "Deny"]);
  return {
    version: version ?? "v1",
    timeoutMs: timeout,
    allowedTtlMs: cacheAuthorizedRequests ? ttls.authorizedTTL : 0,
    otherTtlMs: cacheUnauthorizedRequests ? ttls.unauthorizedTTL : 0,
    onFailure: failurePolicy === "Deny" ? "deny" : "no opinion",
  };
}

function checkConditionVersion(
  at: At,
  { matchConditionSubjectAccessReviewVersion: seen = "", matchConditions }: WebhookConfiguration,
): void {
  const field = "matchConditionSubjectAccessReviewVersion";
  if (seen === "" && (matchConditions ?? []).length > 0)
    at.required(field, "required if match conditions are specified");
  else if (seen !== "" && seen !== "v1") at.notSupported(field, seen, ["v1"]);
}

function checkConnection(
  at: At,
  { connectionInfo = {} }: WebhookConfiguration,
  { fileFault }: AuthorizationChecks,
): string {
  const { type = "", kubeConfigFile } = connectionInfo;
  const path = kubeConfigFile ?? "";
  const file = "kubeConfigFile";
  if (type === "") at.required("type");
  else if (type === "InClusterConfig") {
    if (typeof kubeConfigFile === "string")
      at.invalid(file, path, "can only be set when type=KubeConfigFile");
    // Of kube-apiserver itself: it is what pods find in their cluster.
    else at.forbidden("type", "the API server is in no cluster: use KubeConfigFile");
  } else if (type !== "KubeConfigFile")
    at.notSupported("type", { Type: type, KubeConfigFile: kubeConfigFile ?? null }, [
      "InClusterConfig",
      "KubeConfigFile",
    ]);
  else if (path === "") at.required(file);
  else if (!path.startsWith("/")) at.invalid(file, path, "must be an absolute path");
  else {
    const fault = fileFault(path);
    if (fault !== undefined) at.invalid(file, path, fault);
  }
  return path;
}

const durationOf = (text: string | null | undefined): number =>
  Number(parseDuration(text ?? "0s")) / 1e6;

const textOf = (text: string | null | undefined): string =>
  formatDuration(parseDuration(text ?? "0s"));
