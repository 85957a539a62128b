import type { Clock, Timer } from "../../../base/clock.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityValue,
  subtractQuantities,
} from "../../../schema/values/quantity.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { CgroupNaming } from "../../pod/linux/pod-cgroup.ts";
import { enforceNodeAllocatable, enforceReserved } from "./node-allocatable.ts";

export interface LimitNodeOptions {
  readonly cgroups: Pick<Cgroups, "exists" | "update">;
  readonly naming: CgroupNaming;
  readonly configuration: KubeletConfiguration;
  /** The resources of the machine: `cpu`, `memory`, and `pid` for processes. */
  readonly capacity: Amounts;
  /** Whether the kernel keeps the memory that is reserved; by default it does not. */
  readonly protectsReserved?: boolean | undefined;
  readonly clock: Clock;
  /** Records an event of the node. */
  readonly record: (event: KubeletEvent) => void;
}

type Amounts = Readonly<Record<string, string>>;

/**
 * Limits all pods together, and what is no pod to what is reserved for it, as the configuration says. Pods that use
 * too much already are limited later: it is tried each minute, until eviction has made room.
 */
export async function limitNode(options: LimitNodeOptions): Promise<{ close(): void }> {
  const { cgroups, naming, configuration, clock, record, protectsReserved } = options;
  const amounts = podAmounts(options);
  const { pid } = amounts;
  const pidsLimit = pid === undefined ? undefined : quantityValue(parseQuantity(pid));
  let timer: Timer | undefined;
  let isClosed = false;
  const limitPods = async (): Promise<void> => {
    const event = await enforceNodeAllocatable({ cgroups, naming, amounts, pidsLimit });
    if (isClosed) return;
    record(event);
    if (event.type === "Warning") timer = clock.setTimer(retryMs, () => void limitPods());
  };
  await limitPods();
  for (const reserved of reservations(configuration))
    record(await enforceReserved({ cgroups, protectsReserved, ...reserved }));
  return {
    close(): void {
      isClosed = true;
      timer?.cancel();
    },
  };
}

const retryMs = 60_000;

/** What pods may use: without what is reserved, if that is enforced. */
function podAmounts({ configuration, capacity }: LimitNodeOptions): Amounts {
  const { enforceNodeAllocatable: enforced = ["pods"] } = configuration;
  if (!enforced.includes("pods")) return capacity;
  const { systemReserved = {}, kubeReserved = {} } = configuration;
  const left = (name: string, amount: string): string =>
    [systemReserved[name], kubeReserved[name]].reduce<string>(less, amount);
  return Object.fromEntries(
    Object.entries(capacity).map(([name, amount]) => [name, left(name, amount)]),
  );
}

function less(amount: string, reserved: string | undefined): string {
  const rest = subtractQuantities(parseQuantity(amount), parseQuantity(reserved ?? "0"));
  return compareQuantities(rest, parseQuantity("0")) < 0 ? "0" : formatQuantity(rest);
}

/** What is limited beside pods. */
function reservations({
  enforceNodeAllocatable: enforced = [],
  systemReserved = {},
  kubeReserved = {},
  systemReservedCgroup = "",
  kubeReservedCgroup = "",
}: KubeletConfiguration) {
  const system = { owner: "system", path: systemReservedCgroup, amounts: systemReserved } as const;
  const kube = { owner: "kube", path: kubeReservedCgroup, amounts: kubeReserved } as const;
  return [system, kube].flatMap((one) =>
    [false, true]
      .filter((only) => enforced.includes(`${one.owner}-reserved${only ? "-compressible" : ""}`))
      .map((isCompressible) => ({ ...one, isCompressible })),
  );
}
