import { bool, int64, list, listOf, named, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString } from "../../../schema/language/type.ts";

export const TokenRequest = struct("io.k8s.api.storage.v1.TokenRequest", {
  audience: string(1).always().expected().doc("Who the token is for; empty for the API server."),
  expirationSeconds: int64(2).pointer().doc("Seconds that the token should hold."),
}).doc("A token of the pod's service account that a driver wants.");
export interface TokenRequest extends Infer<typeof TokenRequest> {}

const lifecycleModes = ["Persistent", "Ephemeral"];
const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];

export const CSIDriverSpec = struct("io.k8s.api.storage.v1.CSIDriverSpec", {
  attachRequired: bool(1)
    .pointer()
    .default(true)
    .doc("Whether volumes are attached to a node before they are mounted. Never changes."),
  podInfoOnMount: bool(2)
    .pointer()
    .default(false)
    .doc("Whether the driver is told of the pod that a volume is mounted for."),
  volumeLifecycleModes: listOf(3, namedString("v1.VolumeLifecycleMode"))
    .known(...lifecycleModes)
    .set()
    .doc("Whether volumes are those of claims, or live with their pod. Never changes."),
  storageCapacity: bool(4)
    .pointer()
    .default(false)
    .doc("Whether pods are placed by the capacity that the driver publishes."),
  fsGroupPolicy: named(5, "v1.FSGroupPolicy")
    .pointer()
    .known("ReadWriteOnceWithFSType", "File", "None")
    .default("ReadWriteOnceWithFSType")
    .doc("Which volumes get the group of the pod that mounts them."),
  tokenRequests: list(6, TokenRequest)
    .atomic()
    .doc("Tokens of the pod's service account that the driver gets when it mounts."),
  requiresRepublish: bool(7)
    .pointer()
    .default(false)
    .doc("Whether the driver is asked again and again to bring mounted volumes up to date."),
  seLinuxMount: bool(8)
    .pointer()
    .default(false)
    .doc("Whether volumes can be mounted with a SELinux context."),
  nodeAllocatableUpdatePeriodSeconds: int64(9)
    .pointer()
    .doc("Seconds between two questions of how many volumes a node can use."),
  serviceAccountTokenInSecrets: bool(10)
    .pointer()
    .doc("Whether the driver gets tokens among its secrets, and not with the volume's context."),
  preventPodSchedulingIfMissing: bool(11)
    .pointer()
    .doc("Whether pods are kept from nodes that do not have the driver."),
})
  .defaults((spec) => {
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
  })
  .validatedElsewhere()
  .doc("What a CSI driver can do, and what it wants.");
export interface CSIDriverSpec extends Infer<typeof CSIDriverSpec> {}

const minPeriod = 10;
const minExpiration = 600;
const maxExpiration = 2 ** 32;

/** The rules of a driver. */
export function validateDriverSpec(spec: CSIDriverSpec, at: At): void {
  const { fsGroupPolicy, tokenRequests = [], serviceAccountTokenInSecrets: inSecrets } = spec;
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (!groupPolicies.includes(fsGroupPolicy))
    at.notSupported("fsGroupPolicy", fsGroupPolicy, groupPolicies);
  validateTokenRequests(tokenRequests, at.child("tokenRequests"));
  for (const mode of spec.volumeLifecycleModes ?? [])
    if (!lifecycleModes.includes(mode))
      at.notSupported("volumeLifecycleModes", mode, lifecycleModes);
  if (period !== undefined && period < minPeriod)
    at.invalid(
      "nodeAllocatableUpdatePeriodSeconds",
      period,
      "must be greater than or equal to 10 seconds",
    );
  if (inSecrets !== undefined && tokenRequests.length === 0)
    at.invalid(
      "serviceAccountTokenInSecrets",
      inSecrets,
      "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
    );
}

function validateTokenRequests(requests: readonly TokenRequest[], at: At): void {
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds }] of requests.entries()) {
    const here = at.index(i);
    if (audiences.has(audience)) {
      here.duplicate("audience", audience);
      continue;
    }
    audiences.add(audience);
    if (expirationSeconds === undefined) continue;
    const problem = expirationProblem(expirationSeconds);
    if (problem) here.invalid("expirationSeconds", expirationSeconds, problem);
  }
}

function expirationProblem(seconds: number): string | undefined {
  if (seconds < minExpiration) return "may not specify a duration less than 10 minutes";
  if (seconds > maxExpiration) return "may not specify a duration larger than 2^32 seconds";
  return undefined;
}
