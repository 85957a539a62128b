import type { ContainerConfig } from "../../cri/runtime-types.ts";
import type { Container } from "../containers/containers.ts";

/** What CRI needs to know of a container beside what runs. */
export interface CriContainerDetails {
  readonly sandboxId: string;
  readonly podUid: string;
  readonly config: ContainerConfig;
  /** The full name of its image, its reference and its ID. */
  readonly image: string;
  readonly imageRef: string;
  readonly imageId: string;
  readonly stopSignal: string;
}

/** A process that holds the namespace which the containers of a pod share. */
export interface CriHolderDetails {
  readonly holderOf: string;
}

/** What CRI recorded of a container; undefined if it is not one of a pod. */
export function criDetails({ owner, details }: Container): CriContainerDetails | undefined {
  return owner === "cri" && "sandboxId" in details ? (details as CriContainerDetails) : undefined;
}
