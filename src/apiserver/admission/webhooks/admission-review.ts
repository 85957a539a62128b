import type { AdmissionRequest } from "../matching/admission-request.ts";

/** A review that is sent to a webhook. */
export interface ReviewRequest {
  readonly uid: string;
  /** The version of the review itself. */
  readonly version: string;
  readonly request: AdmissionRequest;
  /** The objects as JSON; `null` where there is none. */
  readonly object: string;
  readonly oldObject: string;
}

/** The JSON of a review, with its members in the order in which upstream writes them. */
export function admissionReview({ uid, version, request, ...objects }: ReviewRequest): string {
  const { dryRun, options, ...names } = request;
  const head = JSON.stringify({ uid, ...names }).slice(0, -1);
  const rest = JSON.stringify({ dryRun, options }).slice(1);
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${head},"object":${objects.object},"oldObject":${objects.oldObject},${rest}}\n`;
}
