import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { PodCertificateRequest } from "../../../../api/certificates/v1beta1/pod-certificate-request.ts";
import { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { noLog } from "../../../../base/log.ts";
import { MetricsRegistry } from "../../../../base/metrics-registry.ts";
import { startCluster } from "../../../../testing/start-cluster.ts";
import { podCertificates } from "./pod-certificates.ts";
import { podSigner } from "./pod-signer.test-support.ts";

const notIssued = "credential bundle is not issued yet";

async function opened() {
  const cluster = await startCluster({
    clock: "virtual",
    namespace: "default",
    runtimeConfig: { "certificates.k8s.io/v1beta1": true },
  });
  const { client, clock, random } = cluster;
  const events: string[] = [];
  const changed: string[] = [];
  const metrics = new MetricsRegistry();
  const certificates = podCertificates({
    ...{ client, clock, random, log: noLog, metrics },
    node: () => ({ metadata: { name: "node-1", uid: "node-uid" } }) as never,
    record: (_, { type, reason, message }) => void events.push(`${type} ${reason}: ${message}`),
    changed: (podUid) => void changed.push(podUid),
  });
  onTestFinished(async () => {
    certificates.close();
    await cluster.close();
  });
  const pod = await client.create(Pod, {
    metadata: { name: "p" },
    spec: {
      ...{ nodeName: "node-1", serviceAccountName: "default", automountServiceAccountToken: false },
      containers: [{ name: "c", image: "i" }],
    },
  } as never);
  const source = { signerName: "example.com/own", keyType: "ED25519", keyPath: "k" };
  const get = () => {
    const place = { volume: "v", index: 0 };
    return certificates.get(pod, place, { ...source, userAnnotations: { "a.com/b": "c" } });
  };
  const requests = async () => (await client.list(PodCertificateRequest)).items;
  const last = async () => (await requests()).at(-1) as PodCertificateRequest;
  const signer = podSigner(client, () => clock.now());
  /** Requests the first certificate. */
  const ask = async (): Promise<PodCertificateRequest> => {
    await expect(get()).rejects.toThrow(notIssued);
    await cluster.settled();
    return last();
  };
  const state = () =>
    /kubelet_podcertificate_states\{signer_name="example.com\/own",state="(\w+)"\} 1/.exec(
      metrics.text(),
    )?.[1];
  return { cluster, pod, get, requests, signer, ask, events, changed, certificates, state };
}

test("podCertificates: a certificate is requested, used, and renewed when it is due", async () => {
  const { cluster, pod, get, requests, signer, ask, changed, state } = await opened();
  const request = await ask();
  expect(request).toMatchObject({
    metadata: {
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: pod.metadata.uid }],
    },
    spec: {
      ...{ signerName: "example.com/own", podName: "p", podUID: pod.metadata.uid },
      ...{ serviceAccountName: "default", nodeName: "node-1", nodeUID: "node-uid" },
      ...{ maxExpirationSeconds: 86_400, unverifiedUserAnnotations: { "a.com/b": "c" } },
    },
  });
  expect(state()).toBe("not_yet_issued");
  const chain = await signer.issue(request);
  await cluster.settled();
  expect(changed).toContain(pod.metadata.uid);
  const first = await get();
  expect(first.chain).toBe(chain);
  expect(new X509Certificate(first.chain).checkPrivateKey(createPrivateKey(first.key))).toBe(true);
  expect(state()).toBe("fresh");
  // Up to five minutes after the signer's time, so that pods do not ask all at once.
  const dueIn = first.renewAt - cluster.clock.now();
  expect(dueIn / 60_000).toBeGreaterThanOrEqual(60);
  expect(dueIn / 60_000).toBeLessThan(65);
  await cluster.advance(dueIn - 1000);
  expect(await get()).toEqual(first);
  expect(await requests()).toHaveLength(1);
  await cluster.advance(2000);
  expect((await get()).key).toBe(first.key);
  await cluster.settled();
  const next = (await requests()).find(({ status }) => !status.conditions);
  await signer.issue(next as PodCertificateRequest);
  await cluster.settled();
  const second = await get();
  expect(second.key).not.toBe(first.key);
  expect(second.renewAt).toBeGreaterThan(first.renewAt);
});

test("podCertificates: a request that was deleted is made again after ten minutes", async () => {
  const { cluster, get, requests, ask } = await opened();
  const request = await ask();
  await cluster.client.delete(PodCertificateRequest, {
    name: request.metadata.name ?? "",
    namespace: "default",
  });
  await cluster.advance("9m");
  await expect(get()).rejects.toThrow(notIssued);
  expect(await requests()).toEqual([]);
  await cluster.advance("6m");
  await expect(get()).rejects.toThrow(notIssued);
  expect(await requests()).toHaveLength(1);
});

test.each([
  ["Denied", "denied", "was denied"],
  ["Failed", "failed", "failed"],
] as const)("podCertificates: %s is final", async (type, wanted, shown) => {
  const { cluster, get, requests, signer, ask, events, state } = await opened();
  const request = await ask();
  await signer.refuse(request, type, { reason: "Nope", message: "not you" });
  await cluster.settled();
  const why = `PodCertificateRequest was permanently ${wanted}: reason="Nope" message="not you"`;
  await expect(get()).rejects.toThrow(why);
  await cluster.advance("1h");
  await expect(get()).rejects.toThrow(why);
  expect(await requests()).toHaveLength(1);
  expect(events).toEqual([
    `Warning ${type}: Nope%!(EXTRA string=PodCertificateRequest default/${request.metadata.name} ${shown}, reason="Nope", message="not you")`,
  ]);
  expect(state()).toBe(wanted);
});

test("podCertificates: what is not renewed is reported once, and used on", async () => {
  const { cluster, get, signer, ask, events, state, certificates, pod } = await opened();
  await signer.issue(await ask());
  await cluster.settled();
  const { key } = await get();
  await cluster.advance("76m");
  expect([(await get()).key, state()]).toEqual([key, "overdue_for_refresh"]);
  await get();
  expect(events).toEqual(["Warning CertificateOverdueForRefresh: PodCertificate refresh overdue"]);
  await cluster.advance("1h");
  await get();
  await get();
  expect(events.slice(1)).toEqual(["Warning CertificateExpired: PodCertificate expired"]);
  expect(state()).toBe("expired");
  certificates.forget(pod.metadata.uid ?? "");
  expect(state()).toBeUndefined();
});
