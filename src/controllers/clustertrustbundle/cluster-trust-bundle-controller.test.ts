import { expect, onTestFinished, test } from "vitest";
import { testAuthority } from "../../../test/certificates.ts";
import { ClusterTrustBundle as Alpha } from "../../api/certificates/v1alpha1/cluster-trust-bundle.ts";
import { ClusterTrustBundle } from "../../api/certificates/v1beta1/cluster-trust-bundle.ts";
import {
  type SettableValue,
  settableValue,
} from "../../controller-runtime/reconcile/changing-value.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { bundleName } from "./cluster-trust-bundle-controller.ts";
import { clusterTrustBundleModule } from "./cluster-trust-bundle-module.ts";

const rootCa = testAuthority(Date.UTC(2030, 0, 1)).cert;
const signerName = "kubernetes.io/kube-apiserver-serving";
const name = bundleName(rootCa);
let value: SettableValue<string>;

async function start(runtimeConfig: Readonly<Record<string, boolean>>): Promise<AccountedCluster> {
  const cluster = await startCluster({ clock: "virtual", namespace: "default", runtimeConfig });
  value = settableValue(rootCa);
  const runnables = partsOf(clusterTrustBundleModule, { inputs: { rootCa: value } });
  const running = await accountedCluster({ runnables }, cluster);
  onTestFinished(() => running.end());
  return running;
}
const beta = { "certificates.k8s.io/v1beta1/clustertrustbundles": true };
const own = { fieldSelector: { "spec.signerName": signerName } };

test("the server's authority is published under the name of its signer and content", async () => {
  const { client } = await start(beta);
  expect(name).toMatch(/^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24}$/);
  const { items } = await client.list(ClusterTrustBundle);
  expect(items.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
    [name, { signerName, trustBundle: rootCa }],
  ]);
});

test("a bundle that is changed or deleted is written again; other bundles of the signer are deleted", async () => {
  const { client, settled } = await start(beta);
  const other = testAuthority(Date.UTC(2031, 0, 1)).cert;
  await client.patch(ClusterTrustBundle, { name }, { merge: { spec: { trustBundle: other } } });
  const old = { metadata: { name: bundleName(other) }, spec: { signerName, trustBundle: other } };
  await client.create(ClusterTrustBundle, old);
  const unsigned = { metadata: { name: "mine" }, spec: { trustBundle: other } };
  await client.create(ClusterTrustBundle, unsigned);
  await settled();
  const published = async () =>
    (await client.list(ClusterTrustBundle, own)).items.map(({ spec }) => spec.trustBundle);
  expect(await published()).toEqual([rootCa]);
  await client.delete(ClusterTrustBundle, { name });
  await settled();
  expect(await published()).toEqual([rootCa]);
  await client.get(ClusterTrustBundle, { name: "mine" });
});

test("other certificates of the server replace the bundle", async () => {
  const { client, settled } = await start(beta);
  const other = testAuthority(Date.UTC(2031, 0, 1)).cert;
  value.set(`${rootCa}${other}`);
  await settled();
  const { items } = await client.list(ClusterTrustBundle, own);
  expect(items.map(({ metadata, spec }) => [metadata.name, spec.trustBundle])).toEqual([
    [bundleName(value.current), `${rootCa}${other}`],
  ]);
});

test("where only the alpha version is served, the bundle is published in it", async () => {
  const { client } = await start({ "certificates.k8s.io/v1alpha1": true });
  const { items } = await client.list(Alpha, own);
  expect(items.map(({ metadata }) => metadata.name)).toEqual([name]);
});

test("where the kind is not served, nothing is written and nothing waits", async () => {
  const { writes, advance } = await start({});
  await advance("1h");
  expect(writes).toEqual([]);
});
