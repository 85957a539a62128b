import { migratedDriver } from "../../api/core/v1/volume/migrated-plugins.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";

/** How a claim without a volume gets one. */
export type ProvisioningStep =
  /** The claim is annotated with the provisioner, which makes the volume. */
  | {
      readonly type: "provision";
      readonly provisioner: string;
      readonly event: RecordedEvent;
    }
  /** Nobody makes a volume, for the reason in the event. */
  | { readonly type: "leave"; readonly event?: RecordedEvent | undefined };

export interface ProvisioningRequest {
  readonly className: string;
  readonly storageClass: StorageClass | undefined;
  /** Whether volumes are provisioned at all. */
  readonly provisions: boolean;
}

/** Decides who makes the volume of a claim with a class. */
export function provisioningStep({
  className,
  storageClass,
  provisions,
}: ProvisioningRequest): ProvisioningStep {
  if (!provisions) return { type: "leave" };
  if (!storageClass) return failed(`storageclass.storage.k8s.io "${className}" not found`);
  const plugin = storageClass.provisioner;
  const driver = migratedDriver(plugin);
  // The plugins of Kubernetes itself that are left do not provision.
  if (driver === undefined && plugin.startsWith("kubernetes.io/"))
    return failed(
      plugin === "kubernetes.io/nfs"
        ? "no provisionable volume plugin matched"
        : `no volume plugin matched name: ${plugin}`,
    );
  const provisioner = driver ?? plugin;
  const note = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  const event = { type: "Normal", reason: "ExternalProvisioning", note } as const;
  return { type: "provision", provisioner, event };
}

const failed = (note: string): ProvisioningStep => ({
  type: "leave",
  event: { type: "Warning", reason: "ProvisioningFailed", note },
});
