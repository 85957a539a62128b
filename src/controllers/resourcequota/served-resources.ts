import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import type { ServerApis } from "../../client/discovery/server-apis.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import type { Informers } from "../../client/informer/informers.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { metadataInformer } from "../metadata-informer.ts";

/** When discovery is read after a change: servers update it with a delay. */
const afterChangeMs = [1_000, 5_000];
/** When discovery is read again after a failure. */
const afterFailureMs = 30_000;

export interface ServedResourcesOptions {
  readonly discovery: Discovery;
  readonly informers: Informers;
  /** Schedules a call of `look`, after a number of milliseconds. */
  readonly again: (ms: number) => void;
}

/** Reads discovery after changes of CustomResourceDefinitions and APIServices, without polling. */
export class ServedResources {
  readonly #options: ServedResourcesOptions;
  readonly #followed: Informer<KubernetesObject>[] = [];
  #waits: number[] = [];

  constructor(options: ServedResourcesOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#followed.length > 0;
  }

  start(): void {
    const changed = (): void => {
      this.#waits = [...afterChangeMs];
      this.#options.again(0);
    };
    const { informers } = this.#options;
    // The same informers as the garbage collector's, so that they are shared.
    for (const informer of [
      metadataInformer(informers, CustomResourceDefinition),
      informers.of<KubernetesObject>(APIService),
    ]) {
      informer.addHandler({
        added: (_, isInitial) => (isInitial ? undefined : changed()),
        updated: changed,
        deleted: changed,
      });
      this.#followed.push(informer);
    }
  }

  async look(signal: AbortSignal): Promise<ServerApis> {
    const { discovery, again } = this.#options;
    const apis = await discovery.apis({ newerThan: discovery.known, signal });
    const wait = this.#waits.shift() ?? (apis.failures.size > 0 ? afterFailureMs : undefined);
    if (wait !== undefined) again(wait);
    return apis;
  }

  close(): void {
    for (const informer of this.#followed.splice(0)) informer.close();
  }
}
