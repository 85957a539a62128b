import { Binding } from "../../api/core/v1/pod/binding.ts";
import { Status } from "../../api/meta/v1/status.ts";
import { methodNotAllowed } from "../../api/meta/v1/status-error.ts";
import { EvictionKind } from "../../api/policy/v1/eviction.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import { anyKind, type Reader } from "../objects/reader.ts";
import type { RequestContext } from "../objects/request-context.ts";
import type { ApiResponse } from "../request/request.ts";
import { type AnswerContext, answer } from "../request/respond.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { bind } from "./pod-binding.ts";
import { evict } from "./pod-eviction.ts";

/** A request that acts on a pod: a binding or an eviction, which is not stored. */
export interface PodRequest {
  readonly parts: VerbParts;
  /** The address of the pod. */
  readonly address: Address;
  readonly draft: ObjectDraft;
  /** The subresource of the path; empty for a binding that was sent to the collection. */
  readonly subresource: string;
  /** The values of `dryRun` in the query. */
  readonly dryRun: readonly string[];
  readonly context: RequestContext;
}

/** The kind of the object that is created through a subresource of a pod; undefined for other ones. */
export function createdThrough(reader: Reader, subresource: string): AnyKind | undefined {
  if (subresource === "binding") return reader.serves(Binding) ? anyKind(Binding) : undefined;
  return subresource === "eviction" ? anyKind(EvictionKind) : undefined;
}

/** Binds or evicts a pod, and responds with a Status. */
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
