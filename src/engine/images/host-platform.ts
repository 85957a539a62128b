import type { Platform } from "./manifest.ts";

/** The platform of this machine, in the words of images. */
export function hostPlatform(architecture: string = process.arch): Platform {
  if (architecture === "arm") return { os: "linux", architecture, variant: "v7" };
  return { os: "linux", architecture: architectures[architecture] ?? architecture };
}

const architectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
};
