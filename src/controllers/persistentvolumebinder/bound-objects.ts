import { bindCompleted, boundByController } from "../../api/core/v1/volume/binding-annotations.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { compareQuantities, parseQuantity } from "../../schema/values/quantity.ts";

/** A claim that names its volume; the same claim if it does. */
export function withVolume(
  claim: PersistentVolumeClaim,
  { metadata: { name } }: PersistentVolume,
): PersistentVolumeClaim {
  const { metadata, spec } = claim;
  const isNamed = spec.volumeName === name;
  if (isNamed && metadata.annotations?.[bindCompleted] !== undefined) return claim;
  const marked = isNamed ? metadata : annotated(metadata, boundByController);
  return {
    ...claim,
    metadata: annotated(marked, bindCompleted),
    spec: { ...spec, volumeName: name },
  };
}

/** The status of a claim in a phase; the same status if nothing changes. */
export function claimStatus(
  { status }: PersistentVolumeClaim,
  phase: string,
  volume?: PersistentVolume,
): PersistentVolumeClaim["status"] {
  const next = volume
    ? boundStatus(status, { phase, volume })
    : {
        ...status,
        phase,
        accessModes: undefined,
        capacity: undefined,
        currentVolumeAttributesClassName: undefined,
      };
  return sameJson(present(next), present(status)) ? status : (present(next) as typeof status);
}

function boundStatus(
  status: PersistentVolumeClaim["status"],
  { phase, volume }: { readonly phase: string; readonly volume: PersistentVolume },
): PersistentVolumeClaim["status"] {
  const { accessModes, capacity, volumeAttributesClassName } = volume.spec;
  const next = { ...status, phase, accessModes };
  // The capacity of a bound claim may differ while its file system is resized.
  if (status.phase === phase) return next;
  const isFirst = status.phase === "Pending" && phase === "Bound";
  return {
    ...next,
    capacity: claimCapacity(status, { volume, capacity }),
    ...(isFirst && { currentVolumeAttributesClassName: volumeAttributesClassName }),
  };
}

type Capacity = PersistentVolume["spec"]["capacity"];

function claimCapacity(
  status: PersistentVolumeClaim["status"],
  { volume, capacity }: { readonly volume: PersistentVolume; readonly capacity: Capacity },
): Capacity {
  const { storage } = capacity ?? {};
  if (storage === undefined)
    throw new Error(`PersistentVolume "${volume.metadata.name}" is without a storage capacity`);
  const before = volume.metadata.annotations?.[preResizeCapacity];
  if (before !== undefined) return { ...status.capacity, storage: before };
  const known = status.capacity?.storage;
  const isSame =
    known !== undefined && compareQuantities(parseQuantity(known), parseQuantity(storage)) === 0;
  return isSame ? status.capacity : capacity;
}

/** On a volume: its size before the file system is resized. */
const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity";

const present = (status: object): object =>
  Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));

const annotated = <
  M extends { readonly annotations?: Readonly<Record<string, string>> | undefined },
>(
  metadata: M,
  name: string,
): M => ({ ...metadata, annotations: { [name]: "yes", ...metadata.annotations } });
