import { expect, onTestFinished, test } from "vitest";
import { PodCertificateRequest } from "../../api/certificates/v1beta1/pod-certificate-request.ts";
import { p256Request } from "../../api/certificates/x509/fixtures.test-support.ts";
import { encodeBase64 } from "../../base/base64.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { podCertificateCleanerModule } from "./pod-certificate-cleaner-module.ts";

test("requests are deleted at the first look that is 15 minutes after they were made", async () => {
  const runtimeConfig = { "certificates.k8s.io/v1beta1": true };
  const cluster = await startCluster({ clock: "virtual", namespace: "default", runtimeConfig });
  const runnables = partsOf(podCertificateCleanerModule);
  const { client, advance, end } = await accountedCluster({ runnables }, cluster);
  onTestFinished(end);
  await advance("1m");
  for (const name of ["a", "b"]) {
    await client.create(PodCertificateRequest, {
      metadata: { name },
      spec: {
        signerName: "example.com/signer",
        podName: "p",
        podUID: "pod-uid",
        serviceAccountName: "s",
        serviceAccountUID: "u",
        nodeName: "n",
        nodeUID: "u",
        stubPKCS10Request: encodeBase64(p256Request),
      },
    });
    await advance("5m");
  }
  const names = async () =>
    (await client.list(PodCertificateRequest)).items.map(({ metadata }) => metadata.name);
  await advance("8m");
  expect(await names()).toEqual(["a", "b"]);
  await advance("1m");
  expect(await names()).toEqual(["b"]);
  await advance("5m");
  expect(await names()).toEqual([]);
});
