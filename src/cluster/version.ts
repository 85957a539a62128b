import type { VersionInfo } from "../apiserver/documents/documents.ts";

/** Wherry's own version; a test compares it with package.json. */
export const version = "0.1.0";

/** The version of Kubernetes whose API is served. */
export const kubernetesVersion = "v1.36.0";

/** The response of `/version`; clients read major and minor. */
export const versionInfo: VersionInfo = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: `${kubernetesVersion}+wherry.${version}`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};
