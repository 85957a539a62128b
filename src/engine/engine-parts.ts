import type { PodNetwork } from "../cri/pod-network.ts";
import type { Cgroups } from "../platform/cgroups/cgroups.ts";
import type { EngineContainers } from "./containers/engine-containers.ts";
import type { OciRuntime } from "./containers/oci-runtime.ts";
import type { Images } from "./images/images.ts";
import type { EngineSandboxes } from "./sandboxes/engine-sandboxes.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";
import type { UserNamespaceSupport } from "./user-namespace-support.ts";

/** The parts of an engine that its interfaces use. */
export interface EngineParts {
  readonly images: Images;
  readonly snapshots: Snapshots;
  readonly containers: EngineContainers;
  readonly sandboxes: EngineSandboxes;
  readonly runtime: OciRuntime;
  /** The paths of further OCI runtimes, by the names that runtime classes have for them. */
  readonly ociPrograms: ReadonlyMap<string, string>;
  /** Whether pods can have users of their own. */
  readonly userNamespaces: Pick<UserNamespaceSupport, "problem">;
  readonly network: PodNetwork;
  readonly cgroups: Cgroups;
}
