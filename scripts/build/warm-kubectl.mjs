// @ts-check
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { withPodServer } from "./pod-server.mjs";

/**
 * Runs kubectl for the first time with each of its bundles: what it compiles is kept for the next starts.
 *
 * @param {string} program
 */
export async function warmKubectl(program) {
  await withPodServer(async (env) => {
    for (const args of [
      ["get", "pods"],
      ["create", "configmap", "web", "--dry-run=client"],
    ])
      await promisify(execFile)(process.execPath, [program, "kubectl", ...args], { env });
  });
}
