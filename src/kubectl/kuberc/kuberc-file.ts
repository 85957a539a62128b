import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isMissing } from "../../kubeconfig/file-fault.ts";
import type { Environment } from "../program/kubectl-command.ts";

/** The file of the preferences. */
export interface KubercFile {
  readonly path: string;
  /** Whether a flag or the environment names it. */
  readonly isExplicit: boolean;
}

/** The file to use; undefined if the environment turns preferences off. */
export function kubercFile(flag: string, env: Environment): KubercFile | undefined {
  if (env.KUBERC === "off") {
    if (flag === "") return undefined;
    throw new Error(
      "disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive",
    );
  }
  const path = flag || env.KUBERC;
  if (path) return { path, isExplicit: true };
  return { path: join(env.HOME || homedir(), ".kube", "kuberc"), isExplicit: false };
}

/** Whether the feature exists: the environment can turn it off. */
export const hasKuberc = (env: Environment): boolean =>
  env.KUBECTL_KUBERC?.toLowerCase() !== "false";

/** Whether there is no such file, and none was asked for: then what reads preferences need not be loaded. */
export function isAbsent({ path, isExplicit }: KubercFile, cwd: string): boolean {
  if (isExplicit) return false;
  try {
    statSync(resolve(cwd, path));
    return false;
  } catch (error) {
    return isMissing(error);
  }
}
