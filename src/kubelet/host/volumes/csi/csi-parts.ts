import type { Node } from "../../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { Secret } from "../../../../api/core/v1/secret.ts";
import type { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { SecretPlace } from "../../../../api/core/v1/volume/persistent-volume-secrets.ts";
import type { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import { decodeBase64 } from "../../../../base/base64.ts";
import type { Clock } from "../../../../base/clock.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { Log } from "../../../../base/log.ts";
import type { Random } from "../../../../base/random.ts";
import type { Client } from "../../../../client/client.ts";
import type { KubeletEvent } from "../../../kubelet-events.ts";
import type { ServiceAccountTokens } from "../content/service-account-tokens.ts";
import type { keyedLocks } from "../keyed-locks.ts";
import type { CsiFolders } from "./csi-folders.ts";
import { csiError } from "./csi-text.ts";
import type { CsiDrivers } from "./registration/csi-drivers.ts";
import type { VolumesInUse } from "./volumes-in-use.ts";

/** What all work on the volumes of drivers needs. */
export interface CsiParts {
  readonly nodeName: string;
  readonly node: () => Node | undefined;
  /** Calls as the node. */
  readonly client: Client;
  readonly drivers: CsiDrivers;
  /** The object of a driver, if there is one. */
  driverObject(name: string): Promise<CSIDriver | undefined>;
  readonly folders: CsiFolders;
  readonly tokens: ServiceAccountTokens;
  readonly inUse: VolumesInUse;
  /** The folders at which this process has staged volumes. */
  readonly staged: Set<string>;
  /** Runs the work on a volume one after another. */
  readonly inTurn: ReturnType<typeof keyedLocks>;
  readonly record: (pod: Pod, event: KubeletEvent) => void;
  readonly recordClaim: (claim: PersistentVolumeClaim, event: KubeletEvent) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The content of a secret that a driver needs; the error says which one it is. */
export async function readDriverSecret(
  { client }: CsiParts,
  place: SecretPlace | undefined,
  failure: (place: string, why: string) => Error,
): Promise<Readonly<Record<string, string>>> {
  if (!place) return {};
  const { namespace, name } = place;
  const { data = {} } = await client.get(Secret, place).catch((error: unknown) => {
    const why = csiError(
      `failed to find the secret ${name} in the namespace ${namespace} with error: ${errorMessage(error)}`,
    );
    throw failure(`${namespace}/${name}`, why.message);
  });
  const decoder = new TextDecoder();
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, decoder.decode(decodeBase64(value))]),
  );
}
