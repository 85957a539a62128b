import { aborted } from "../../../base/on-abort.ts";
import type { Runnable } from "../../../controller-runtime/manager/manager-options.ts";
import {
  type ChangingValue,
  settableValue,
} from "../../../controller-runtime/reconcile/changing-value.ts";
import { followKubeconfig } from "../../../kubeconfig/follow-kubeconfig.ts";
import { readAuthorities } from "../../../platform/given-files.ts";
import { watchFiles } from "../../../platform/watch-files.ts";

interface RootCaFlags {
  readonly "root-ca-file": string;
  readonly kubeconfig: string;
}

export interface FollowedRootCa {
  readonly value: ChangingValue<string>;
  /** Reads replaced files again. */
  readonly follow: Runnable;
}

/**
 * The certificates with which pods verify the API server: those of the file that a flag names, or else those of the
 * kubeconfig, or else those of a pod, which `authorities` reads.
 */
export async function followRootCa(
  flags: RootCaFlags,
  authorities: () => Promise<string | undefined>,
): Promise<FollowedRootCa> {
  const { "root-ca-file": path, kubeconfig } = flags;
  const read = async (): Promise<string> => {
    if (path !== "") return readAuthorities({ flag: "root-ca-file", path });
    // The connection of the component may know the old content for a while.
    const ofFile = kubeconfig === "" ? undefined : await followKubeconfig({ path: kubeconfig });
    return (await (ofFile ? ofFile.authorities?.() : authorities())) ?? "";
  };
  const value = settableValue(await read());
  const watched = path === "" ? kubeconfig : path;
  return {
    value,
    follow: {
      name: "root-certificates",
      account: "",
      stage: "always",
      async run(signal, { clock, log }) {
        if (watched === "") return aborted(signal);
        const reload = (): void =>
          void read().then(value.set, (error: unknown) =>
            log.error("reloading root certificates failed", error),
          );
        const watching = watchFiles([watched], { clock, onChange: reload });
        await aborted(signal);
        watching.close();
      },
    },
  };
}
