import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "../../../cli/parse-flags.ts";
import { legacyKubeletConfiguration } from "../../../kubelet/config/default-kubelet-configuration.ts";
import { configurationFeatures, type FeatureGates } from "../../../kubelet/config/feature-gates.ts";
import { embeddedEngine } from "../../../kubelet/config/fields/field-kinds.ts";
import type { KubeletConfiguration } from "../../../kubelet/config/kubelet-configuration.ts";
import { mergeDropIns } from "../../../kubelet/config/merge-drop-ins.ts";
import { parseKubeletConfiguration } from "../../../kubelet/config/parse-kubelet-configuration.ts";
import {
  type HostCgroups,
  validateKubeletConfiguration,
} from "../../../kubelet/config/validate/validate-kubelet-configuration.ts";
import { qosReservedProblems } from "../../../kubelet/host/cgroups/qos-reserve.ts";
import { allowedSysctlProblems } from "../../../kubelet/pod/forbidden-sysctl.ts";
import { findHierarchies } from "../../../platform/cgroups/cgroup-hierarchies.ts";
import { readGiven } from "../../../platform/given-files.ts";
import { copyJson, type JsonMap } from "../../../schema/json/json-value.ts";
import type { Parsed } from "../../../schema/yaml/read-document.ts";
import { checkGates } from "../../flags/check-feature-gates.ts";
import { cipherProblems, curveProblems, versionProblems } from "../../flags/tls-names.ts";
import { type ConfigFlag, setField } from "./flags/config-flag.ts";
import { configFlags } from "./flags/config-flags.ts";
import type { KubeletFlags } from "./flags/kubelet-flags.ts";
import { kubeletFlagOptions, kubeletFlagProblems, type NodeFlags } from "./flags/node-flags.ts";
import { readDropIns } from "./read-drop-ins.ts";
import { unsupportedSettings } from "./unsupported-settings.ts";

/** The values of all flags, and the names of those that were given. */
export interface GivenNodeFlags {
  readonly flags: NodeFlags;
  readonly given: ReadonlySet<string>;
}

/** How a node is to be run. */
export interface NodeOptions {
  /** The settings that belong to this node. */
  readonly flags: KubeletFlags;
  /** The configuration of its kubelet, complete and valid. */
  readonly config: KubeletConfiguration;
  /** The features that are on. */
  readonly features: ReadonlySet<string>;
  /** What is worth a line in the log at start. */
  readonly warnings: readonly string[];
}

/**
 * The options of a node: defaults, then the file of `--config`, then the files of `--config-dir`, then flags;
 * each overrides those before. Throws a UsageError with all problems.
 */
export async function nodeOptions(
  { flags, given }: GivenNodeFlags,
  host?: HostCgroups,
): Promise<NodeOptions> {
  const flagProblems = kubeletFlagProblems(flags, given);
  if (flagProblems.length > 0) throw new UsageError(flagProblems);
  const flagGates = given.has("feature-gates") ? flags["feature-gates"] : {};
  const gates = (settings: object) =>
    checkGates(new Map(Object.entries({ ...(flagGates as object), ...settings })));
  const files = await readFiles(flags, gates);
  const config = withFlags(files.value, { flags, given });
  const features = gates(config.featureGates ?? {});
  const unsupported = unsupportedSettings({ config, flags, given });
  const problems = [
    ...validateKubeletConfiguration(config, gates, host ?? (await hostCgroups())),
    ...tlsProblems(config),
    ...allowedSysctlProblems(config.allowedUnsafeSysctls ?? []),
    ...qosReservedProblems(config),
    ...(config.systemCgroups === "/" ? ['system container cannot be root ("/")'] : []),
    ...unsupported.problems,
  ];
  if (problems.length > 0) throw new UsageError(problems);
  return {
    flags: await kubeletFlagOptions(flags),
    config,
    features: features.on,
    warnings: [
      ...files.warnings,
      ...unsupported.warnings,
      ...features.changed
        .filter((name) => !usedFeatures.has(name))
        .map((name) => `feature gate ${name} has no effect here`),
      ...openApiWarnings(config),
      ...cgroupWarnings(config),
    ],
  };
}

