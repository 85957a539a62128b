import { afterAll, describe } from "vitest";
import { requires, testWith } from "../requires.ts";
import { autoscalerProof } from "./autoscaler-proof.test-support.ts";
import { cronJobProof } from "./cron-job-proof.test-support.ts";
import { daemonSetProof } from "./daemon-set-proof.test-support.ts";
import { jobProof } from "./job-proof.test-support.ts";
import { statefulSetProof } from "./stateful-set-proof.test-support.ts";
import {
  openWorkloadsCluster,
  type WorkloadsCluster,
  type WorkloadsRoom,
} from "./workloads-cluster.test-support.ts";

const missing = requires("boxes", "containers", "kubectl", "nft");
const minutes = 300_000;

const subjects: readonly [
  name: string,
  what: string,
  prove: (room: WorkloadsRoom) => Promise<void>,
][] = [
  [
    "stateful-set",
    "pods come back to their data after kills of a pod and of its node's agent",
    statefulSetProof,
  ],
  ["job", "indexes of a job fail, each as often as it may, while others succeed", jobProof],
  ["cron-job", "a cron job runs at the next full minute", cronJobProof],
  ["daemon-set", "a daemon set runs on three nodes, and an update reaches them", daemonSetProof],
  ["autoscaler", "an autoscaler follows the real use of the processor", autoscalerProof],
];

let cluster: WorkloadsCluster | undefined;
afterAll(() => cluster?.close(), minutes);

testWith(missing)(
  "up with real nodes: three boxes are ready for workloads",
  async () => {
    cluster = await openWorkloadsCluster();
  },
  minutes,
);

// They take turns waiting: all together take as long as the slowest of them.
describe.concurrent("workloads on containers", () => {
  for (const [name, what, prove] of subjects)
    testWith(missing)(
      what,
      async () => {
        if (!cluster) throw new Error("the cluster did not start");
        await prove(await cluster.room(name));
      },
      minutes,
    );
});
