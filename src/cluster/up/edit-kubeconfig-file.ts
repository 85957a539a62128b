import { sleep } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Kubeconfig } from "../../kubeconfig/kubeconfig.ts";
import { modifyKubeconfig } from "../../kubeconfig/modify-kubeconfig.ts";
import { realClock } from "../../platform/real-clock.ts";

/** How long to wait for another process that is writing the file. */
const patienceMs = 3000;

/** Edits the user's kubeconfig: the named file, or else those that kubectl reads. */
export async function editKubeconfigFile(
  path: string | undefined,
  edit: (config: Kubeconfig) => Kubeconfig,
): Promise<void> {
  const until = realClock.now() + patienceMs;
  for (;;) {
    try {
      await modifyKubeconfig({ path }, edit);
      return;
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (realClock.now() > until)
        throw new Error(
          `${errorMessage(error)}: another process is writing the kubeconfig; if none is, remove that file`,
        );
    }
    await sleep(realClock, 50);
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof Error &&
  error.message.includes(".lock") &&
  (error.cause as NodeJS.ErrnoException | undefined)?.code === "EEXIST";
