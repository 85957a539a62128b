import type { CrossVersionObjectReference } from "../../api/autoscaling/v2/metric.ts";
import type { Client } from "../../client/client.ts";
import type { DiscoveredKind, RestMapper } from "../../client/discovery/rest-mapper.ts";
import { Scale } from "../../client/subresource-kinds.ts";
import { groupOf } from "../../controller-runtime/objects/owner-references.ts";

/** What an autoscaler scales. */
export interface ScaleTarget {
  readonly scale: Scale;
  /** Reads the scale again. */
  read(): Promise<Scale>;
  write(scale: Scale): Promise<void>;
}

/** The reference is wrong: no retry helps. */
export class InvalidReferenceError extends Error {
  override readonly name = "InvalidReferenceError";
}

/** The kind of the reference is unknown. */
export class UnknownKindError extends Error {
  override readonly name = "UnknownKindError";
}

export interface TargetContext {
  readonly client: Client;
  readonly mapper: RestMapper;
  readonly signal: AbortSignal;
}

/** Finds the target of a reference through discovery, and reads its scale. */
export async function findScaleTarget(
  reference: CrossVersionObjectReference,
  namespace: string,
  { client, mapper, signal }: TargetContext,
): Promise<ScaleTarget> {
  const { apiVersion = "", kind, name } = reference;
  const group = groupOf(apiVersion);
  if (group === undefined)
    throw new InvalidReferenceError(`unexpected GroupVersion string: ${apiVersion}`);
  const found = await kindOf(mapper, { group, kind }, signal);
  const subresource = client.subresource(found, { namespace, name }, "scale");
  const read = () => subresource.get(Scale, { signal });
  return {
    scale: await read(),
    read,
    write: async (scale) => void (await subresource.update(Scale, scale, { signal })),
  };
}

async function kindOf(
  mapper: RestMapper,
  wanted: { readonly group: string; readonly kind: string },
  signal: AbortSignal,
): Promise<DiscoveredKind> {
  try {
    return await mapper.kind(wanted, { signal });
  } catch (error) {
    throw new UnknownKindError((error as Error).message);
  }
}
