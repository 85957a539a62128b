// @ts-check
import { fileURLToPath } from "node:url";

/**
 * Packages that become a part of the programs, so that their compiled code is kept, too: js-yaml, which reads every
 * kubeconfig, took 6 ms of CPU to load from its own file.
 *
 * @type {import("esbuild").Plugin}
 */
export const bundledPackages = {
  name: "bundled-packages",
  setup({ onResolve }) {
    onResolve({ filter: /^js-yaml$/ }, ({ path }) => ({
      path: fileURLToPath(import.meta.resolve(path)),
    }));
  },
};
