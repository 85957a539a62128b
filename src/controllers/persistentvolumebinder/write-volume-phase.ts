import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";

export interface VolumePhase {
  readonly phase: string;
  readonly message?: string | undefined;
}

/** Writes the phase of a volume, unless it has it; resolves with the volume as it is then. */
export async function writeVolumePhase(
  volume: PersistentVolume,
  { phase, message }: VolumePhase,
  { client, signal }: ReconcileContext,
): Promise<PersistentVolume> {
  if (volume.status.phase === phase) return volume;
  const { message: _, ...rest } = volume.status;
  const status = { ...rest, phase, ...(message !== undefined && { message }) };
  const changed = { ...volume, status };
  return client.update(PersistentVolume, changed, { subresource: "status", signal });
}
