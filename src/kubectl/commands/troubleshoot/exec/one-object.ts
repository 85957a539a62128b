import type { DynamicObject } from "../../../../client/resource-kind.ts";
import {
  findResources,
  type QueryContext,
  type ResourceQuery,
} from "../../../resource/find-resources.ts";
import { kubectlScheme } from "../../../resource/typed-object.ts";

/** The objects of a query, whole. */
export async function objectsOf(
  context: QueryContext,
  query: ResourceQuery,
): Promise<readonly DynamicObject[]> {
  const found = await findResources(context, { scheme: kubectlScheme, ...query });
  const infos = await found.infos();
  return infos.flatMap(({ object }) => (object ? [object] : []));
}
