/** A cluster in which nodes get certificates, for tests of folders that may not import its parts. */
import { signers } from "../src/api/certificates/signers.ts";
import type { Client } from "../src/client/client.ts";
import { ensureNodeAccess, joiningGroup } from "../src/cluster/join/node-access.ts";
import { csrApprovingModule } from "../src/controllers/csrapproving/csr-approving-module.ts";
import { csrSigningModule } from "../src/controllers/csrsigning/csr-signing-module.ts";
import { kubeletServingModule } from "../src/controllers/kubeletserving/kubelet-serving-module.ts";
import {
  partsOf,
  type RunningCluster,
  runningOn,
} from "../src/controllers/running.test-support.ts";
import { startCluster } from "../src/testing/start-cluster.ts";
import { type TestAuthority, testAuthority } from "./certificates.ts";

export interface CertificateCluster extends RunningCluster {
  readonly authority: TestAuthority;
  /** A client of a machine that joins. */
  readonly joining: Client;
  /** A client of a node. */
  nodeClient(name: string): Client;
}

/** Starts a cluster on a virtual clock that issues certificates with a validity of ten hours. */
export async function certificateCluster(): Promise<CertificateCluster> {
  const authority = testAuthority(Date.UTC(2046, 0, 1));
  const { signer } = authority;
  const certificateSigners = { [signers.kubeletClient]: signer, [signers.kubeletServing]: signer };
  const running = await runningOn(
    await startCluster({ clock: "virtual", namespace: "default" }),
    ...partsOf(csrApprovingModule),
    ...partsOf(csrSigningModule, {
      inputs: { certificateSigners },
      values: { "cluster-signing-duration": 10 * 3_600_000 },
    }),
    ...partsOf(kubeletServingModule),
  );
  await ensureNodeAccess(running.client);
  return {
    ...running,
    authority,
    joining: running.as({ user: "system:bootstrap:abcdef", groups: [joiningGroup] }),
    nodeClient: (name) => running.as({ user: `system:node:${name}`, groups: ["system:nodes"] }),
  };
}
