import { canonicalName } from "../../../../controllers/known-controllers.ts";
import { formatDuration } from "../../../../schema/values/duration.ts";
import type { ControllerFlag } from "./controller-flag.ts";
import { type ControllerManagerFlags, controllerManagerFlags } from "./controller-manager-flags.ts";

/** The flags as a KubeControllerManagerConfiguration, which `/configz` shows. */
export function controllerManagerConfiguration(flags: ControllerManagerFlags): object {
  const shown: Fields = structuredClone(fixed);
  for (const [name, flag] of Object.entries<ControllerFlag>(controllerManagerFlags))
    if (flag.field !== undefined)
      put(shown, flag.field.split("."), shownValue(flag, flags[name as keyof typeof flags]));
  put(shown, ["Generic", "Controllers"], flags.controllers.map(canonicalWord));
  return shown;
}

/** Its name on `/configz`. */
export const configurationName = "kubecontrollermanager.config.k8s.io";

interface Fields {
  [name: string]: unknown;
}

/** Fields without a flag, and upstream's order of all fields. */
const fixed: Fields = {
  kind: "KubeControllerManagerConfiguration",
  apiVersion: "kubecontrollermanager.config.k8s.io/v1alpha1",
  Generic: {
    Port: 0,
    Address: "0.0.0.0",
    MinResyncPeriod: "",
    ClientConnection: { kubeconfig: "", acceptContentTypes: "", contentType: "", qps: 0, burst: 0 },
    ControllerStartInterval: "",
    LeaderElection: {},
    Controllers: [],
    Debugging: {},
    LeaderMigrationEnabled: false,
    LeaderMigration: { leaderName: "", resourceLock: "", controllerLeaders: null },
  },
  KubeCloudShared: { CloudProvider: {} },
  AttachDetachController: {},
  CSRSigningController: {},
  DaemonSetController: {},
  DeploymentController: {},
  StatefulSetController: {},
  DeprecatedController: {},
  EndpointController: {},
  EndpointSliceController: {},
  EndpointSliceMirroringController: {},
  EphemeralVolumeController: {},
  GarbageCollectorController: {
    EnableGarbageCollector: true,
    ConcurrentGCSyncs: 0,
    GCIgnoredResources: [
      { Group: "", Resource: "events" },
      { Group: "events.k8s.io", Resource: "events" },
    ],
  },
  HPAController: {},
  JobController: {},
  CronJobController: {},
  LegacySATokenCleaner: {},
  NamespaceController: {},
  NodeIPAMController: { ServiceCIDR: "", SecondaryServiceCIDR: "" },
  NodeLifecycleController: { PodEvictionTimeout: "5m0s" },
  PersistentVolumeBinderController: {
    VolumeConfiguration: { PersistentVolumeRecyclerConfiguration: { MaximumRetry: 3 } },
  },
  PodGCController: {},
  ReplicaSetController: {},
  ReplicationController: {},
  ResourceQuotaController: {},
  SAController: {},
  ServiceController: {},
  TTLAfterFinishedController: {},
  ValidatingAdmissionPolicyStatusController: {},
  DeviceTaintEvictionController: {},
  ResourceClaimController: {},
};

function put(fields: Fields, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  fields[name] ??= {};
  put(fields[name] as Fields, rest, value);
}

const shownValue = ({ type }: ControllerFlag, value: unknown): unknown =>
  type === "duration" ? formatDuration(BigInt(Math.round(Number(value) * 1e6))) : value;

/** An item of `--controllers` with the current name of the controller. */
function canonicalWord(word: string): string {
  const name = word.replace(/^-/, "");
  return `${word.startsWith("-") ? "-" : ""}${canonicalName(name) ?? name}`;
}
