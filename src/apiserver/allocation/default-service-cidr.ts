import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import type { Timer } from "../../base/clock.ts";
import { keyOf } from "../objects/address.ts";
import { now } from "../objects/environment.ts";
import { addressOf, anyKind } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { TaskState } from "./repair-tasks.ts";
import { defaultRangeName } from "./service-ranges.ts";

/** A step that brings the default ServiceCIDR closer to the configured ranges. */
export type RangeStep = "create" | "widen" | "set ready" | "report mismatch" | "report not ready";

const key = { name: defaultRangeName };
const storeKey = keyOf(addressOf(ServiceCIDR, key));
const controllerName = "kubernetes-service-cidr-controller";
/** How soon changes by other clients are reconciled. */
const syncMs = 10_000;

/** Decides on the next step. Ranges that other clients have set are not changed, only reported. */
export function nextStep(
  existing: Pick<ServiceCIDR, "metadata" | "spec" | "status"> | undefined,
  cidrs: readonly string[],
): RangeStep | undefined {
  if (!existing) return "create";
  const has = existing.spec.cidrs ?? [];
  if (cidrs.length === 2 && has.length === 1 && has[0] === cidrs[0]) return "widen";
  if (existing.metadata.deletionTimestamp) return undefined;
  if (has.join() !== cidrs.join()) return "report mismatch";
  const ready = existing.status.conditions?.find(({ type }) => type === "Ready")?.status;
  if (ready === "True") return undefined;
  return ready === "False" ? "report not ready" : "set ready";
}

export interface DefaultServiceCidrOptions {
  readonly parts: OwnParts;
  /** The ranges that the server was started with. */
  readonly cidrs: readonly string[];
  /** Reports a problem with the range by an event. */
  readonly report: (range: ServiceCIDR, reason: string, message: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Reconciles the ServiceCIDR of the ranges that the server was started with. */
export class DefaultServiceCidr {
  readonly #options: DefaultServiceCidrOptions;
  /** The problems that were reported, each once. */
  readonly #reported = new Set<RangeStep>();
  /** The number of the next change to handle. */
  #next = 0;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: DefaultServiceCidrOptions) {
    this.#options = options;
  }

  /** Resolves when the ServiceCIDR exists. */
  async start(): Promise<void> {
    await this.#sync();
    this.#follow();
  }

  get state(): TaskState {
    return { isIdle: this.#timer === undefined, reported: [...this.#reported] };
  }

  /** Continues on a fork from the state of the parent. */
  resume({ isIdle, reported = [] }: TaskState): void {
    for (const step of reported) this.#reported.add(step);
    this.#follow();
    if (!isIdle) this.#schedule();
  }

  changed(): void {
    const cache = this.#cache;
    let isChanged = false;
    for (; this.#next < cache.endOfEvents; this.#next++)
      isChanged ||= cache.eventAt(this.#next)?.object.key === storeKey;
    if (isChanged && this.#step() !== undefined) this.#schedule();
  }

  end(): void {
    this.close();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#cache.watchers.delete(this);
  }

  get #cache() {
    return this.#options.parts.reader.cache.of(anyKind(ServiceCIDR));
  }

  #follow(): void {
    const cache = this.#cache;
    this.#next = cache.endOfEvents;
    cache.watchers.add(this);
  }

  #existing(): ServiceCIDR | undefined {
    return this.#options.parts.reader.getCached(ServiceCIDR, key);
  }

  #step(): RangeStep | undefined {
    const step = nextStep(this.#existing(), this.#options.cidrs);
    return step !== undefined && this.#reported.has(step) ? undefined : step;
  }

  #schedule(): void {
    this.#timer ??= this.#options.parts.environment.clock.setTimer(syncMs, () => {
      this.#timer = undefined;
      this.#sync().catch((error: unknown) => {
        if (this.#isClosed) return;
        this.#options.onError(error);
        this.#schedule();
      });
    });
  }

  async #sync(): Promise<void> {
    for (let step = this.#step(); step !== undefined; step = this.#step()) {
      await this.#take(step);
      await this.#options.parts.reader.cache.fresh();
    }
  }

  async #take(step: RangeStep): Promise<void> {
    const { parts, cidrs } = this.#options;
    const spec = { cidrs: [...cidrs] };
    if (step === "create") await parts.writer.ensure(ServiceCIDR, { metadata: key, spec });
    else if (step === "widen")
      await parts.writer.update(ServiceCIDR, key, (existing) => ({ ...existing, spec }));
    else if (step === "set ready") await this.#setReady();
    else await this.#report(step).catch(this.#options.onError);
  }

  async #setReady(): Promise<void> {
    const { writer, environment } = this.#options.parts;
    const condition = {
      type: "Ready",
      status: "True",
      lastTransitionTime: now(environment),
      message: "Kubernetes default Service CIDR is ready",
    };
    await writer.apply(ServiceCIDR, key, () => ({ status: { conditions: [condition] } }), {
      subresource: "status",
      fieldManager: controllerName,
    });
  }

  async #report(step: RangeStep): Promise<void> {
    const { cidrs, report } = this.#options;
    const existing = this.#existing();
    this.#reported.add(step);
    if (!existing) return;
    if (step === "report mismatch") {
      const list = (texts: readonly string[] = []) => `[${texts.join(" ")}]`;
      await report(
        existing,
        "KubernetesDefaultServiceCIDRInconsistent",
        `The default ServiceCIDR ${list(existing.spec.cidrs)} does not match the controller flag configurations ${list(cidrs)}`,
      );
      return;
    }
    const condition = existing.status.conditions?.find(({ type }) => type === "Ready");
    await report(
      existing,
      condition?.reason ?? "",
      `Configuration matches, but ${condition?.message ?? ""}`,
    );
  }
}
