import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { SimulatedImages } from "../../../cri/simulated/simulated-images.ts";
import { defaultKubeletConfiguration } from "../../config/default-kubelet-configuration.ts";
import { testGates } from "../../config/feature-gates.test-support.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import type { ImageCredential } from "../../pod/container/image-credential.ts";
import { openNodeImages } from "./open-node-images.ts";

const image = "quay.io/team/app:1";
const secret = (uid: string, password = "p"): ImageCredential => ({
  auth: { username: "u", password },
  source: { kind: "Secret", owner: { uid, namespace: "n", name: "pull" } },
});

/** The images of a node, whose agent can be killed and started again. */
async function world(changes: Partial<KubeletConfiguration> = {}, features = testGates({}).on) {
  const rootDir = mkdtempSync(join(tmpdir(), "node-images-"));
  onTestFinished(() => rmSync(rootDir, { recursive: true }));
  const clock = new VirtualClock(1_700_000_000_500);
  const images = new SimulatedImages(clock);
  const metrics = new MetricsRegistry();
  const configuration = { ...defaultKubeletConfiguration(testGates), ...changes };
  const open = () =>
    openNodeImages({ configuration, features, rootDir, images, clock, log: noLog, metrics });
  let access = await open();
  const folder = (name: string) => join(rootDir, "image_manager", name);
  const files = (name: string) => readdirSync(folder(name));
  return {
    ...{ clock, images, metrics, files },
    get access() {
      return access;
    },
    async restart(): Promise<void> {
      access = await open();
    },
    /** Pulls the image, anonymously unless there are credentials. */
    async pull(credential?: ImageCredential): Promise<void> {
      const pull = await access.begin(image);
      const { id } = await images.pullImage(image);
      await pull.succeeded(id, credential);
    },
    async mustPull(...credentials: ImageCredential[]): Promise<boolean> {
      const { id: imageRef = "" } = (await images.imageStatus(image)) ?? {};
      return access.mustPull({ image, imageRef, credentials: async () => credentials });
    },
    /** The path of the only record of a kind. */
    file: (name: string) => join(folder(name), files(name)[0] ?? ""),
    count: (name: string) =>
      metrics
        .text()
        .split("\n")
        .filter((line) => line.startsWith(`kubelet_imagemanager_${name}`))
        .map((line) => line.slice("kubelet_imagemanager_".length)),
  };
}

test("an image that was pulled with a secret is for pods with that secret, also after a restart", async () => {
  const node = await world();
  await node.pull(secret("1"));
  for (let i = 0; i < 2; i++) {
    expect(await node.mustPull()).toBe(true);
    expect(await node.mustPull(secret("2", "other"))).toBe(true);
    expect(await node.mustPull(secret("1"))).toBe(false);
    await node.restart();
  }
  expect(node.count("image_mustpull_checks_total")).toEqual([
    'image_mustpull_checks_total{result="credentialRecordFound"} 2',
    'image_mustpull_checks_total{result="mustAuthenticate"} 4',
  ]);
});

test("a copy of the secret, once seen, is known when the original was renewed", async () => {
  const node = await world();
  await node.pull(secret("1"));
  expect(await node.mustPull(secret("2"))).toBe(false);
  await node.pull(secret("1", "renewed"));
  expect(await node.mustPull(secret("2"))).toBe(false);
  expect(await node.mustPull(secret("3", "renewed"))).toBe(false);
});

test("an anonymous pull makes an image available to all pods, also one after others", async () => {
  const node = await world();
  await node.pull(secret("1"));
  await node.pull();
  await node.pull(secret("1"));
  expect(await node.mustPull()).toBe(false);
});

test("records are upstream's", async () => {
  const node = await world();
  await node.pull(secret("1"));
  expect(node.files("pulling")).toEqual([]);
  const { id } = (await node.images.imageStatus(image)) ?? {};
  expect(JSON.parse(readFileSync(node.file("pulled"), "utf8"))).toEqual({
    kind: "ImagePulledRecord",
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    lastUpdatedTime: "2023-11-14T22:13:20Z",
    imageRef: id,
    credentialMapping: {
      "quay.io/team/app": {
        kubernetesSecrets: [
          {
            ...{ uid: "1", namespace: "n", name: "pull" },
            credentialHash: "edbd57ca9372e64eb1c9070ecf3a049ac553596b0529acf034c7a71d4e618e88",
          },
        ],
      },
    },
  });
  expect(node.count("ondisk")).toEqual(["ondisk_pulledrecords 1", "ondisk_pullintents 0"]);
});

test("a preloaded image is for all pods, unless the policy says otherwise", async () => {
  for (const [imagePullCredentialsVerificationPolicy, expected] of [
    ["NeverVerify", false],
    ["NeverVerifyPreloadedImages", false],
    ["NeverVerifyAllowlistedImages", true],
    ["AlwaysVerify", true],
  ] as const) {
    const node = await world({ imagePullCredentialsVerificationPolicy });
    await node.images.pullImage(image);
    expect(await node.mustPull(secret("1"))).toBe(expected);
  }
});

test("an allowlist names images that need no credentials", async () => {
  const node = await world({
    imagePullCredentialsVerificationPolicy: "NeverVerifyAllowlistedImages",
    preloadedImagesVerificationAllowlist: ["quay.io/team/*"],
  });
  await node.pull(secret("1"));
  expect(await node.mustPull()).toBe(false);
});

test("an agent that was killed between a pull and its record does not give the image to all", async () => {
  const node = await world();
  await node.access.begin(image);
  await node.images.pullImage(image);
  expect(node.files("pulling")).toHaveLength(1);
  await node.restart();
  expect(await node.mustPull(secret("1"))).toBe(true);
  expect([node.files("pulling"), node.files("pulled").length]).toEqual([[], 1]);
  await node.pull(secret("1"));
  expect(await node.mustPull(secret("1"))).toBe(false);
});

test("the intent of a pull lasts until all pulls of the image have ended", async () => {
  const node = await world();
  const [one, two] = [await node.access.begin(image), await node.access.begin(image)];
  await one.failed();
  expect(node.files("pulling")).toHaveLength(1);
  await two.failed();
  expect(node.files("pulling")).toEqual([]);
});

test("a record that cannot be read lets nobody use the image, until the next pull", async () => {
  const node = await world();
  await node.pull();
  for (const text of ["", "{}", '{"kind":"ImagePulledRecord","apiVersion":"v9"}']) {
    writeFileSync(node.file("pulled"), text);
    expect(await node.mustPull()).toBe(true);
  }
  await node.pull();
  expect(await node.mustPull()).toBe(false);
});

test("records of images that are gone are removed, those of later pulls are not", async () => {
  const node = await world();
  await node.pull();
  const { id = "" } = (await node.images.imageStatus(image)) ?? {};
  const { clock, access } = node;
  await access.prune(new Set([id]), clock.now() + 5000);
  await access.prune(new Set(), clock.now() + 400);
  expect(node.files("pulled")).toHaveLength(1);
  await access.prune(new Set(), clock.now() + 5000);
  expect(node.files("pulled")).toEqual([]);
});

test("without the feature gate nothing is recorded, and all pods may use all images", async () => {
  const node = await world({}, new Set());
  expect(node.access.remark).toBe("");
  await node.pull(secret("1"));
  expect(await node.mustPull()).toBe(false);
  expect(() => node.files("pulled")).toThrow("ENOENT");
});
