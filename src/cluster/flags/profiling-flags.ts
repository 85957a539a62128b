import { boolFlag } from "../../cli/flag.ts";
import type { ServerFlag } from "./server-flag.ts";

/** The flags of profiles, with their defaults. */
export const profilingFlags = (defaults: {
  readonly profiling: boolean;
  readonly contention: boolean;
}) => ({
  profiling: boolFlag({
    usage: `whether to serve profiles of the process at /debug/pprof/ to users who may read that path${defaults.profiling ? "" : "; kube-apiserver's default is true"}`,
    default: defaults.profiling,
  }),
  "contention-profiling": {
    ...boolFlag({
      usage: "whether to profile lock contention, too; there is none, as JavaScript has one thread",
      default: defaults.contention,
    }),
    withoutEffect: "JavaScript has one thread, which waits for no lock",
  } satisfies ServerFlag<boolean>,
});
