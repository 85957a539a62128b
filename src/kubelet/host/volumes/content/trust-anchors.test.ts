import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../../test/requires.ts";
import { ClusterTrustBundle } from "../../../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import type { ClusterTrustBundleProjection } from "../../../../api/core/v1/volume/volume-projection.ts";
import { noLog } from "../../../../base/log.ts";
import { mustRun } from "../../../../platform/run-child.ts";
import { startCluster } from "../../../../testing/start-cluster.ts";
import { trustAnchors } from "./trust-anchors.ts";

const authority = (name: string): Promise<string> =>
  mustRun("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", "/dev/null", "-subj", `/CN=${name}`],
  ]);

testWith(requires("openssl"))(
  "trust anchors: by name and by signer, each certificate once",
  async () => {
    const runtimeConfig = { "certificates.k8s.io/v1beta1": true };
    const cluster = await startCluster({ runtimeConfig });
    const { client, clock, random } = cluster;
    const changed: string[] = [];
    const anchors = trustAnchors({
      ...{ client, clock, random, log: noLog },
      changed: (podUid) => void changed.push(podUid),
    });
    onTestFinished(async () => {
      anchors.close();
      await cluster.close();
    });
    const get = (projection: Partial<ClusterTrustBundleProjection>): Promise<string> =>
      anchors.get("u", { path: "ca.crt", ...projection });
    const [one, two] = [await authority("one"), await authority("two")];
    const create = (name: string, spec: object, labels = {}) =>
      client.create(ClusterTrustBundle, { metadata: { name, labels }, spec } as never);
    await create("plain", { trustBundle: `comment\n${one}` });
    const signerName = "example.com/own";
    await create("example.com:own:a", { signerName, trustBundle: two + one }, { live: "yes" });
    await create("example.com:own:b", { signerName, trustBundle: two }, { live: "no" });

    expect(await get({ name: "plain" })).toBe(one);
    const both = await get({ signerName, labelSelector: {} });
    expect([one + two, two + one]).toContain(both);
    expect(await get({ signerName, labelSelector: { matchLabels: { live: "no" } } })).toBe(two);
    expect(await get({ name: "none", optional: true })).toBe("");
    await expect(get({ name: "none" })).rejects.toThrow("while getting ClusterTrustBundle: ");
    const nothing = "combination of signerName and labelSelector matched zero ClusterTrustBundles";
    await expect(get({ signerName })).rejects.toThrow(nothing);
    await expect(get({})).rejects.toThrow("requires either name or signerName to be set");
    changed.length = 0;
    await client.delete(ClusterTrustBundle, { name: "plain" });
    await expect.poll(() => changed).toEqual(["u"]);
  },
);
