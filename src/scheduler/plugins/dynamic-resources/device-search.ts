import type { Node } from "../../../api/core/v1/node/node.ts";
import { toleratesDeviceTaint } from "../../../api/resource/v1/device-taint.ts";
import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { DeviceSelector } from "../../../api/resource/v1/select-device.ts";
import type { AllocatedDevices } from "./allocated-devices.ts";
import { ChosenUsage, type Undo } from "./chosen-usage.ts";
import { type Alternatives, type ClassRequest, claimKey } from "./claim-requests.ts";
import { type Amounts, consumedCapacity } from "./consumed-capacity.ts";
import { constraintsOf, type DeviceConstraint } from "./device-constraints.ts";
import {
  type Candidate,
  type DevicePool,
  deviceId,
  type PoolDevice,
  reachesNode,
} from "./device-pools.ts";

/** A device that was chosen for a request. */
export interface ChosenDevice extends PoolDevice {
  readonly request: ClassRequest;
  readonly pool: DevicePool;
  /** What is taken of a device that several claims share; undefined if it is not shared. */
  readonly consumed: Amounts | undefined;
}

/** The devices of a claim, and the alternative of each request that was chosen. */
export interface ChosenDevices {
  readonly devices: readonly ChosenDevice[];
  readonly requests: readonly ClassRequest[];
  /** What could have been chosen instead, for each request. */
  readonly alternatives: readonly Alternatives[];
}

/** A claim that needs devices. */
export interface ClaimToAllocate {
  readonly claim: ResourceClaim;
  readonly requests: readonly Alternatives[];
}

export interface DeviceSearchOptions {
  readonly node: Node;
  readonly pools: readonly DevicePool[];
  readonly allocated: AllocatedDevices;
  readonly selects: DeviceSelector;
  /** Called often; throws when the search takes too long. */
  readonly checkTime: () => void;
}

/** A claim has at most so many devices. */
const mostDevices = 32;

/**
 * `tooMany`: the claim would have too many devices, so that other devices for the requests before this one
 * would not help.
 */
type Outcome = "found" | "none" | "tooMany";

interface ClaimState extends ClaimToAllocate {
  readonly constraints: readonly DeviceConstraint[];
  readonly devices: ChosenDevice[];
  readonly chosen: ClassRequest[];
}

/**
 * Finds devices for all claims of a pod on a node: the first that fit, request by request, with other
 * devices where later requests find none.
 */
export class DeviceSearch {
  readonly #options: DeviceSearchOptions;
  readonly #candidates: readonly Candidate[];
  readonly #states: readonly ClaimState[];
  /** Whether a device is selected by a request; looked up once. */
  readonly #selected = new Map<ClassRequest, Map<Candidate, boolean>>();
  /** The devices of requests for all devices. */
  readonly #all = new Map<ClassRequest, readonly Candidate[]>();
  readonly #usage: ChosenUsage;

