import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ImageCredential } from "../../pod/container/image-credential.ts";
import { type ImageUse, mayAnyPodUse, mayUseImage } from "./may-use-image.ts";
import { pullSecretRecord } from "./merge-credentials.ts";
import type { ImagePullCredentials } from "./pull-records.ts";

const ownerOf = (uid: string) => ({ uid, namespace: "n", name: "pull" });
const secret = (uid: string, password: string): ImageCredential => ({
  auth: { username: "u", password },
  source: { kind: "Secret", owner: ownerOf(uid) },
});
const account = (uid: string): ImageCredential => ({
  auth: { username: "u", password: "p" },
  source: { kind: "ServiceAccount", owner: ownerOf(uid) },
});
const ofNode: ImageCredential = { auth: { username: "u", password: "p" } };
const recordOf = (uid: string, password: string) =>
  pullSecretRecord({ username: "u", password }, ownerOf(uid));
const many = Array.from({ length: 100 }, (_, i) => recordOf(`${i}`, `p${i}`));

each<[string, ImagePullCredentials | undefined, boolean | undefined]>([
  ["no record", undefined, false],
  ["a record without credentials", {}, false],
  ["an anonymous pull", { nodePodsAccessible: true }, true],
  ["a pull with a secret", { kubernetesSecrets: [recordOf("1", "p")] }, undefined],
  ["a pull by a service account", { kubernetesServiceAccounts: [ownerOf("1")] }, undefined],
])("mayAnyPodUse: %s", (_, recorded, expected) => {
  expect(mayAnyPodUse(recorded)).toBe(expected);
});

each<[string, ImagePullCredentials, ImageCredential[], ImageUse]>([
  ["no credentials", { kubernetesSecrets: [recordOf("1", "p")] }, [], { mayUse: false }],
  ["those of the node", { kubernetesSecrets: [recordOf("1", "p")] }, [ofNode], { mayUse: false }],
  [
    "another secret",
    { kubernetesSecrets: [recordOf("1", "p")] },
    [secret("2", "q")],
    { mayUse: false },
  ],
  [
    "the same secret",
    { kubernetesSecrets: [recordOf("1", "p")] },
    [secret("2", "q"), secret("1", "p")],
    { mayUse: true },
  ],
  [
    "a copy of the secret",
    { kubernetesSecrets: [recordOf("1", "p")] },
    [secret("2", "p")],
    { mayUse: true, learned: recordOf("2", "p") },
  ],
  [
    "the secret with other content",
    { kubernetesSecrets: [recordOf("1", "p")] },
    [secret("1", "q")],
    { mayUse: true, learned: recordOf("1", "q") },
  ],
  [
    "a copy, when many are known",
    { kubernetesSecrets: many },
    [secret("x", "p7")],
    { mayUse: true },
  ],
  [
    "other content, when many are known",
    { kubernetesSecrets: many },
    [secret("7", "q")],
    { mayUse: false },
  ],
  [
    "the same service account",
    { kubernetesServiceAccounts: [ownerOf("1")] },
    [account("1")],
    { mayUse: true },
  ],
  [
    "another service account",
    { kubernetesServiceAccounts: [ownerOf("1")] },
    [account("2"), account("1")],
    { mayUse: false },
  ],
  [
    "a service account with the UID of a secret",
    { kubernetesSecrets: [recordOf("1", "p")] },
    [account("1")],
    { mayUse: false },
  ],
])("mayUseImage: %s", (_, recorded, credentials, expected) => {
  expect(mayUseImage(recorded, credentials)).toEqual(expected);
});
