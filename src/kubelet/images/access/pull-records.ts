import { bool, list, mapOf, string, time } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { structType } from "../../../schema/language/type.ts";
import { typePrefix } from "../../config/fields/field-kinds.ts";

const ownerFields = {
  uid: string(1).always().expected().doc("The UID of the object."),
  namespace: string(2).always().expected().doc("The namespace of the object."),
  name: string(3).always().expected().doc("The name of the object."),
};

const ImagePullSecret = struct(`${typePrefix}.ImagePullSecret`, {
  ...ownerFields,
  credentialHash: string(4).always().expected().doc("The SHA-256 of the credentials in it."),
}).doc("A secret whose credentials may pull an image.");
export interface ImagePullSecret extends Infer<typeof ImagePullSecret> {}

const ImagePullServiceAccount = struct(`${typePrefix}.ImagePullServiceAccount`, ownerFields).doc(
  "A service account whose token may pull an image.",
);
export interface ImagePullServiceAccount extends Infer<typeof ImagePullServiceAccount> {}

const ImagePullCredentials = struct(`${typePrefix}.ImagePullCredentials`, {
  kubernetesSecrets: list(1, ImagePullSecret).doc("The secrets that have pulled it."),
  kubernetesServiceAccounts: list(2, ImagePullServiceAccount).doc(
    "The service accounts that have pulled it.",
  ),
  nodePodsAccessible: bool(3).doc("Whether all pods of the node may use it."),
}).doc("Who may use an image of a registry.");
export interface ImagePullCredentials extends Infer<typeof ImagePullCredentials> {}

const typeFields = {
  kind: string(101).doc("The kind of the record."),
  apiVersion: string(102).doc("The version of the record."),
};

/** An image that the kubelet has pulled, and whose credentials it was pulled with. */
export const ImagePulledRecord = struct(`${typePrefix}.ImagePulledRecord`, {
  ...typeFields,
  lastUpdatedTime: time(1).always().expected().doc("When the record was last changed."),
  imageRef: string(2).always().expected().doc("The ID of the image in the runtime."),
  credentialMapping: mapOf(3, structType(ImagePullCredentials)).doc(
    "Who may use it, by the image's name without tag and digest.",
  ),
}).doc("An image that the kubelet has pulled.");
export interface ImagePulledRecord extends Infer<typeof ImagePulledRecord> {}

/** An image that the kubelet is about to pull, or has pulled without writing the record of that. */
export const ImagePullIntent = struct(`${typePrefix}.ImagePullIntent`, {
  ...typeFields,
  image: string(1).always().expected().doc("The image, as a container names it."),
}).doc("An image that the kubelet is about to pull.");
export interface ImagePullIntent extends Infer<typeof ImagePullIntent> {}

/** What a node knows of its pulls, also after a restart. Intents are by image, records by the ID of the image. */
export interface PullRecords {
  intents(): Promise<readonly string[]>;
  hasIntent(image: string): Promise<boolean>;
  writeIntent(image: string): Promise<void>;
  removeIntent(image: string): Promise<void>;
  pulled(): Promise<readonly ImagePulledRecord[]>;
  /** Undefined if there is no record; rejects if there is one that cannot be read. */
  pulledRecord(imageRef: string): Promise<ImagePulledRecord | undefined>;
  writePulled(record: ImagePulledRecord): Promise<void>;
  removePulled(imageRef: string): Promise<void>;
}
