import type { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { CsiVolume } from "./csi-volume.ts";

/** Throws if a driver cannot provide a volume of this kind; without an object it provides persistent ones. */
export function checkLifecycleMode(
  { driver: name, lifecycle }: CsiVolume,
  driver: CSIDriver | undefined,
): void {
  if (!driver && lifecycle === "Persistent") return;
  const refusal = `volume mode ${quote(lifecycle)} not supported by driver ${name}`;
  if (!driver) throw new Error(`${refusal} (no CSIDriver object)`);
  const { volumeLifecycleModes = [] } = driver.spec;
  if (volumeLifecycleModes.includes(lifecycle)) return;
  const list = volumeLifecycleModes.map(quote).join(" ");
  throw new Error(`${refusal} (only supports [${list}])`);
}
