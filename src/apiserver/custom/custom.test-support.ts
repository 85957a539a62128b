import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Store } from "../../store/store.ts";
import { openServer, send, type TestRequest } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

/** A server in this process, and short ways to ask it. */
export interface CustomServer {
  readonly server: ApiServer;
  readonly store: Store;
  readonly clock: VirtualClock;
  /** The answer with its body parsed, where that is JSON. */
  ask(request: TestRequest): Promise<Answer>;
  /** Creates a definition, and waits until it is established. */
  define(spec: object): Promise<void>;
  /** Asks again and again until it holds; the world has as many turns as that takes, but not for ever. */
  until(path: string, holds: (answer: Answer) => boolean): Promise<Answer>;
  close(): void;
}
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  readonly body: any;
}

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export async function openCustom(
  clock = new VirtualClock(Date.UTC(2026, 0, 1)),
  store: Store = new MemoryStore(clock),
): Promise<CustomServer> {
  const server = await openServer(clock, store);
  const ask = async (request: TestRequest): Promise<Answer> => {
    const { status, headers, text } = await send(server, request);
    return { status, headers, body: /^[{[]/.test(text) ? JSON.parse(text) : text };
  };
  const until: CustomServer["until"] = async (path, holds) => {
    for (let turn = 0; ; turn++) {
      const answer = await ask({ path });
      if (holds(answer)) return answer;
      if (turn > 200) throw new Error(`${path} stays ${JSON.stringify(answer.body)}`);
    }
  };
  return {
    server,
    store,
    clock,
    ask,
    until,
    async define(spec) {
      const definition = definitionOf(spec);
      const { status, body } = await ask({ method: "POST", path: definitions, body: definition });
      if (status !== 201) throw new Error(body.message);
      await until(`${definitions}/${definition.metadata.name}`, isEstablished);
    },
    close: () => server.close(),
  };
}

/** Whether an answer is a definition that is served. */
export const isEstablished = ({ body }: Answer): boolean =>
  conditionOf(body, "Established")?.[0] === "True";

/** Status, reason and message of a condition. */
export function conditionOf(definition: Answer["body"], type: string): string[] | undefined {
  const found = definition?.status?.conditions?.find(
    (each: { type: string }) => each.type === type,
  );
  return found && [found.status, found.reason, found.message];
}

/** A definition with what a spec leaves out. */
export function definitionOf(given: object) {
  const spec = {
    group: "g.io",
    scope: "Namespaced",
    names: { plural: "gears", kind: "Gear" },
    versions: [version({})],
    ...given,
  };
  const { names, group } = spec;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}` },
    spec,
  };
}

/** A version with what is left out: it is v1, served, stored, and knows a number and a text. */
export const version = (given: object) => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: gearSchema },
  ...given,
});

export const gearSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        teeth: { type: "integer", maximum: 100, default: 8 },
        color: { type: "string" },
      },
    },
    status: { type: "object", properties: { teeth: { type: "integer" } } },
  },
};

export const gears = "/apis/g.io/v1/namespaces/default/gears";
export const gear = (name: string, more: object = {}) => ({
  apiVersion: "g.io/v1",
  kind: "Gear",
  metadata: { name },
  ...more,
});
