import { timeOf } from "../../core/v1/pod/pod-state.ts";
import type { StorageClass } from "./storage-class.ts";

const annotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** The default class: of several, the newest, then the first by name. */
export function defaultStorageClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const [first] = classes
    .filter(({ metadata }) => annotations.some((name) => metadata.annotations?.[name] === "true"))
    .sort(
      ({ metadata: a }, { metadata: b }) =>
        (timeOf(b.creationTimestamp) ?? 0) - (timeOf(a.creationTimestamp) ?? 0) ||
        ((a.name ?? "") < (b.name ?? "") ? -1 : 1),
    );
  return first;
}
