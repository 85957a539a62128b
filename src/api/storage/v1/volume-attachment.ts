import {
  bool,
  int32,
  message,
  string,
  stringMap,
  time,
  value,
} from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { PersistentVolumeSpec } from "../../core/v1/volume/persistent-volume-spec.ts";
import { validateInlineVolumeSpec } from "../../core/v1/volume/persistent-volume-validation.ts";
import { validateCsiDriverName } from "../../core/v1/volume/sources/csi.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf, type ObjectValue, type UpdateCheck } from "../../meta/v1/kind.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { mapSize } from "./provisioner.ts";

export const VolumeAttachmentSource = struct("io.k8s.api.storage.v1.VolumeAttachmentSource", {
  persistentVolumeName: string(1).pointer().doc("Name of the volume."),
  inlineVolumeSpec: message(2, PersistentVolumeSpec).doc(
    "The volume, where it was moved to a CSI driver from a pod's own sources.",
  ),
}).doc("The volume that is attached: one of these.");
export interface VolumeAttachmentSource extends Infer<typeof VolumeAttachmentSource> {}

export const VolumeAttachmentSpec = struct("io.k8s.api.storage.v1.VolumeAttachmentSpec", {
  attacher: string(1).always().expected().doc("The CSI driver that attaches."),
  source: value(2, VolumeAttachmentSource).expected().doc("The volume that is attached."),
  nodeName: string(3).always().expected().doc("The node that it is attached to."),
}).doc("What is to be attached, and to what. Never changes.");
export interface VolumeAttachmentSpec extends Infer<typeof VolumeAttachmentSpec> {}

export const VolumeError = struct("io.k8s.api.storage.v1.VolumeError", {
  time: time(1).always().doc("When it went wrong."),
  message: string(2).doc("What went wrong."),
  errorCode: int32(3).pointer().doc("The code that the driver gave."),
}).doc("Something that went wrong with a volume.");
export interface VolumeError extends Infer<typeof VolumeError> {}

export const VolumeAttachmentStatus = struct("io.k8s.api.storage.v1.VolumeAttachmentStatus", {
  attached: bool(1).always().expected().doc("Whether the volume is attached."),
  attachmentMetadata: stringMap(2).doc("What the attacher tells those who mount."),
  attachError: message(3, VolumeError).doc("What last went wrong with attaching."),
  detachError: message(4, VolumeError).doc("What last went wrong with detaching."),
}).doc("How attaching is going.");
export interface VolumeAttachmentStatus extends Infer<typeof VolumeAttachmentStatus> {}

const fields = {
  spec: value(2, VolumeAttachmentSpec).expected().doc("What is to be attached, and to what."),
  status: value(3, VolumeAttachmentStatus).doc("How that is going."),
};
type Body = ObjectValue<typeof fields>;

export const VolumeAttachment = kind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  scope: "Cluster",
  doc: "Asks for a volume to be attached to a node.",
  name: nameIsDnsSubdomain,
  fields,
  subresources: ["status"],
  rules: [validateAttachment],
  metadataUpdateRules: false,
  updateRules: validateAttachmentUpdate,
  statusRules: validateAttachmentUpdate,
  strategy: {
    initialStatus: { attached: false },
    statusKeeps: ["metadata"],
    conditionalUpdateOnly: true,
    deleteReturnsObject: true,
  },
  columns: [
    nameColumn,
    {
      name: "Attacher",
      type: "string",
      format: "name",
      description:
        "attacher indicates the name of the volume driver that MUST handle this request. This is the name returned by GetPluginName().",
      cell: ({ spec }) => spec.attacher,
    },
    {
      name: "PV",
      type: "string",
      description: "persistentVolumeName represents the name of the persistent volume to attach.",
      cell: ({ spec }) => spec.source.persistentVolumeName ?? "",
    },
    {
      name: "Node",
      type: "string",
      description: "nodeName represents the node that the volume should be attached to.",
      cell: ({ spec }) => spec.nodeName,
    },
    {
      name: "Attached",
      type: "boolean",
      description:
        "attached indicates the volume is successfully attached. This field must only be set by the entity completing the attach operation, i.e. the external-attacher.",
      cell: ({ status }) => status.attached,
    },
    ageColumn,
  ],
});
export interface VolumeAttachment extends ObjectOf<typeof VolumeAttachment> {}

function validateAttachment({ spec, status }: Body, at: At): void {
  const here = at.child("spec");
  const name = spec.source.persistentVolumeName;
  validateCsiDriverName(spec.attacher, here.child("attacher"));
  validateSource(spec.source, here.child("source"));
  here.invalidEach("nodeName", spec.nodeName, nameIsDnsSubdomain(spec.nodeName));
  validateStatus(status, at.child("status"));
  if (name !== undefined)
    here.invalidEach("source.persistentVolumeName", name, nameIsDnsSubdomain(name));
}

/** The same is asked of the object and of its status. */
function validateAttachmentUpdate(
  attachment: Body,
  old: Body,
  { at, metadata }: UpdateCheck,
): void {
  metadata();
  validateAttachment(attachment, at);
  if (!semanticEqual(VolumeAttachmentSpec, attachment.spec, old.spec))
    at.invalid("spec", internalForm(VolumeAttachmentSpec, attachment.spec), "field is immutable");
}

function validateSource(source: VolumeAttachmentSource, at: At): void {
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const either = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inlineVolumeSpec && persistentVolumeName !== undefined) at.forbidden("", either);
  else if (inlineVolumeSpec)
    validateInlineVolumeSpec(inlineVolumeSpec, at.child("inlineVolumeSpec"));
  else if (persistentVolumeName === undefined) at.required("", either);
  else if (persistentVolumeName === "")
    at.required("persistentVolumeName", "must specify non empty persistentVolumeName");
}

const maxMetadata = 256 * 1024;
const maxMessage = 1024;
const encoder = new TextEncoder();

function validateStatus(status: VolumeAttachmentStatus, at: At): void {
  if (mapSize(status.attachmentMetadata) > maxMetadata)
    at.tooLong("attachmentMetadata", maxMetadata);
  validateError(status.attachError, at.child("attachError"));
  validateError(status.detachError, at.child("detachError"));
}

function validateError(error: VolumeError | undefined, at: At): void {
  // Upstream names another limit than the one it has.
  if (encoder.encode(error?.message).length > maxMessage) at.tooLong("message", maxMetadata);
  const code = error?.errorCode ?? 0;
  if (code < 0) at.invalid("errorCode", code, "must be between 0 and 2147483647, inclusive");
}
