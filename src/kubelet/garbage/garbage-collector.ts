import type { Clock, Timer } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Reclaim } from "../eviction/filesystem-layout.ts";
import { createImageCollector, type ImageCollectorOptions } from "../images/image-collector.ts";
import { imagePolicyProblem } from "../images/image-policy.ts";
import type { Kubelet } from "../kubelet.ts";
import type { KubeletEvent } from "../kubelet-events.ts";
import {
  type ContainerCollectorOptions,
  createContainerCollector,
  type PodStates,
} from "./container-collector.ts";

/** Removes what nobody uses from a node: containers and sandboxes every minute, images every five minutes. */
export interface GarbageCollector {
  /** Starts for a kubelet, and continues until it is closed. */
  start(kubelet: CollectingKubelet): void;
  close(): void;
  /** Removes at once what nobody uses, also of pods that ended but were not deleted. */
  reclaim(what: Reclaim): Promise<void>;
}

/** The parts of a kubelet that the garbage collector needs. */
export type CollectingKubelet = Pick<Kubelet, "nodeName" | "events" | "podState">;

export interface GarbageCollectorOptions
  extends Omit<ImageCollectorOptions, "policy" | "runtime">,
    Omit<ContainerCollectorOptions, "policy"> {
  readonly imagePolicy: ImageCollectorOptions["policy"];
  readonly containerPolicy: ContainerCollectorOptions["policy"];
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates a garbage collector that has not started; throws if the policy of images is invalid. */
export function createGarbageCollector(options: GarbageCollectorOptions): GarbageCollector {
  const { clock, log, imagePolicy, containerPolicy } = options;
  const problem = imagePolicyProblem(imagePolicy);
  if (problem !== undefined) throw new Error(problem);
  const images = createImageCollector({ ...options, policy: imagePolicy });
  const containers = createContainerCollector({ ...options, policy: containerPolicy });
  const timers = new Set<Timer>();
  let collecting: CollectingKubelet | undefined;
  let isClosed = false;

  /** Runs at once, and again so long after each run. */
  const repeat = async (ms: number, work: () => Promise<void>): Promise<void> => {
    await work();
    if (isClosed) return;
    const timer = clock.setTimer(ms, () => {
      timers.delete(timer);
      void repeat(ms, work);
    });
    timers.add(timer);
  };
  const collectContainers = async (kubelet: CollectingKubelet): Promise<void> => {
    try {
      await containers.collect(podStates(kubelet, false));
    } catch (error) {
      log.error("container garbage collection failed", error);
      tellOf(kubelet)({
        type: "Warning",
        reason: "ContainerGCFailed",
        message: errorMessage(error),
      });
    }
  };
  let hasFailed = false;
  const collectImages = async (kubelet: CollectingKubelet): Promise<void> => {
    try {
      if (isDisabled(imagePolicy)) await images.detect();
      else await images.collect(tellOf(kubelet));
      hasFailed = false;
    } catch (error) {
      log.error("image garbage collection failed", error);
      const message = errorMessage(error);
      // A first failure may be over with the next run.
      if (hasFailed) tellOf(kubelet)({ type: "Warning", reason: "ImageGCFailed", message });
      hasFailed = true;
    }
  };

  return {
    start(kubelet) {
      collecting = kubelet;
      void repeat(containersMs, () => collectContainers(kubelet));
      void repeat(imagesMs, () => collectImages(kubelet));
    },
    close() {
      isClosed = true;
      for (const timer of timers) timer.cancel();
    },
    async reclaim(what) {
      if (!collecting) return;
      if (what === "images") await images.removeUnused();
      else await containers.collect(podStates(collecting, true));
    },
  };
}

const containersMs = 60_000;
const imagesMs = 5 * 60_000;

const isDisabled = ({ highThresholdPercent, maxAgeMs }: GarbageCollectorOptions["imagePolicy"]) =>
  highThresholdPercent === 100 && maxAgeMs === 0;

const tellOf =
  ({ nodeName, events }: CollectingKubelet) =>
  (event: KubeletEvent): void =>
    events.node({ metadata: { name: nodeName } }, event);

/** The states of a kubelet's pods whenever they are asked for; those that ended are removable only if that is wanted. */
function podStates({ podState }: CollectingKubelet, withEnded: boolean): PodStates {
  const isDeleted = (uid: string): boolean => podState(uid) === "deleted";
  return {
    isDeleted,
    isRemovable: (uid) => isDeleted(uid) || (withEnded && podState(uid) === "ended"),
  };
}
