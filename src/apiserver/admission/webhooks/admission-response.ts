import {
  type AdmissionResponse,
  AdmissionReview,
} from "../../../api/admission/v1/admission-review.ts";
import { DecodeError, decodeNode } from "../../../schema/json/decode.ts";
import { quote } from "../../../schema/values/quote.ts";
import {
  gvk,
  type ReturnedReview,
  returnedReview,
} from "../../connect/webhooks/returned-review.ts";
import { WebhookFailure } from "./webhook-failure.ts";

/** The review that a response belongs to. */
export interface SentReview {
  readonly uid: string;
  readonly version: string;
  /** Whether the webhook may change the object. */
  readonly isMutating: boolean;
}

/** The response in the review that a webhook returned; throws a WebhookFailure if it cannot be used. */
export function admissionResponse(text: string, sent: SentReview): AdmissionResponse {
  const review = reviewIn(text, sent.version);
  const { response } = decoded(review);
  if (!response) throw invalid("webhook response was absent");
  // Upstream has never checked what webhooks of v1beta1 return.
  if (sent.version !== "v1") return withoutPatchType(response, sent);
  const problem = problemOf(response, review, sent);
  if (problem !== undefined) throw invalid(problem);
  return response;
}

const group = "admission.k8s.io";
const kind = "AdmissionReview";

function reviewIn(text: string, version: string): ReturnedReview {
  try {
    return returnedReview(text, { group, version, kind });
  } catch (error) {
    throw error instanceof SyntaxError ? unreadable(error) : error;
  }
}

function decoded({ node }: ReturnedReview): Pick<AdmissionReview, "response"> {
  try {
    return decodeNode(AdmissionReview, node).value as AdmissionReview;
  } catch (error) {
    throw error instanceof DecodeError ? unreadable(error) : error;
  }
}

const unreadable = (cause: Error): WebhookFailure =>
  new WebhookFailure(`failed to call webhook: ${cause.message}`, { code: 503, cause });

const invalid = (problem: string): WebhookFailure =>
  new WebhookFailure(`received invalid webhook response: ${problem}`, { code: 503 });

/** A patch of v1beta1 is a JSON patch, whatever the response says. */
function withoutPatchType(response: AdmissionResponse, { isMutating }: SentReview) {
  const { patch, patchType: _, ...rest } = response;
  return { ...rest, ...(isMutating && patch && ({ patch, patchType: "JSONPatch" } as const)) };
}

function problemOf(
  { uid, patch = "", patchType }: AdmissionResponse,
  review: ReturnedReview,
  sent: SentReview,
): string | undefined {
  if (uid !== sent.uid) return `expected response.uid=${quote(sent.uid)}, got ${quote(uid)}`;
  const [expected, given] = [gvk(`${group}/v1`, kind), gvk(review.apiVersion, review.kind)];
  if (given !== expected) return `expected webhook response of ${expected}, got ${given}`;
  if (!sent.isMutating) {
    if (patch !== "") return "validating webhook may not return response.patch";
    if (patchType !== undefined) return "validating webhook may not return response.patchType";
    return undefined;
  }
  if (patch !== "" && patchType === undefined)
    return "webhook returned response.patch but not response.patchType";
  if (patch === "" && patchType !== undefined)
    return "webhook returned response.patchType but not response.patch";
  return patchType === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}
