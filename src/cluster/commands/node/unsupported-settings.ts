import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { valueAt } from "./flags/config-flag.ts";
import { configFlags } from "./flags/config-flags.ts";

/** A setting that is not supported, or not with all of its values, and why. */
interface UnsupportedSetting {
  /** The values that match what the kubelet does anyway. */
  readonly accepted: readonly unknown[];
  readonly because: string;
}

const noCadvisor = {
  accepted: [],
  because: "cAdvisor is not part of Wherry: usage is read from cgroups when it is asked for",
};

/**
 * Settings whose other values are rejected: ignoring them could harm. Fields are named by their path, flags
 * that set no field with their dashes.
 */
const rejected: Readonly<Record<string, UnsupportedSetting>> = {
  enableControllerAttachDetach: {
    accepted: [true],
    because: "the controller of volumes attaches them; nodes may not write attachments",
  },
  "--experimental-mounter-path": {
    accepted: [""],
    because:
      "it was for a container with mount(8) in it; the mount(8) of the machine mounts volumes",
  },
};

/** Settings whose other values are harmless without effect: they are a warning. */
const ignored: Readonly<Record<string, UnsupportedSetting>> = {
  volumePluginDir: {
    accepted: ["/usr/libexec/kubernetes/kubelet-plugins/volume/exec/"],
    because: "FlexVolume is deprecated and has no plugins here; use a CSI driver",
  },
  enableContentionProfiling: {
    accepted: [false],
    because: "the agent has one thread, which waits for no lock",
  },
  contentType: {
    accepted: ["application/vnd.kubernetes.protobuf", "application/json"],
    because: "requests to the API server are encoded as JSON",
  },
  "--housekeeping-interval": noCadvisor,
  "--application-metrics-count-limit": noCadvisor,
  "--container-hints": noCadvisor,
  "--containerd": noCadvisor,
  "--containerd-namespace": noCadvisor,
  "--enable-load-reader": noCadvisor,
  "--event-storage-age-limit": noCadvisor,
  "--event-storage-event-limit": noCadvisor,
  "--global-housekeeping-interval": noCadvisor,
  "--log-cadvisor-usage": noCadvisor,
  "--storage-driver-buffer-duration": noCadvisor,
  "--storage-driver-db": noCadvisor,
  "--storage-driver-host": noCadvisor,
  "--storage-driver-password": noCadvisor,
  "--storage-driver-secure": noCadvisor,
  "--storage-driver-table": noCadvisor,
  "--storage-driver-user": noCadvisor,
};

/** What help adds to a flag that is not supported. */
export function helpNote(flag: string, field: string | undefined): string {
  const name = field ?? `--${flag}`;
  if (Object.hasOwn(rejected, name)) return " (not supported)";
  return Object.hasOwn(ignored, name) ? " (has no effect)" : "";
}

/** The settings of a node: its configuration, and the values of flags that were given. */
export interface NodeSettings {
  readonly config: KubeletConfiguration;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly given: ReadonlySet<string>;
}

/** The settings with values that are not supported, and those without effect. */
export const unsupportedSettings = (
  settings: NodeSettings,
): { readonly problems: readonly string[]; readonly warnings: readonly string[] } => ({
  problems: unaccepted(rejected, settings).map(
    ([name, because]) => `${name} is not supported: ${because}`,
  ),
  warnings: unaccepted(ignored, settings).map(
    ([name, because]) => `${name} has no effect: ${because}`,
  ),
});

function unaccepted(
  table: typeof rejected,
  { config, flags, given }: NodeSettings,
): readonly (readonly [shown: string, because: string])[] {
  return Object.entries(table).flatMap(([name, { accepted, because }]) => {
    const flag = name.startsWith("--") ? name.slice(2) : undefined;
    const value =
      flag === undefined ? valueAt(config, name) : given.has(flag) ? flags[flag] : undefined;
    const isAccepted = value === undefined || accepted.some((one) => sameJson(one, value));
    return isAccepted ? [] : [[shownName(name), because] as const];
  });
}

/** A field with its flag, if it has one. */
function shownName(name: string): string {
  const flag = Object.entries(configFlags).find(([, { field }]) => field === name)?.[0];
  return flag === undefined ? name : `${name} (--${flag})`;
}
