import type { Client } from "../../client/client.ts";
import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import type { WatchStream } from "../../client/watch-stream.ts";
import { type HelperOptions, helper, listError } from "./helper.ts";
import { versionedResource } from "./resource-text.ts";
import type { Visitor } from "./visitor.ts";

export interface Selection {
  readonly client: Client;
  readonly kind: DiscoveredKind;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  /** The size of pages; 0 for one page. */
  readonly chunkSize: number;
  readonly requests: HelperOptions;
}

/** The objects of a kind that match, page by page; the objects are lists, or tables. */
export interface SelectedList extends Visitor {
  watch(resourceVersion: string): WatchStream<DynamicObject>;
}

/** Lists the objects of a kind that match, and calls the function with each page. */
export function selectorVisitor(selection: Selection): SelectedList {
  const { client, kind, namespace, chunkSize, requests } = selection;
  const requested = helper(client, kind, requests);
  const selectors = {
    labelSelector: selection.labelSelector || undefined,
    fieldSelector: selection.fieldSelector || undefined,
  };
  return {
    name: "Selector",
    watch: (resourceVersion) => requested.watch(namespace, { ...selectors, resourceVersion }),
    async visit(fn) {
      let token: string | undefined;
      do {
        const parameters = { ...selectors, limit: chunkSize, continue: token };
        const list = await requested.list(namespace, parameters).catch((error: unknown) => {
          throw listError(error, versionedResource(kind), selectors);
        });
        const { resourceVersion = "", continue: next } = list.metadata as {
          readonly resourceVersion?: string;
          readonly continue?: string;
        };
        await fn({
          kind,
          namespace,
          name: "",
          source: "",
          object: list,
          resourceVersion,
          subresource: "",
        });
        token = next || undefined;
      } while (token !== undefined);
    },
  };
}
