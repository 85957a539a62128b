import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { ClusterTrustBundle } from "../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import { PodCertificateRequest } from "../../api/certificates/v1beta1/pod-certificate-request.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { podSigner } from "../../kubelet/host/volumes/content/pod-signer.test-support.ts";
import { runChild } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

const timeout = 20_000;
const namespace = "default";

testWith(requires("containers", "kubectl"))(
  "a real pod: a signer issues its certificate, which is in its files",
  async () => {
    const { client, kubeconfig, pod } = await startRealNode({
      features: ["ClusterTrustBundle", "ClusterTrustBundleProjection", "PodCertificateRequest"],
      runtimeConfig: { "certificates.k8s.io/v1beta1": true },
    });
    onTestFinished(async () => {
      await client.delete(Pod, { namespace, name: "p" }, { gracePeriodSeconds: 0 }).catch(() => {});
      const gone = () => pod("p").then(Boolean, () => false);
      await expect.poll(gone, { timeout }).toBe(false);
    });
    const signerName = "example.com/own";
    await client.create(Pod, {
      metadata: { name: "p", namespace },
      spec: {
        securityContext: { fsGroup: 2000, runAsUser: 1000 },
        containers: [
          {
            ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          },
        ],
        volumes: [
          {
            name: "v",
            projected: {
              sources: [
                {
                  podCertificate: {
                    ...{ signerName, keyType: "ECDSAP256", credentialBundlePath: "both.pem" },
                    ...{ keyPath: "key.pem", certificateChainPath: "chain.pem" },
                  },
                },
                { clusterTrustBundle: { name: "anchors", path: "ca.pem" } },
              ],
            },
          },
        ],
      },
    } as never);
    const requests = async () => (await client.list(PodCertificateRequest, { namespace })).items;
    await expect.poll(async () => (await requests()).length, { timeout }).toBe(1);
    const [request] = await requests();
    const signer = podSigner(client, Date.now);
    const chain = await signer.issue(request as PodCertificateRequest);
    const metadata = { name: "anchors" };
    await client.create(ClusterTrustBundle, { metadata, spec: { trustBundle: signer.authority } });
    await expect.poll(async () => (await pod("p")).status.phase, { timeout }).toBe("Running");
    const sh = async (script: string): Promise<string> => {
      const args = ["--kubeconfig", kubeconfig, "exec", "p", "--", "sh", "-c", script];
      return (await runChild("kubectl", args)).stdout;
    };
    expect(await sh("cat /v/chain.pem")).toBe(chain);
    expect(await sh("cat /v/ca.pem")).toBe(signer.authority);
    expect(await sh("cat /v/key.pem /v/chain.pem | cmp - /v/both.pem && echo same")).toBe("same\n");
    expect(await sh("stat -L -c '%a %u:%g' /v/key.pem")).toBe("640 1000:2000\n");
  },
);
