import type { PodCertificateRequest } from "../../../../api/certificates/v1beta1/pod-certificate-request.ts";
import { pemBlocks } from "../../../../api/certificates/x509/pem.ts";
import { pem } from "../../../../platform/pki/x509.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { KubeletEvent } from "../../../kubelet-events.ts";

/** A request for a certificate that was created, and the key that it is for. */
export interface PendingCertificate {
  readonly key: string;
  /** The name of the PodCertificateRequest. */
  readonly name: string;
  /** After this time a request that informers do not have was deleted. */
  readonly abandonAt: number;
}

/** A certificate of a pod that was issued. */
export interface IssuedCertificate {
  readonly key: string;
  readonly chain: string;
  readonly refreshAt: number;
  readonly notAfter: number;
}

/** What is known of one podCertificate source of a volume. */
export type PodCertificateState =
  | { readonly is: "new" }
  | { readonly is: "refused"; readonly state: "denied" | "failed"; readonly message: string }
  | { readonly is: "requested"; readonly pending: PendingCertificate }
  | {
      readonly is: "issued";
      readonly certificate: IssuedCertificate;
      /** The request for the next certificate. */
      readonly pending?: PendingCertificate | undefined;
      /** The problems of which there was an event. */
      readonly reported: ReadonlySet<string>;
    };

/** The state after a request was looked up, and the events to record. */
export interface Lookup {
  readonly state: PodCertificateState;
  readonly events: readonly KubeletEvent[];
}

/** Evaluates a request that was found; the state stays while the request is pending. */
export function afterRequest(
  state: PodCertificateState,
  pending: PendingCertificate,
  { request, jitterMs }: { readonly request: PodCertificateRequest; readonly jitterMs: number },
): Lookup {
  const { status, metadata } = request;
  const shown = `${metadata.namespace}/${metadata.name}`;
  for (const { type, reason, message } of status.conditions ?? []) {
    const why = `reason=${quote(reason)}`;
    if (type === "Denied")
      return refusal("denied", { reason, message, text: `${shown} was denied, ${why}` });
    if (type === "Failed")
      return refusal("failed", { reason, message, text: `${shown} failed, ${why}` });
    if (type === "Issued") {
      const certificate = {
        key: pending.key,
        chain: cleanChain(status.certificateChain ?? ""),
        refreshAt: Date.parse(status.beginRefreshAt ?? "") + jitterMs,
        notAfter: Date.parse(status.notAfter ?? ""),
      };
      return { state: { is: "issued", certificate, reported: new Set() }, events: [] };
    }
  }
  return { state, events: [] };
}

/** The state after a request was not found: one that is old was deleted, so that another is due. */
export function withoutRequest(state: PodCertificateState, now: number): PodCertificateState {
  if (state.is === "requested") return now > state.pending.abandonAt ? { is: "new" } : state;
  if (state.is !== "issued" || !state.pending || now <= state.pending.abandonAt) return state;
  return { ...state, pending: undefined };
}

/** Events about an issued certificate that is too old, each once. */
export function overdue(state: PodCertificateState, now: number): Lookup {
  if (state.is !== "issued") return { state, events: [] };
  const { refreshAt, notAfter } = state.certificate;
  const problems = [
    now > refreshAt + overdueMs && overdueEvent,
    now > notAfter && expiredEvent,
  ].filter((one) => one !== false);
  const events = problems.filter(({ reason }) => !state.reported.has(reason));
  if (events.length === 0) return { state, events };
  const reported = new Set([...state.reported, ...events.map(({ reason }) => reason)]);
  return { state: { ...state, reported }, events };
}

/** The state as the kubelet's metric names it. */
export function metricState(state: PodCertificateState, now: number): string {
  if (state.is === "refused") return state.state;
  if (state.is !== "issued") return "not_yet_issued";
  if (now > state.certificate.notAfter) return "expired";
  return now > state.certificate.refreshAt + overdueMs ? "overdue_for_refresh" : "fresh";
}

const overdueMs = 10 * 60_000;
const overdueEvent: KubeletEvent = {
  type: "Warning",
  reason: "CertificateOverdueForRefresh",
  message: "PodCertificate refresh overdue",
};
const expiredEvent: KubeletEvent = {
  type: "Warning",
  reason: "CertificateExpired",
  message: "PodCertificate expired",
};

interface Refusal {
  readonly reason: string;
  readonly message: string;
  readonly text: string;
}

function refusal(state: "denied" | "failed", { reason, message, text }: Refusal): Lookup {
  const full = `PodCertificateRequest ${text}, message=${quote(message)}`;
  return {
    state: {
      is: "refused",
      state,
      message: `PodCertificateRequest was permanently ${state}: reason=${quote(reason)} message=${quote(message)}`,
    },
    events: [
      {
        type: "Warning",
        reason: state === "denied" ? "Denied" : "Failed",
        // Upstream formats the reason with a superfluous argument, and Go prints that.
        message: `${reason}%!(EXTRA string=${full})`,
      },
    ],
  };
}

/** Certificates alone, without what stands around them. */
const cleanChain = (chain: string): string =>
  [...pemBlocks(chain)].map(({ bytes }) => pem("CERTIFICATE", bytes)).join("");
