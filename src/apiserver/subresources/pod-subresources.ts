import { Status } from "../../api/meta/v1/status.ts";
import { methodNotAllowed } from "../../api/meta/v1/status-error.ts";
import { EvictionKind } from "../../api/policy/v1/eviction.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import type { Resources } from "../objects/resources.ts";
import type { ApiResponse } from "../request/request.ts";
import { type AnswerContext, answer } from "../request/respond.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { bind } from "./pod-binding.ts";
import { evict } from "./pod-eviction.ts";

/** What a client asks to be done with a pod, and is not kept. */
export interface PodRequest {
  readonly parts: VerbParts;
  /** Of the pod. */
  readonly address: Address;
  readonly draft: ObjectDraft;
  /** What it was sent to; empty where it names the pod itself. */
  readonly subresource: string;
  /** What the query says of a dry run. */
  readonly dryRun: readonly string[];
  readonly context: RequestContext;
}

/** The kind of what is created through a subresource of a pod; undefined where nothing is. */
export function createdThrough(resources: Resources, subresource: string): AnyKind | undefined {
  if (subresource === "binding") return resources.find("", "v1", "bindings");
  return subresource === "eviction" ? (EvictionKind as AnyKind) : undefined;
}

/** Binds or evicts a pod, and says that it is done. */
export async function carryOut(
  kind: AnyKind,
  { parts, address, draft, subresource, dryRun, context }: PodRequest,
  accept: Pick<AnswerContext, "accept" | "warnings">,
): Promise<ApiResponse> {
  if (kind.kind === "Binding")
    await bind(parts, address, { bindingKind: kind, draft, context, subresource });
  else if (kind.kind === "Eviction") await evict(parts, address, { draft, dryRun, context });
  else throw methodNotAllowed();
  const done = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  return answer(201, done, { ...accept, struct: Status });
}
