import { parsedFlags } from "../../../flags/parsed-flags.test-support.ts";
import type { GivenFlags } from "../apiserver-options.ts";
import { apiserverFlags } from "./apiserver-flags.ts";

/** The flags of a command line. */
export const givenFlags = (args: readonly string[]): GivenFlags =>
  parsedFlags(apiserverFlags, args);
