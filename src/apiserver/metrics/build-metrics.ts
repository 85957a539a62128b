import type { Metrics } from "../../base/metrics.ts";
import type { VersionInfo } from "../documents/documents.ts";

/** Adds the metrics that say which version a component is. */
export function addBuildMetrics(metrics: Metrics, version: VersionInfo): void {
  const build = metrics.gauge(buildInfo);
  const compatible = metrics.gauge(compatibility);
  metrics.onRead(() => {
    build.of(...buildInfo.labels.map((label) => version[camelCase(label)] ?? "")).set(1);
    compatible.of("kube", ...compatibleVersions(version)).set(1);
  });
}

const buildInfo = {
  name: "kubernetes_build_info",
  help: "Always 1; its labels say which version this is and what it runs on.",
  stability: "BETA",
  labels: [
    "major",
    "minor",
    "git_version",
    "git_commit",
    "git_tree_state",
    "build_date",
    "go_version",
    "compiler",
    "platform",
  ],
} as const;

const compatibility = {
  name: "version_info",
  help: "Always 1; its labels say which versions of Kubernetes this one stands for.",
  stability: "ALPHA",
  labels: ["component", "binary", "emulation", "min_compat"],
} as const;

/** The binary version, the emulated version and the oldest compatible one. */
const compatibleVersions = (version: VersionInfo): string[] =>
  [
    [version.gitVersion.replace(/^v/, "")],
    [version.emulationMajor, version.emulationMinor],
    [version.minCompatibilityMajor, version.minCompatibilityMinor],
  ].map((parts) => parts.filter((part) => part !== undefined).join("."));

const camelCase = (label: string): string =>
  label.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
