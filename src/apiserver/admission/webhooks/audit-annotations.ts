import type { RequestContext } from "../../objects/request-context.ts";
import { annotate } from "../annotate.ts";
import type { ReadyWebhook } from "./ready-webhook.ts";

/** The call of a webhook, as annotations name it. */
export interface AnnotatedCall {
  readonly ready: ReadyWebhook;
  /** 1 if the plugins run a second time. */
  readonly round: number;
  /** Its place among the webhooks of the round. */
  readonly index: number;
}

/** Notes that a failure of a webhook was ignored. */
export function annotateFailOpen(
  context: RequestContext,
  { ready, round, index }: AnnotatedCall,
  type: "validating" | "mutation",
): void {
  const key = `failed-open.${type}.webhook.admission.k8s.io/round_${round}_index_${index}`;
  annotate(context, key, ready.webhook.name);
}

/** Notes whether a webhook changed the object. */
export function annotateMutation(
  context: RequestContext,
  { ready: { configuration, webhook }, round, index }: AnnotatedCall,
  mutated: boolean,
): void {
  const value = JSON.stringify({ configuration, webhook: webhook.name, mutated });
  annotate(context, `mutation.webhook.admission.k8s.io/round_${round}_index_${index}`, value);
}

/** Notes the patch of a webhook, for logs that hold requests. */
export function annotatePatch(
  { auditedPatches }: RequestContext,
  { ready: { configuration, webhook }, round, index }: AnnotatedCall,
  patch: string,
): void {
  const names = JSON.stringify({ configuration, webhook: webhook.name }).slice(0, -1);
  auditedPatches?.set(
    `patch.webhook.admission.k8s.io/round_${round}_index_${index}`,
    `${names},"patch":${patch},"patchType":"JSONPatch"}`,
  );
}
