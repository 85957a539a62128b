import { type Clock, DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import type { Informer } from "../../client/informer/informer-options.ts";

/** Whether an informer has its objects, for which it waits a second. */
export async function hasSynced(informer: Informer<unknown>, clock: Clock): Promise<boolean> {
  if (informer.hasSynced) return true;
  try {
    await withDeadline({ clock, ms: syncMs }, (signal) => informer.synced({ signal }));
    return true;
  } catch (error) {
    if (error instanceof DeadlineExceeded) return false;
    throw error;
  }
}

const syncMs = 1000;
