import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { keyOf } from "../objects/address.ts";
import type { ApiObject } from "../objects/object.ts";
import { tolerating } from "../verbs/tolerating.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Keeper, KeeperStart } from "./follower.ts";
import { dataOf, setData, systemConfigMap, systemConfigMapAt } from "./kept-config-map.ts";
import { cached, ensure, type Placed, placed } from "./own-work.ts";

const name = "kube-apiserver-legacy-service-account-token-tracking";
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
/** It is made again no sooner: a server that does not track may be deleting it. */
const creationInterval = 30 * 60_000;

/** The config map that says since when the use of tokens in secrets is noted, from today on. */
export const legacyTokenTracking = (parts: VerbParts): Placed[] =>
  placed(parts, systemConfigMap(name, { since: today(parts) }));

/** Keeps it. */
export function keepLegacyTokenTracking(
  parts: VerbParts,
  { isKept = false }: KeeperStart = {},
): Keeper[] {
  const address = systemConfigMapAt(parts, name);
  if (!address) return [];
  const key = keyOf(address);
  const creationOf = ({ metadata }: ApiObject) => Date.parse(metadata.creationTimestamp ?? "");
  const kept = isKept ? cached(parts, address) : undefined;
  let created = kept ? creationOf(kept) : Number.NEGATIVE_INFINITY;
  return [
    {
      task: "keep tracking of tokens in secrets",
      queue: "legacy_token_tracking_controller",
      kinds: [address.kind],
      concerns: ({ object }) => object.key === key,
      async sync(wakeAfter) {
        const current = cached(parts, address);
        if (current) {
          created = creationOf(current);
          if (!isDay(dataOf(current).since ?? ""))
            await tolerating(
              ["NotFound", "Conflict"],
              setData(parts, address, (data) => ({ ...data, since: today(parts) })),
            );
          return;
        }
        const wait = created + creationInterval - parts.environment.clock.now();
        if (wait > 0) {
          wakeAfter(wait);
          return;
        }
        for (const item of legacyTokenTracking(parts)) await ensure(parts, item);
        created = parts.environment.clock.now();
      },
    },
  ];
}

const today = ({ environment: { clock } }: VerbParts): string =>
  formatTime(timeFromMillis(clock.now())).slice(0, "2026-01-01".length);

const isDay = (text: string): boolean =>
  dayPattern.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
