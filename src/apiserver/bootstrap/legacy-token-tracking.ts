import { ConfigMap } from "../../api/core/v1/config-map.ts";
import {
  dayOf,
  isDay,
  legacyTokenTrackingKey as key,
} from "../../api/core/v1/legacy-token-tracking.ts";
import { keyOf } from "../objects/address.ts";
import { addressOf } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { Reconciler, ReconcilerStart } from "./reconcile-loop.ts";
import { systemConfigMap } from "./system-config-map.ts";

/** The config map is created again no sooner: a server that does not track tokens may be deleting it. */
const creationInterval = 30 * 60_000;

/** The config map with the day since which the use of tokens in secrets is recorded: today. */
export const legacyTokenTracking = (now: number) =>
  systemConfigMap(key.name, { since: dayOf(now) });

/** Reconciles that config map. */
export function legacyTokenReconciler(
  { reader, writer, environment: { clock } }: OwnParts,
  { isReconciled = false }: ReconcilerStart = {},
): Reconciler[] {
  if (!reader.serves(ConfigMap)) return [];
  const storeKey = keyOf(addressOf(ConfigMap, key));
  const creationOf = ({ metadata }: ConfigMap) => Date.parse(metadata.creationTimestamp ?? "");
  const existing = isReconciled ? reader.getCached(ConfigMap, key) : undefined;
  let created = existing ? creationOf(existing) : Number.NEGATIVE_INFINITY;
  return [
    {
      task: "tracking of tokens in secrets",
      queue: "legacy_token_tracking_controller",
      kinds: [ConfigMap],
      isRelevant: ({ object }) => object.key === storeKey,
      async reconcile(requeueAfter) {
        const current = reader.getCached(ConfigMap, key);
        if (current) {
          created = creationOf(current);
          if (!isDay(current.data?.since ?? ""))
            await writer.update(ConfigMap, key, (existing) => ({
              ...existing,
              data: { ...existing.data, since: dayOf(clock.now()) },
            }));
          return;
        }
        const wait = created + creationInterval - clock.now();
        if (wait > 0) {
          requeueAfter(wait);
          return;
        }
        await writer.ensure(ConfigMap, legacyTokenTracking(clock.now()));
        created = clock.now();
      },
    },
  ];
}
