import { jittered } from "../../../base/backoff.ts";
import { sleep } from "../../../base/clock.ts";
import type { Manager } from "../../../controller-runtime/manager/manager-options.ts";
import type { ControllerModule, ControllerParts } from "../../../controllers/controller-module.ts";

export interface StartAfterOptions {
  readonly module: Pick<ControllerModule, "name">;
  readonly parts: Pick<ControllerParts, "run">;
  readonly manager: Pick<Manager, "add">;
}

/**
 * Has a manager start a controller: at once, or a random time between one and two intervals after it became the
 * leader, so that not all controllers fill their caches at the same time.
 */
export function startAfter(
  intervalMs: number,
  { module: { name }, parts, manager }: StartAfterOptions,
): void {
  const add = (): void => {
    for (const one of parts.run) manager.add(one);
  };
  if (intervalMs <= 0) {
    add();
    return;
  }
  manager.add({
    name: `start of ${name}`,
    account: "",
    async run(signal, { clock, random }) {
      await sleep(clock, jittered(intervalMs, 1, random), signal).catch(() => undefined);
      if (!signal.aborted) add();
    },
  });
}