  constructor(claims: readonly ClaimToAllocate[], options: DeviceSearchOptions) {
    this.#options = options;
    this.#usage = new ChosenUsage(options.allocated);
    this.#candidates = options.pools.flatMap((pool) =>
      pool.devices.map((one) => ({
        ...one,
        pool,
        id: deviceId(pool.driver, pool.name, one.device.name),
      })),
    );
    this.#states = claims.map((one) => ({
      ...one,
      constraints: constraintsOf(one.claim),
      devices: [],
      chosen: [],
    }));
    for (const state of this.#states) this.#prepare(state);
  }

  /** Returns the devices of each claim; undefined if there are none. */
  run(): readonly ChosenDevices[] | undefined {
    const outcome = this.#claim(0);
    if (outcome === "tooMany") throw new Error("allocation max size exceeded");
    if (outcome === "none") return undefined;
    return this.#states.map(({ devices, chosen, requests: alternatives }) => ({
      devices,
      requests: chosen,
      alternatives,
    }));
  }

  /** Finds the devices of requests for all, and rejects claims that want too many. */
  #prepare(state: ClaimState): void {
    let least = 0;
    for (const alternatives of state.requests) {
      const counts = alternatives.map((request) => {
        if (request.count !== undefined) return request.count;
        const all = this.#allDevices(state, request);
        this.#all.set(request, all);
        return all.length;
      });
      least += Math.min(...counts);
    }
    if (least > mostDevices)
      throw new Error(
        `claim ${claimKey(state.claim)}: number of requested devices ${least} exceeds the claim limit of ${mostDevices}`,
      );
  }

  #allDevices(state: ClaimState, request: ClassRequest): readonly Candidate[] {
    for (const { driver, name, isIncomplete, isInvalid } of this.#options.pools)
      if (isIncomplete || isInvalid)
        throw new Error(
          `claim ${claimKey(state.claim)}, request ${ownName(request)}: asks for all devices, but resource pool ${driver}/${name} is currently ${isIncomplete ? "being updated" : "invalid"}`,
        );
    return this.#candidates.filter(
      (candidate) =>
        this.#selects(state, request, candidate) &&
        this.#consumed(request, candidate) !== undefined,
    );
  }

  #claim(index: number): Outcome {
    const state = this.#states[index];
    if (!state) return "found";
    return this.#request(index, 0);
  }

  #request(index: number, at: number): Outcome {
    const state = this.#states[index] as ClaimState;
    const alternatives = state.requests[at];
    if (!alternatives) {
      const outcome = this.#claim(index + 1);
      return outcome === "tooMany" ? "none" : outcome;
    }
    let isTooMuch = true;
    for (const request of alternatives) {
      state.chosen[at] = request;
      const outcome = this.#device({ index, at, request, number: 0, start: 0 });
      if (outcome === "found") return outcome;
      if (outcome === "none") isTooMuch = false;
    }
    return isTooMuch ? "tooMany" : "none";
  }

  /** Finds the devices of a request from one on; they are tried in one order only. */
  #device({ index, at, request, number, start }: Place): Outcome {
    this.#options.checkTime();
    const state = this.#states[index] as ClaimState;
    const all = this.#all.get(request);
    if (all?.length === 0) return "none";
    const count = all?.length ?? request.count ?? 0;
    if (number >= count) return this.#request(index, at + 1);
    if (state.devices.length + count - number > mostDevices) return "tooMany";
    const next = { index, at, request, number: number + 1 };
    if (all) {
      const candidate = all[number] as Candidate;
      return this.#tried(state, { request, candidate, isNeeded: true }, { ...next, start: 0 });
    }
    for (let i = start; i < this.#candidates.length; i++) {
      const candidate = this.#candidates[i] as Candidate;
      if (!this.#usage.isFree(candidate, state, request.isAdmin)) continue;
      if (!this.#selects(state, request, candidate)) continue;
      const place = { ...next, start: i + 1 };
      const outcome = this.#tried(state, { request, candidate, isNeeded: false }, place);
      if (outcome !== "none") return outcome;
    }
    return "none";
  }

  /** Chooses a device, and goes on from there; takes the choice back if that leads nowhere. */
  #tried(state: ClaimState, choice: Choice, next: Place): Outcome {
    const undo = this.#choose(state, choice);
    if (!undo) return "none";
    const outcome = this.#device(next);
    if (outcome !== "found") undo();
    return outcome;
  }

  /** Chooses a device; returns how to take that back, or undefined if it cannot be had. */
  #choose(state: ClaimState, { request, candidate, isNeeded }: Choice): Undo | undefined {
    const { device, id, pool } = candidate;
    if (!this.#usage.isFree(candidate, state, request.isAdmin)) return undefined;
    const consumed = this.#consumed(request, candidate);
    if (!consumed || isTainted(candidate, request)) return undefined;
    const giveBackCounters = this.#usage.takeCounters(candidate);
    if (!giveBackCounters) return undefined;
    const undo: Undo[] = [giveBackCounters];
    const undoAll = (): void => {
      for (const one of undo.reverse()) one();
    };
    const constrained = { device, driver: pool.driver, request: request.name };
    for (const constraint of state.constraints) {
      if (!constraint.add(constrained)) {
        undoAll();
        if (!isNeeded) return undefined;
        throw new Error(
          `claim ${claimKey(state.claim)}, request ${ownName(request)}: cannot add device ${id} because a claim constraint would not be satisfied`,
        );
      }
      undo.push(() => constraint.remove(constrained));
    }
    const isShared = device.allowMultipleAllocations ?? false;
    undo.push(
      isShared ? this.#usage.share(candidate, consumed) : this.#usage.use(candidate, state),
    );
    state.devices.push({ ...candidate, request, consumed: isShared ? consumed : undefined });
    undo.push(() => void state.devices.pop());
    return undoAll;
  }

  /** What a request takes of a device; undefined if that is more than is left. */
  #consumed({ capacity }: ClassRequest, candidate: Candidate): Amounts | undefined {
    return consumedCapacity(candidate.device, capacity, this.#usage.taken(candidate));
  }

  #selects(state: ClaimState, request: ClassRequest, candidate: Candidate): boolean {
    let known = this.#selected.get(request);
    if (!known) {
      known = new Map();
      this.#selected.set(request, known);
    }
    let selected = known.get(candidate);
    if (selected === undefined) {
      selected = this.#isSelected(state, request, candidate);
      known.set(candidate, selected);
    }
    return selected;
  }

  #isSelected({ claim }: ClaimState, request: ClassRequest, candidate: Candidate): boolean {
    const { deviceClass, selectors } = request;
    const { device, slice } = candidate;
    return (
      this.#matches(candidate, deviceClass.spec.selectors, `class ${deviceClass.metadata.name}`) &&
      this.#matches(candidate, selectors, `claim ${claimKey(claim)}`) &&
      (!slice.spec.perDeviceNodeSelection || reachesNode(device, this.#options.node))
    );
  }

  #matches(
    { device, pool }: Candidate,
    selectors: ClassRequest["selectors"] = [],
    owner: string,
  ): boolean {
    return selectors.every(({ cel }, i) => {
      try {
        return this.#options.selects(cel?.expression ?? "", device, pool.driver);
      } catch (cause) {
        throw new Error(`${owner}: selector #${i}: ${(cause as Error).message}`, { cause });
      }
    });
  }
}

/** Where the search is: at a device of a request of a claim. */
interface Place {
  readonly index: number;
  readonly at: number;
  readonly request: ClassRequest;
  /** How many devices the request has already. */
  readonly number: number;
  /** The first candidate to try. */
  readonly start: number;
}

interface Choice {
  readonly request: ClassRequest;
  readonly candidate: Candidate;
  /** Whether there is no other device to choose: the claim asks for all. */
  readonly isNeeded: boolean;
}

/** The name of a request without that of the request whose alternative it is. */
const ownName = ({ name }: ClassRequest): string => name.slice(name.indexOf("/") + 1);

/** Whether a taint that the request does not tolerate keeps it from a device. */
const isTainted = ({ device }: Candidate, { tolerations = [] }: ClassRequest): boolean =>
  (device.taints ?? []).some(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint)),
  );
