import type {
  AdmissionRequest,
  AdmissionResponse,
} from "../../api/admission/v1/admission-review.ts";
import type {
  MutatingWebhook,
  ValidatingWebhook,
} from "../../api/admissionregistration/v1/webhook.ts";
import type { UserInfo } from "../../api/authentication/v1/user-info.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import type { FieldError } from "../../schema/language/report.ts";
import type { Draft } from "../../schema/language/struct.ts";
import type { Conversion } from "./conversion.ts";

/** The webhooks of a kind: each function that is given is one. */
export interface WebhookDefinition<O extends KubernetesObject, I = unknown> {
  readonly for: ResourceKind<O, I>;
  /** Changes an object that is created or updated, in place; an error that it throws rejects the request. */
  default?(draft: Draft<O>, ctx: AdmissionContext<O>): void | Promise<void>;
  /** Says what is wrong with an object that is created or updated. */
  validate?(object: O, ctx: AdmissionContext<O>): Verdict | Promise<Verdict>;
  /** Says why an object must not be deleted. */
  validateDelete?(object: O, ctx: AdmissionContext<O>): Verdict | Promise<Verdict>;
  /** Converts objects between the version of `for` and the others, each by a `conversion({…})`. */
  readonly convert?: readonly Conversion<O, I>[] | undefined;
  /** Which requests are sent to the webhooks, and what happens if that fails. */
  readonly settings?: WebhookSettings | undefined;
}

/**
 * What is wrong with an object: a text, or errors of fields, as `validate` of `wherry/schema` returns them. Nothing and
 * an empty list allow the request, and a `StatusError` that is thrown rejects it, too.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing allows the request.
export type Verdict = string | readonly FieldError[] | undefined | void;

/** What of a configuration is not derived from the kind. */
export interface WebhookSettings
  extends Partial<
    Pick<
      ValidatingWebhook,
      | "failurePolicy"
      | "matchPolicy"
      | "namespaceSelector"
      | "objectSelector"
      | "sideEffects"
      | "timeoutSeconds"
      | "matchConditions"
    > &
      Pick<MutatingWebhook, "reinvocationPolicy">
  > {}

/** What a webhook knows of a request beside the object. */
export interface AdmissionContext<O> {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** The object before an update. */
  readonly old: O | undefined;
  /** The caller. */
  readonly user: UserInfo;
  /** Whether nothing will be stored, so that there must be no side effects. */
  readonly isDryRun: boolean;
  /** Sends a warning to the client. */
  warn(text: string): void;
  /** All of the request. */
  readonly request: AdmissionRequest;
}

/** Decides about one request; a fault that it throws is for the caller to report. */
export type AdmissionHandler = (request: AdmissionRequest) => Promise<AdmissionDecision>;

/** The response to a request, without the uid that repeats the request's; the status is that of an error. */
export interface AdmissionDecision extends Omit<AdmissionResponse, "uid" | "status"> {
  readonly status?: object | undefined;
}

/** Objects that are to be converted to another version of their kind. */
export interface ConversionRequest {
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubernetesObject[];
}

/** Returns the objects in the desired version, in their order; throws if one cannot be converted. */
export type ConversionHandler = (
  request: ConversionRequest,
) => Promise<readonly KubernetesObject[]>;

/** The webhooks of a kind, ready for a server: plain functions of a request. */
export interface Webhook {
  readonly kind: ResourceKind;
  readonly mutate?: AdmissionHandler | undefined;
  readonly validate?: AdmissionHandler | undefined;
  /** The operations that `validate` decides about. */
  readonly validated: readonly ("CREATE" | "UPDATE" | "DELETE")[];
  readonly convert?: ConversionHandler | undefined;
  readonly settings: WebhookSettings;
}
