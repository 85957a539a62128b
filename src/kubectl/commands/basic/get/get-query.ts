import type { ResourceQuery } from "../../../resource/find-resources.ts";
import { filenameQuery } from "../../shared/filename-flags.ts";
import { printsTable } from "../../shared/table-output.ts";
import type { GetContext } from "./get-flags.ts";

/** The objects that the flags and arguments of `get` name. */
export function getQuery({ flags, args }: Pick<GetContext, "flags" | "args">): ResourceQuery {
  return {
    ...filenameQuery(flags),
    args,
    labelSelector: flags.selector,
    fieldSelector: flags["field-selector"],
    isAllNamespaces: flags["all-namespaces"],
    allowsTypeAlone: true,
    isLatest: true,
    chunkSize: flags["chunk-size"],
    ...(wantsServerTable(flags) && {
      requests: {
        accept: tableAccept,
        // Sorting looks into the objects.
        ...(flags["sort-by"] !== "" && { query: { includeObject: "Object" } }),
      },
    }),
  };
}

const tableAccept = [
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=Table;v=v1beta1;g=meta.k8s.io",
  "application/json",
].join(",");

function wantsServerTable(flags: GetContext["flags"]): boolean {
  const { output } = flags;
  return flags["server-print"] && !output.includes("custom-columns") && printsTable(flags);
}
