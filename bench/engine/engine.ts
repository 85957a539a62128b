import { runParts } from "../run-parts.ts";
import { benchDocker } from "./engine-docker.ts";
import { benchPods } from "./engine-pods.ts";
import { benchPull } from "./engine-pull.ts";

// npm run bench engine -- [PART…]: all parts, or those that are named, beside containerd and dockerd. Needs root and
// the programs that the tests of containers need.
await runParts({ pods: benchPods, pull: benchPull, docker: benchDocker });
