import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest, most of it waiting for other programs. Vitest knows how long a file
 * takes only after it ran once on a machine, and one of these as the last would run alone.
 */
const longFiles = [
  "test/own-kubectl/recorded.test.ts",
  "test/packed.test.ts",
  "src/store/etcd/etcd-store.test.ts",
  "test/durability/apiservers-on-etcd.test.ts",
  "test/durability/api-on-etcd.test.ts",
  "src/store/etcd/etcd-faults.test.ts",
  "src/controllers/convergence.test.ts",
  "src/cluster/commands/apiserver/apiserver.test.ts",
  "scripts/proofs/crash-test.test.ts",
  "test/kubectl/kubectl-kinds.test.ts",
  "test/durability/restart.test.ts",
  "scripts/proofs/linearizability.test.ts",
  "src/apiserver/recorded.test.ts",
  "test/kubectl/kubectl-tour.test.ts",
  "src/cluster/up/up-faults.test.ts",
  "test/durability/rollout-crash.test.ts",
  "test/node-faults/full-disk.test.ts",
  "scripts/proofs/proxy-crash.test.ts",
  "test/own-kubectl/streams.test.ts",
  "src/engine/cri/engine-runtime.test.ts",
  "test/workloads/real-workloads.test.ts",
  "src/cluster/node/node-claim-failures.test.ts",
  "test/cri/containerd.test.ts",
  "src/cluster/commands/proxy/proxied-traffic.test.ts",
  "test/network/ingress.test.ts",
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const found = longFiles.findIndex((name) => moduleId.endsWith(`/${name}`));
      return found < 0 ? longFiles.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
