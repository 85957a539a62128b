import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { Image, PullOptions, RegistryAuth } from "../../../cri/image-service.ts";
import type { ImageAccess } from "../../images/access/image-access.ts";
import { openImages } from "../../images/access/open-images.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import { BackoffTable } from "./backoff-table.ts";
import { ensureImage, pullFailure } from "./ensure-image.ts";
import { type PullSecret, pullSecretCredentials, readPullSecrets } from "./pull-secrets.ts";

const secret = (type: string, key: string, value: unknown): PullSecret => ({
  type: `kubernetes.io/${type}`,
  data: { [key]: typeof value === "string" ? value : JSON.stringify(value) },
  ...owner,
});
const owner = { uid: "s", namespace: "default", name: "pull" };
const entry = (username: string) => ({ "quay.io": { username, password: "p" } });
const auth = (username: string) => ({ username, password: "p" });
const json = secret("dockerconfigjson", ".dockerconfigjson", { auths: entry("new") });
const cfg = secret("dockercfg", ".dockercfg", entry("old"));

each<[name: string, secrets: PullSecret[], found: string[]]>([
  ["both forms, in the order of the pod", [cfg, json], ["old", "new"]],
  ["a key under another type is ignored", [{ ...json, type: "Opaque" }], []],
  ["each type has its own key", [{ ...json, type: cfg.type }], []],
  ["an empty secret is ignored", [secret("dockercfg", ".dockercfg", "")], []],
])("pullSecretCredentials: %s", (_, secrets, found) => {
  const names = pullSecretCredentials(secrets, "quay.io/app").map(({ auth }) => auth.username);
  expect(names).toEqual(found);
});

/** The surroundings of a pod on a node with secrets; only some credentials may pull. */
function surroundings({ secrets = {}, node = [], accepted = [], imageAccess }: World) {
  const recorded: string[] = [];
  const record = ({ reason, message }: KubeletEvent) => recorded.push(`${reason}: ${message}`);
  const pulls: (RegistryAuth | undefined)[] = [];
  const around = {
    clock: new VirtualClock(),
    imageAccess,
    credentials: { forImage: async () => node.map((auth) => ({ auth })) },
    events: { pod: (_: unknown, event: KubeletEvent) => record(event), container: recordLast },
    references: {
      async pullSecret({ name }: { readonly name: string }) {
        if (name === "broken") throw new Error("the API server is away");
        return secrets[name];
      },
    },
    images: {
      async imageStatus() {
        throw new Error("the runtime is away");
      },
      async pullImage(_: string, { auth }: PullOptions = {}) {
        pulls.push(auth);
        if (accepted.includes(auth?.username ?? "")) return { sizeBytes: 1 } as Image;
        throw new Error(auth ? `${auth.username} may not` : "unauthorized");
      },
    },
  };
  function recordLast(_: unknown, __: string, event: KubeletEvent): void {
    record(event);
  }
  return { around: around as unknown as PodSurroundings, recorded, pulls };
}

interface World {
  readonly secrets?: Readonly<Record<string, PullSecret>>;
  readonly node?: readonly RegistryAuth[];
  readonly accepted?: readonly string[];
  readonly imageAccess?: ImageAccess;
}

const podWith = (...names: string[]): Pod =>
  ({
    metadata: { name: "app", namespace: "default", uid: "1" },
    spec: { imagePullSecrets: names.map((name) => ({ name })) },
  }) as unknown as Pod;

test("readPullSecrets: an event names those that cannot be read", async () => {
  const { around, recorded } = surroundings({ secrets: { json } });
  const pod = podWith("gone", "json", "", "broken");
  expect(await readPullSecrets(pod, around)).toEqual([json]);
  expect(recorded).toEqual([
    "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (gone, broken); attempting to pull the image may not succeed.",
  ]);
});

test("readPullSecrets: nodes without credentials read none", async () => {
  const { around, recorded } = surroundings({});
  const { credentials: _, ...without } = around;
  expect(await readPullSecrets(podWith("gone"), without)).toEqual([]);
  expect(recorded).toEqual([]);
});

/** Ensures an image that is on no node. */
async function ensure(world: World, pullSecrets: readonly PullSecret[], pullPolicy = "Always") {
  const { around, recorded, pulls } = surroundings(world);
  const result = await ensureImage(
    {
      ...{ pod: podWith(), image: "quay.io/app:1", pullPolicy },
      record: (event) => around.events.container(podWith(), "web", event),
      sandbox: {} as never,
      backoff: new BackoffTable(around.clock),
      pullErrors: new Map(),
      pullSecrets,
      leaving: { hasBegun: false, signal: new AbortController().signal } as never,
    },
    around,
  );
  return { result, recorded, pulls };
}

test("ensureImage: tries credentials of the pod, then of the node, until one may pull", async () => {
  const node = [auth("node"), auth("unused")];
  const { result, pulls } = await ensure({ node, accepted: ["node"] }, [cfg, json]);
  expect(result).toEqual({ sizeBytes: 1 });
  expect(pulls).toEqual([auth("old"), auth("new"), auth("node")]);
});

test("ensureImage: without credentials for the image the pull is anonymous", async () => {
  const { pulls } = await ensure({ accepted: [""] }, []);
  expect(pulls).toEqual([undefined]);
});

test("ensureImage: the errors of all credentials are one message", async () => {
  const { result, recorded } = await ensure({ node: [auth("node"), auth("node")] }, [cfg]);
  const message = "[old may not, node may not]";
  expect(result).toEqual({ reason: "ErrImagePull", message });
  expect(recorded.at(-1)).toBe(`Failed: Failed to pull image "quay.io/app:1": ${message}`);
});

test("ensureImage: a pull secret that cannot be parsed fails the container", async () => {
  const wrong = secret("dockercfg", ".dockercfg", { "quay.io": { auth: "dXNlcg==" } });
  const message = "unable to parse auth field, must be formatted as base64(username:password)";
  const { result, pulls } = await ensure({}, [wrong]);
  expect([result, pulls]).toEqual([{ reason: message, message }, []]);
});

test("ensureImage: a runtime that cannot tell of an image fails the container", async () => {
  const { result, recorded } = await ensure({}, [], "IfNotPresent");
  const message = 'Failed to inspect image "": the runtime is away';
  expect(result).toEqual({ reason: "ImageInspectError", message });
  expect(recorded).toEqual([`InspectFailed: ${message}`]);
});

test("ensureImage: a pull that cannot be recorded does not begin", async () => {
  const imageAccess = {
    ...openImages,
    begin: () => Promise.reject(new Error("no space left on device")),
  };
  const { result, recorded, pulls } = await ensure({ imageAccess }, []);
  const reason = "failed to record image pull intent: no space left on device";
  expect(result).toEqual({
    reason,
    message: `Failed to record image pull intent for container image "quay.io/app:1": ${reason}`,
  });
  expect([recorded, pulls]).toEqual([[], []]);
});

each<[why: string, reason: string, message: string]>([
  ["unauthorized", "ErrImagePull", "unauthorized"],
  [
    "RegistryUnavailable: timeout",
    "RegistryUnavailable",
    "image pull failed for app because the registry is unavailable: timeout",
  ],
  [
    "SignatureValidationFailed",
    "SignatureValidationFailed",
    "image pull failed for app because the signature validation failed",
  ],
])("pullFailure: %s", (why, reason, message) => {
  expect(pullFailure("app", why)).toEqual({ reason, message });
});
