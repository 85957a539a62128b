import { bool, message, string, strings } from "../../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { LocalObjectReference } from "../../object-reference.ts";
import { requiredFields } from "./required-fields.ts";

export const RBDVolumeSource = struct("io.k8s.api.core.v1.RBDVolumeSource", {
  monitors: strings(1).always().expected().atomic().doc("Addresses of the Ceph monitors."),
  image: string(2).always().expected().doc("Name of the image."),
  fsType: string(3).doc("The file system that is mounted."),
  pool: string(4).default("rbd").doc("The pool that the image is in."),
  user: string(5).default("admin").doc("The user it is mapped as."),
  keyring: string(6).default("/etc/ceph/keyring").doc("The user's key ring on the node."),
  secretRef: message(7, LocalObjectReference).doc("The user's secret, instead of a key ring."),
  readOnly: bool(8).doc("Whether it is mounted read-only."),
}).doc("A block device of a Ceph cluster.");
export interface RBDVolumeSource extends Infer<typeof RBDVolumeSource> {}

export const validateRbd = requiredFields<Pick<RBDVolumeSource, "monitors" | "image">>(
  "monitors",
  "image",
);

export const CephFSVolumeSource = struct("io.k8s.api.core.v1.CephFSVolumeSource", {
  monitors: strings(1).always().expected().atomic().doc("Addresses of the Ceph monitors."),
  path: string(2).doc("The folder that is mounted; the root if not given."),
  user: string(3).doc("The user it is mounted as; admin if not given."),
  secretFile: string(4).doc("The user's key ring on the node."),
  secretRef: message(5, LocalObjectReference).doc("The user's secret, instead of a key ring."),
  readOnly: bool(6).doc("Whether it is mounted read-only."),
}).doc("A folder of a Ceph file system.");
export interface CephFSVolumeSource extends Infer<typeof CephFSVolumeSource> {}

export const validateCephFs = requiredFields<Pick<CephFSVolumeSource, "monitors">>("monitors");
