import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { noLog } from "../../../base/log.ts";
import { SeededRandom } from "../../../base/random.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { type Served, TestNetwork } from "../../connect/test-network.test-support.ts";
import { ReviewWebhook } from "../../connect/webhooks/review-webhook.ts";
import { context } from "../../verbs/verb-parts.test-support.ts";
import { rejectionBy } from "../attributes.test-support.ts";
import { type ImagePolicyConfiguration, imagePolicySettings } from "./configuration.ts";
import { imagePolicyWebhook } from "./image-policy-webhook.ts";

function openPlugin(
  imagePolicy: ImagePolicyConfiguration["imagePolicy"],
  respond: () => object | Served,
) {
  const clock = new VirtualClock(0);
  const network = new TestNetwork();
  const reviews: unknown[] = [];
  network.served.set("https://images.test/?timeout=30s", (body) => {
    const review = JSON.parse(body);
    reviews.push(review);
    const answer = respond();
    if ("body" in answer) return answer as Served;
    return { body: JSON.stringify({ ...review, status: answer }) };
  });
  const server = { url: "https://images.test", identity: async () => ({ tls: {} }) };
  const random = new SeededRandom(1);
  const plugin = imagePolicyWebhook({
    configuration: { imagePolicy, server },
    environment: { clock, log: noLog },
    openReviews: (to, { retryMs }) =>
      new ReviewWebhook({ server: to, network, clock, random, retryMs }),
  });
  return { plugin, reviews, clock };
}

const pod = {
  metadata: { annotations: { "a.image-policy.k8s.io/b": "c", other: "d" } },
  spec: { containers: [{ image: "one" }], initContainers: [{ image: "two" }] },
  address: { namespace: "n" },
};
const annotations = () => new Map<string, string>();

test("imagePolicyWebhook: the images of a pod are reviewed, and the outcome is kept", async () => {
  let answer: object = { allowed: true, auditAnnotations: { why: "signed" } };
  const { plugin, reviews, clock } = openPlugin({ denyTTL: 60 }, () => answer);
  const auditAnnotations = annotations();
  const given = { ...pod, context: { ...context(), auditAnnotations } };
  expect(await rejectionBy(plugin, given)).toBeUndefined();
  expect(reviews).toEqual([
    {
      kind: "ImageReview",
      apiVersion: "imagepolicy.k8s.io/v1alpha1",
      metadata: {},
      spec: {
        containers: [{ image: "one" }, { image: "two" }],
        annotations: { "a.image-policy.k8s.io/b": "c" },
        namespace: "n",
      },
      status: { allowed: false },
    },
  ]);
  expect([...auditAnnotations]).toEqual([["imagepolicywebhook.image-policy.k8s.io/why", "signed"]]);
  answer = { allowed: false };
  expect(await rejectionBy(plugin, pod)).toBeUndefined();
  await clock.advance(300_000);
  const rejected = 'pods "a" is forbidden: one or more images rejected by webhook backend';
  expect(await rejectionBy(plugin, pod)).toBe(rejected);
  answer = { allowed: true };
  await clock.advance(59_000);
  expect(await rejectionBy(plugin, pod)).toBe(rejected);
  await clock.advance(1000);
  expect(await rejectionBy(plugin, pod)).toBeUndefined();
  expect(reviews.length).toBe(3);
});

test("imagePolicyWebhook: of a running pod, the containers that are added are reviewed", async () => {
  const { plugin, reviews } = openPlugin({}, () => ({ allowed: false, reason: "no shells" }));
  const given = {
    ...pod,
    operation: "UPDATE",
    subresource: "ephemeralcontainers",
    spec: { ...pod.spec, ephemeralContainers: [{ image: "debug" }] },
  } as const;
  expect(await rejectionBy(plugin, given)).toBe(
    'pods "a" is forbidden: image policy webhook backend denied one or more images: no shells',
  );
  expect(reviews).toMatchObject([{ spec: { containers: [{ image: "debug" }] } }]);
});

each<[what: string, answer: object | Served, error: string]>([
  ["fails", { code: 403, body: "away", headers: { "Content-Type": "text/plain" } }, "away"],
  [
    "responds with something else",
    { body: '{"kind":"Pod","apiVersion":"v1"}' },
    'no kind "Pod" is registered',
  ],
])(
  "imagePolicyWebhook: a webhook that %s rejects pods, or admits them by default",
  async (_, answer, error) => {
    const strict = openPlugin({}, () => answer);
    expect(await rejectionBy(strict.plugin, pod)).toContain(`pods "a" is forbidden: ${error}`);
    const open = openPlugin({ defaultAllow: true }, () => answer);
    const auditAnnotations = annotations();
    const given = { ...pod, context: { ...context(), auditAnnotations } };
    expect(await rejectionBy(open.plugin, given)).toBeUndefined();
    expect([...auditAnnotations]).toEqual([
      ["imagepolicywebhook.image-policy.k8s.io/failed-open", "true"],
    ]);
    // A failure is not kept.
    await rejectionBy(open.plugin, pod);
    expect(open.reviews.length).toBe(2);
  },
);

each<[imagePolicy: ImagePolicyConfiguration["imagePolicy"], outcome: object | string]>([
  [{}, { retryMs: 500, allowTtlMs: 300_000, denyTtlMs: 30_000, defaultAllow: false }],
  [
    { retryBackoff: 20, allowTTL: -1, denyTTL: 1, defaultAllow: true },
    { retryMs: 20, allowTtlMs: 0, denyTtlMs: 1000, defaultAllow: true },
  ],
  [{ allowTTL: 1801 }, "valid value is between 1s and 30m0s, got 30m1s"],
  [{ denyTTL: -2 }, "valid value is between 1s and 30m0s, got -2s"],
  [{ retryBackoff: 300_001 }, "valid value is between 1ns and 5m0s, got 5m0.001s"],
])("imagePolicySettings: %j", (imagePolicy, outcome) => {
  let found: unknown;
  try {
    found = imagePolicySettings({ imagePolicy });
  } catch (error) {
    found = (error as Error).message;
  }
  expect(found).toEqual(outcome);
});
