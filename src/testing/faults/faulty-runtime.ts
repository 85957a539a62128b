import { sleep } from "../../base/clock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { FaultyTransportOptions } from "./faulty-transport.ts";

/**
 * Wraps a container runtime or image service with faults: `verb` is the method, `resource` is `runtime`.
 * Streams, such as logs and events, have no faults.
 */
export function faultyRuntime<S extends object>(service: S, options: FaultyTransportOptions): S {
  return new Proxy(service, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property, target);
      if (typeof method !== "function" || typeof property !== "string") return method;
      const call = (args: readonly unknown[]): unknown => method.apply(target, args);
      return faultless.has(property)
        ? (...args: unknown[]) => call(args)
        : (...args: unknown[]) => faultyAnswer(property, () => call(args), options);
    },
  });
}

const never = new Promise<never>(() => {});

const faultless = new Set(["logs", "containerEvents", "close"]);

function faultyAnswer(
  verb: string,
  call: () => unknown,
  { who, clock, faultOf, crash, isOver }: FaultyTransportOptions,
): unknown {
  const fault = faultOf({ ...who, verb, resource: "runtime", namespace: "", name: "" });
  if (!fault) return call();
  const lost = new RuntimeError("Unavailable", "connection error: desc = transport is closing");
  const withFault = async (): Promise<unknown> => {
    switch (fault.type) {
      case "fail":
        throw fault.error ?? lost;
      case "lose-response":
        await call();
        throw lost;
      case "delay":
        await sleep(clock, fault.ms);
        return isOver?.() ? never : call();
      case "crash":
        if (fault.when === "after") await call();
        crash?.();
        return never;
      default:
        return call();
    }
  };
  return withFault();
}