/** The configuration of the files that the flags name. */
async function readFiles(flags: NodeFlags, gates: FeatureGates): Promise<ReadConfiguration> {
  const path = flags.config;
  const file: ReadConfiguration =
    path === ""
      ? { value: legacyKubeletConfiguration(gates), warnings: [] }
      : accepted(
          parseKubeletConfiguration(
            await readGiven({ flag: "config", path }),
            resolve(path),
            gates,
          ),
          `failed to load kubelet config file, path: ${path}, error: `,
        );
  const folder = flags["config-dir"];
  if (folder === "") return file;
  const merged = accepted(mergeDropIns(file.value, await readDropIns(folder), gates), "");
  return { value: merged.value, warnings: [...file.warnings, ...merged.warnings] };
}

interface ReadConfiguration {
  readonly value: KubeletConfiguration;
  readonly warnings: readonly string[];
}

function accepted(parsed: Parsed<KubeletConfiguration>, context: string): ReadConfiguration {
  if ("value" in parsed) return parsed;
  throw new UsageError(parsed.problems.map((problem) => context + problem));
}

/** Flags that were given override fields; feature gates are merged. */
function withFlags(
  config: KubeletConfiguration,
  { flags, given }: GivenNodeFlags,
): KubeletConfiguration {
  const draft = copyJson(config) as KubeletConfiguration & JsonMap;
  for (const [name, flag] of Object.entries<ConfigFlag>(configFlags)) {
    const value = given.has(name) ? flags[name as keyof typeof configFlags] : undefined;
    if (value !== undefined) setField(draft, flag, value);
  }
  return {
    ...draft,
    ...(given.has("feature-gates") && {
      featureGates: { ...config.featureGates, ...draft.featureGates },
    }),
    seccompDefault: draft.seccompDefault || flags["seccomp-default"],
    containerRuntimeEndpoint: draft.containerRuntimeEndpoint || embeddedEngine,
  };
}

/** Upstream finds these when it starts to serve. */
const tlsProblems = (config: KubeletConfiguration): string[] => [
  ...versionProblems(config.tlsMinVersion ?? ""),
  ...cipherProblems(config.tlsCipherSuites ?? [], {
    minVersion: config.tlsMinVersion ?? "",
    http2: true,
  }),
  ...curveProblems((config.tlsCurvePreferences ?? []).map(String)),
];

const usedFeatures: ReadonlySet<string> = new Set([
  ...configurationFeatures,
  "PodCertificateRequest",
  "PodLogsQuerySplitStreams",
  "QOSReserved",
]);

/** The defaults of old flags let everybody in; upstream does not say so. */
function openApiWarnings({ authentication, authorization }: KubeletConfiguration): string[] {
  return authentication.anonymous.enabled && authorization.mode === "AlwaysAllow"
    ? [
        "everybody may use the kubelet's API, also to run commands in containers: give a file by --config, or --anonymous-auth=false and --authorization-mode=Webhook",
      ]
    : [];
}

function cgroupWarnings({
  kubeletCgroups = "",
  kubeReservedCgroup = "",
}: KubeletConfiguration): string[] {
  return kubeletCgroups !== "" && !kubeletCgroups.startsWith(kubeReservedCgroup)
    ? ["unsupported configuration:KubeletCgroups is not within KubeReservedCgroup"]
    : [];
}

/** The cgroups of this machine. */
async function hostCgroups(): Promise<HostCgroups> {
  const hierarchies = findHierarchies(await readFile("/proc/self/mountinfo", "utf8"));
  return { isCgroupV1: hierarchies !== undefined && hierarchies.version !== "v2" };
}
