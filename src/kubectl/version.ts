/** The version of this kubectl: that of the original whose behaviour it has. */
export const clientVersion = {
  major: "1",
  minor: "36",
  gitVersion: "v1.36.4",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
} as const;

/** The version of Kustomize whose behaviour `-k` has. */
export const kustomizeVersion = "v5.8.1";
